import { Dialog } from '@jupyterlab/apputils';
import { nullTranslator } from '@jupyterlab/translation';
import React, { useEffect, useState } from 'react';

import { BodyDialog } from '../bodydialog';
import { DialogAction } from '../dialogaction';

/** A body that has nothing to show before it was told. */
function Late({ told }: { told: Promise<void> }) {
  const [isThere, setIsThere] = useState(false);
  useEffect(() => void told.then(() => setIsThere(true)), [told]);
  return isThere ? <input /> : <p>Wait.</p>;
}

function open(told: Promise<void>): BodyDialog {
  const dialog = new BodyDialog({
    title: 'Title',
    body: <Late told={told} />,
    className: 'late',
    focus: 'input',
    trans: nullTranslator.load('jupyterlab_turnbook')
  });
  void dialog.launch();
  return dialog;
}

/** The input, once it is there. */
async function shown(): Promise<HTMLElement> {
  let input: HTMLElement | null;
  while (!(input = document.querySelector('input'))) {
    await new Promise(resolve => setTimeout(resolve));
  }
  return input;
}

describe('BodyDialog', () => {
  afterEach(() => Dialog.tracker.forEach(dialog => dialog.reject()));

  it('focuses what it names as soon as that is there', async () => {
    let tell: () => void = () => undefined;
    const dialog = open(new Promise(resolve => (tell = resolve)));
    await dialog.ready;
    expect(document.activeElement?.textContent).toContain('Close');
    tell();
    const input = await shown();
    expect(document.activeElement).toBe(input);
  });

  it('does so once', async () => {
    const dialog = open(Promise.resolve());
    const input = await shown();
    await dialog.ready;
    const close = dialog.node.querySelector('button')!;
    close.focus();
    input.before(document.createElement('p'));
    await new Promise(resolve => setTimeout(resolve));
    expect(document.activeElement).toBe(close);
  });

  it('has the button of its form beside the one that closes it, and leaves it its keys', async () => {
    const done: string[] = [];
    const dialog = new BodyDialog({
      title: 'Title',
      body: (
        <form
          id="asks"
          onSubmit={event => {
            event.preventDefault();
            done.push('asked');
          }}
        >
          <input />
          <DialogAction label="Ask" form="asks" />
        </form>
      ),
      className: 'form',
      close: 'Cancel',
      trans: nullTranslator.load('jupyterlab_turnbook')
    });
    void dialog.launch();
    await shown();
    await dialog.ready;
    const buttons = [
      ...dialog.node.querySelectorAll<HTMLElement>('.jp-Dialog-footer button')
    ];
    expect(buttons.map(button => button.textContent)).toEqual([
      'Cancel',
      'Ask'
    ]);
    expect(dialog.node.querySelectorAll('button')).toHaveLength(2);
    const [, ask] = buttons;
    ask.focus();
    const init = { key: 'Enter', bubbles: true, cancelable: true };
    const enter = new KeyboardEvent('keydown', init);
    ask.dispatchEvent(enter);
    expect(enter.defaultPrevented).toBe(false);
    expect(dialog.isDisposed).toBe(false);
    ask.click();
    expect(done).toEqual(['asked']);
  });

  it('is closed by Escape before it has the focus', async () => {
    const dialog = open(new Promise(() => undefined));
    while (!dialog.isAttached) {
      await new Promise(resolve => setTimeout(resolve));
    }
    (document.activeElement as HTMLElement).blur();
    const init = { key: 'Escape', bubbles: true, cancelable: true };
    document.body.dispatchEvent(new KeyboardEvent('keydown', init));
    expect(dialog.isDisposed).toBe(true);
  });
});
