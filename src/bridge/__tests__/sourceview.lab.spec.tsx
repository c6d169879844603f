import * as React from 'react';
import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';

import type { IAttachment } from '../../document/attachments';
import { referenceAttachment } from '../../document/references';
import { SourceView, type IUpdate } from '../sourceview';

const cell = (text: string) =>
  referenceAttachment(
    { kind: 'cell', path: 'a.ipynb', name: 'a.ipynb · cell 1', at: 1 },
    text
  );

function shown(run: IUpdate['run']) {
  const node = document.createElement('div');
  const root = createRoot(node);
  flushSync(() =>
    root.render(
      <SourceView
        file={cell('x = 1')}
        now={cell('x = 2')}
        read={null}
        update={{ hint: 'Why or what', run }}
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
      return { isDone: true, words: 'Nothing was sent.' };
    });
    click(button);
    click(button);
    expect(updated).toEqual([cell('x = 2')]);
    expect(button.disabled).toBe(true);
    expect(node.textContent).toContain('Nothing was sent.');
  });

  it('says why it is not put there, and can be tried again', () => {
    const results = [
      { isDone: false, words: 'A reply is in progress.' },
      { isDone: true, words: 'Updated.' }
    ];
    let times = 0;
    const { node, button } = shown(() => results[times++]);
    click(button);
    expect(node.textContent).toContain('A reply is in progress.');
    click(button);
    expect(node.textContent).toContain('Updated.');
    expect(times).toBe(2);
  });

  it('is not put into a message that cannot be changed now', () => {
    const { button } = shown(null);
    expect(button.disabled).toBe(true);
    expect(button.title).toBe('Why or what');
  });

  it('is said not to be known for text that was selected outside an editor', () => {
    const file = referenceAttachment(
      { kind: 'selection', path: 'a.ipynb', name: 'a', at: 1 },
      'shown'
    );
    const node = document.createElement('div');
    const update = { hint: '', run: null };
    flushSync(() =>
      createRoot(node).render(
        <SourceView file={file} now={null} read={null} update={update} />
      )
    );
    expect(node.textContent).toContain('selected outside an editor');
    expect(node.querySelector('button')).toBe(null);
  });
});
