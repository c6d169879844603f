import { Notification } from '@jupyterlab/apputils';

import { bodyHash } from '../../../request/render';
import { english } from '../../../runs/__tests__/english';
import { Chats } from '../../../session/__tests__/chats';
import { KnownFiles } from '../../../session/knownfiles';
import { until, type Tab } from '../../../session/__tests__/tabs';
import { built, edited, section } from '../../__tests__/requests';
import { checkRecord, readRecord } from '../../model/check';
import { ReplayFiles } from '../replayfiles';

const { openChat } = new Chats();

const replay = built(
  edited([
    section({ role: 'user', content: 'one' }),
    section({ role: 'assistant', content: 'two' })
  ])
);

function filesOf(tab: Tab) {
  const opened: string[] = [];
  const files = new ReplayFiles({
    api: tab.api,
    contents: tab.contents,
    documents: {
      openOrReveal: path => {
        opened.push(path);
        return undefined;
      }
    },
    storage: tab.browser.storage,
    trans: english
  });
  const { chatId } = tab;
  const { path } = tab.context;
  return { files, opened, origin: { chatId, path, name: 'the-chat' } as never };
}

/** Answer the dialog that is open: with its last button, or with its first; returns what it said. */
async function answer(
  choice: 'accept' | 'cancel',
  text?: string,
  isChecked = false
) {
  // The title is drawn a little later.
  await until(() =>
    Boolean(document.querySelector('.jp-Dialog-header')?.textContent)
  );
  const dialog = document.querySelector<HTMLElement>('.jp-Dialog')!;
  const words = dialog.textContent!;
  if (text !== undefined) {
    dialog.querySelector('input')!.value = text;
  }
  if (isChecked) {
    dialog
      .querySelector<HTMLInputElement>('.jp-Dialog-checkbox input')!
      .click();
  }
  const buttons = [
    ...dialog.querySelectorAll<HTMLElement>('.jp-Dialog-button')
  ];
  buttons.at(choice === 'accept' ? -1 : 0)!.click();
  await until(() => !dialog.isConnected);
  return words;
}

const named = (path: string, suffix: string) =>
  path.replace(/\.chat\.ipynb$/, suffix);

describe('ReplayFiles', () => {
  afterEach(() => Notification.dismiss());

  it('writes a fork beside its chat, under a name that is free', async () => {
    const tab = await openChat();
    const { files, origin } = filesOf(tab);
    const first = await files.fork(origin, 'fork-1', replay);
    const second = await files.fork(origin, 'fork-2', replay);
    expect(first).not.toBe(second);
    expect(first).toMatch(/\.chat\.ipynb$/);
    const { content } = await tab.contents.get(second!);
    expect(content.metadata.turnbook.chatId).toBe('fork-2');
    expect(content.cells[0].source).toBe('one');
  });

  it('lets what the user answered for the chat hold for the fork', async () => {
    const tab = await openChat();
    const known = new KnownFiles(tab.browser.storage);
    known.agree(tab.chatId, tab.context.localPath, { models: ['p/m'] });
    const { files, origin } = filesOf(tab);
    const path = await files.fork(origin, 'fork', replay);
    expect(known.agreement('fork', path!).models).toEqual(['p/m']);
  });

  it('says that a fork could not be written, and where', async () => {
    const tab = await openChat();
    const { files, origin } = filesOf(tab);
    const gone = { ...(origin as object), path: 'gone/x.chat.ipynb' } as never;
    const done = files.fork(gone, 'fork', replay);
    const words = await answer('accept');
    expect(await done).toBeNull();
    expect(words).toContain('The chat could not be written');
    expect(words).toContain('Nothing could be written into the folder gone:');
  });

  it('exports a record under the name that the user gives, and opens it', async () => {
    const tab = await openChat();
    const { files, opened, origin } = filesOf(tab);
    const stem = named(tab.context.path, '-record');
    for (const [n, name] of [`${stem}.replay.ipynb`, stem].entries()) {
      const done = files.exportRecord(origin, replay);
      await answer('accept', name);
      await done;
      const path = `${stem}${n ? '-1' : ''}.replay.ipynb`;
      const [{ message, options }] = Notification.manager.notifications;
      expect(message).toBe(`Exported to ${path}`);
      options.actions![0].callback({} as never);
      expect(opened.pop()).toBe(path);
      Notification.dismiss();
      const { content } = await tab.contents.get(path);
      expect(JSON.stringify(content)).toContain(replay.record.digest);
    }
  });

  it('exports nothing if the user gives up', async () => {
    const tab = await openChat();
    const { files, origin } = filesOf(tab);
    const made = tab.net.made.length;
    const done = files.exportRecord(origin, replay);
    expect(await answer('cancel')).toContain('not what was edited out');
    await done;
    expect(tab.net.made.slice(made).join()).not.toMatch(/POST|PUT|PATCH/);
  });

  it('says that a record could not be written', async () => {
    const tab = await openChat();
    const { files, origin } = filesOf(tab);
    const gone = { ...(origin as object), path: 'gone/x.chat.ipynb' } as never;
    const done = files.exportRecord(gone, replay);
    await answer('accept', 'x');
    expect(await answer('accept')).toContain('The record could not be written');
    await done;
    expect(Notification.manager.count).toBe(0);
  });

  describe('with the response', () => {
    const sentAs = (body: string, requestId: string) => {
      const request = edited([section({ role: 'user', content: 'x' })]);
      const hash = bodyHash(body);
      return built({ ...request, body, hash }, { requestId, loggedHash: hash });
    };

    it('writes the bytes that came back', async () => {
      const tab = await openChat();
      await tab.script({
        steps: [{ delta: '<b>ü</b>' }, { finish: 'stop' }, { done: true }]
      });
      const pair = await tab.ask('Hello');
      const { runId } = tab.info(pair)!;
      const body = new TextDecoder().decode(await tab.api.getRequest(runId!));
      const { files, origin } = filesOf(tab);
      const stem = named(tab.context.path, '-record');
      const exported = files.exportRecord(origin, sentAs(body, runId!));
      await answer('accept', stem, true);
      await exported;
      const { content } = await tab.contents.get(`${stem}.replay.ipynb`);
      expect(checkRecord(content).problems).toEqual([]);
      const { response } = readRecord(content)!.record;
      const bytes = await tab.api.getResponseBytes(runId!);
      expect(response).toMatchObject({
        status: 200,
        size: bytes.length,
        body: new TextDecoder().decode(bytes)
      });
      expect(response!.body).toContain('<b>ü</b>');

      // It is asked for, never added by itself.
      const plain = files.exportRecord(origin, sentAs(body, runId!));
      await answer('accept', stem);
      await plain;
      const other = await tab.contents.get(`${stem}-1.replay.ipynb`);
      expect(readRecord(other.content)!.record.response).toBeUndefined();
    });

    it('writes nothing if the journal does not have it', async () => {
      const tab = await openChat();
      const { files, origin } = filesOf(tab);
      const unknown = '00000000-0000-4000-8000-000000000000';
      const made = tab.net.made.length;
      const done = files.exportRecord(
        origin,
        sentAs('{"messages":[]}', unknown)
      );
      await answer('accept', 'x', true);
      const words = await answer('accept');
      await done;
      expect(words).toContain('The response could not be added to the record');
      expect(words).toContain('Nothing was written.');
      expect(tab.net.made.slice(made).join()).not.toMatch(/POST|PUT|PATCH/);
    });

    it('is not offered for a request that was not sent like that', async () => {
      const tab = await openChat();
      const { files, origin } = filesOf(tab);
      const done = files.exportRecord(origin, replay);
      expect(await answer('cancel')).not.toContain('With the response');
      await done;
    });
  });
});
