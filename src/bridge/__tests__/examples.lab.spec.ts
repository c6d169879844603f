import type { JupyterFrontEnd } from '@jupyterlab/application';
import { Notification } from '@jupyterlab/apputils';

import codeAction from '../../../examples/code-action/src/plugin';
import { CodeActionRegistry, ICodeActions } from '../codeaction';

const block = (text: string) => ({
  language: 'python',
  text,
  chat: { path: 'a.chat.ipynb', chatId: '' },
  pair: '',
  run: ''
});

describe('the example of an action on code', () => {
  it('is a button on blocks of several lines', async () => {
    const actions = new CodeActionRegistry();
    expect(codeAction.requires).toEqual([ICodeActions]);
    await codeAction.activate({} as JupyterFrontEnd, actions);
    expect(actions.of(block('x'))).toEqual([]);
    const [action] = actions.of(block('x\ny\nz'));
    expect(action.caption?.(block('x\ny\nz'))).toContain('python');
    await action.execute(block('x\ny\nz'));
    const [said] = Notification.manager.notifications;
    expect(said.message).toBe('3 lines, from a.chat.ipynb');
  });
});
