import type { JupyterFrontEnd } from '@jupyterlab/application';
import { Notification } from '@jupyterlab/apputils';

import codeAction from '../../../examples/code-action/src/plugin';
import referenceProvider from '../../../examples/reference-provider/src/plugin';
import {
  IReferenceProviders,
  ReferenceProviders
} from '../../chat/composer/references/providers';
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

describe('the example of what `@` offers', () => {
  it('is a reference to the open tabs, as they are when it is chosen', async () => {
    const references = new ReferenceProviders();
    const tabs = [{ title: { label: 'a.ipynb' } }];
    const shell = { widgets: () => tabs };
    expect(referenceProvider.requires).toEqual([IReferenceProviders]);
    await referenceProvider.activate(
      { shell } as unknown as JupyterFrontEnd,
      references
    );
    const [provider] = references.list;
    const find = (query: string) =>
      provider.find(query, 10, new AbortController().signal, {} as never);
    expect(await find('cell')).toEqual([]);
    const [item] = await find('tab');
    expect(item.detail).toBe('a.ipynb');
    tabs.push({ title: { label: 'b.py' } });
    const [frozen] = await item.freeze();
    expect(frozen.data).toContain('a.ipynb\nb.py');
    expect(frozen.reference).toMatchObject({ name: 'Open tabs', path: '' });
  });
});
