import { nullTranslator } from '@jupyterlab/translation';
import { CommandRegistry } from '@lumino/commands';
import { Signal } from '@lumino/signaling';

import { CodeActionRegistry } from '../codeaction';
import { codeOutPlugin } from '../codeplugin';

/** The buttons that a block has in a page with one document, or in JupyterLab. */
async function buttons(isLab: boolean, notebook: object | null) {
  const actions = new CodeActionRegistry();
  const commands = new CommandRegistry();
  const chats = { forEach: () => undefined };
  await codeOutPlugin.activate(
    { commands, shell: {}, serviceManager: { contents: {} } } as never,
    { ...chats, widgetAdded: new Signal(chats) } as never,
    actions as never,
    {} as never,
    { api: {} } as never,
    nullTranslator as never,
    { currentWidget: notebook } as never,
    null,
    isLab ? ({} as never) : null
  );
  const block = {
    language: 'python',
    text: 'a = 1',
    chat: { path: 'x.chat.ipynb', chatId: 'c' },
    pair: 'p',
    run: 'r'
  };
  return actions.of(block).map(({ label }) => label);
}

describe('the buttons of a code block', () => {
  const notebook = { isDisposed: false, content: { model: {} } };

  it('offer the notebook that is open or can be opened beside the chat', async () => {
    const all = ['Insert below', 'Replace cell', 'New notebook'];
    expect(await buttons(true, null)).toEqual(all);
    expect(await buttons(false, notebook)).toEqual(all);
  });

  it('do not where a page shows one document', async () => {
    expect(await buttons(false, null)).toEqual(['New notebook']);
  });
});
