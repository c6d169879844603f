import { Dialog } from '@jupyterlab/apputils';
import { nullTranslator } from '@jupyterlab/translation';

import { askAboutFile, askWords } from '../askfile';
import type { IFileAsk } from '../../../session/fileask';

const trans = nullTranslator.load('jupyterlab_turnbook');

function asks(more: Partial<IFileAsk> = {}): IFileAsk {
  return {
    models: ['work/gpt-4o'],
    choosesModel: true,
    options: [],
    terms: { models: [], options: [] },
    ...more
  };
}

/** The text as it reads, without the marks that isolate names. */
function words(more: Partial<IFileAsk>): string {
  return askWords(asks(more), trans).replace(/[\u2068\u2069]/g, '');
}

/** The dialog, once it is visible. */
async function shown(): Promise<Element> {
  let dialog: Element | null;
  while (!(dialog = document.querySelector('.jp-Dialog'))) {
    await new Promise(resolve => setTimeout(resolve));
  }
  return dialog;
}

function press(dialog: Element, key: string): void {
  dialog.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
}

describe('the question about a file from elsewhere', () => {
  afterEach(() => Dialog.flush());

  it('names the model and the options in one sentence', () => {
    expect(words({})).toBe('This chat asks to use work/gpt-4o.');
    expect(words({ options: ['temperature', 'tools'] })).toBe(
      'This chat asks to use work/gpt-4o, and to send with it: temperature, tools.'
    );
    expect(words({ choosesModel: false, options: ['tools'] })).toBe(
      'This chat asks to send to work/gpt-4o: tools.'
    );
    const models = Array.from({ length: 32 }, (_, n) => `work/${n}`);
    expect(words({ models })).toBe(
      `This chat asks to use ${models.join(', ')}.`
    );
  });

  it('shows names that neither change the text direction nor fill the screen', () => {
    const long = words({ models: [`work/${'x'.repeat(9_000)}`] });
    expect(long.length).toBeLessThan(120);
    expect(words({ models: ['work/\u202elacol\u0000\n'] })).toBe(
      'This chat asks to use work/\ufffdlacol\ufffd\ufffd.'
    );
    const options = Array.from({ length: 500 }, (_, n) => `o${n}`);
    expect(words({ options })).toMatch(/: o0, .*, o7 and 492 more\.$/);
  });

  it.each([
    ['Enter', null],
    ['Escape', null],
    ['Keep local', 'local'],
    ['Use it', 'use']
  ])('takes %s for %j', async (way, answer) => {
    const asked = askAboutFile(asks(), 'local/small', trans);
    const dialog = await shown();
    if (way === 'Enter' || way === 'Escape') {
      press(dialog, way);
    } else {
      [...dialog.querySelectorAll('button')]
        .find(({ textContent }) => textContent === way)!
        .click();
    }
    expect(await asked).toBe(answer);
  });

  it('does not offer an unknown embedded model', async () => {
    const asked = askAboutFile(asks(), null, trans);
    const dialog = await shown();
    expect(dialog.textContent).not.toContain('Keep local');
    press(dialog, 'Escape');
    expect(await asked).toBeNull();
  });
});
