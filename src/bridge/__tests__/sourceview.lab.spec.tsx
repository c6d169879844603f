import * as React from 'react';
import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';

import type { IAttachment } from '../../document/attachments';
import { referenceAttachment } from '../../document/references';
import { SourceView } from '../sourceview';

const cell = (text: string) =>
  referenceAttachment(
    { kind: 'cell', path: 'a.ipynb', name: 'a.ipynb · cell 1', at: 1 },
    text
  );

function shown(update: (next: IAttachment) => 'sent' | 'unsent' | null) {
  const node = document.createElement('div');
  const root = createRoot(node);
  flushSync(() =>
    root.render(
      <SourceView
        file={cell('x = 1')}
        now={cell('x = 2')}
        read={null}
        update={update}
      />
    )
  );
  return { node, button: node.querySelector('button')! };
}

const click = (button: HTMLElement) => flushSync(() => button.click());

describe('the source of a snapshot', () => {
  it('is put into the message once', () => {
    const updated: IAttachment[] = [];
    const { node, button } = shown(next => {
      updated.push(next);
      return 'sent';
    });
    click(button);
    click(button);
    expect(updated).toEqual([cell('x = 2')]);
    expect(button.disabled).toBe(true);
    expect(node.textContent).toContain('What was sent before is a version');
  });

  it('says if it is not sent, and can be tried again while a reply is in progress', () => {
    const results = [null, 'unsent'] as const;
    let times = 0;
    const { node, button } = shown(() => results[times++]);
    click(button);
    expect(node.textContent).toContain('a reply is in progress');
    click(button);
    expect(node.textContent).toContain('It is still not sent.');
    expect(times).toBe(2);
  });
});
