import { Notification } from '@jupyterlab/apputils';

import type { ChatPanel } from '../../../chat/panel';
import { english } from '../../../runs/__tests__/english';
import { Chats } from '../../../session/__tests__/chats';
import type { Tab } from '../../../session/__tests__/tabs';
import { SourceChats } from '../sourcechats';

const { openChat } = new Chats();

/** What JupyterLab would show of a file. */
function panelOf(path: string, tab?: Tab): ChatPanel {
  return {
    id: `panel of ${path}`,
    context: { path },
    session: tab?.session ?? { info: null },
    revealed: Promise.resolve()
  } as unknown as ChatPanel;
}

/** A window with some chats open, and what was done in it. */
function desk(tab: Tab, open: readonly ChatPanel[] = []) {
  const opened: string[] = [];
  const activated: string[] = [];
  const sources = new SourceChats({
    app: {
      serviceManager: { contents: tab.contents },
      shell: { activateById: (id: string) => activated.push(id) }
    } as never,
    tracker: {
      find: (test: (panel: ChatPanel) => boolean) => open.find(test),
      currentWidget: open[0] ?? null
    } as never,
    documents: {
      openOrReveal: path => {
        opened.push(path);
        return panelOf(path) as never;
      }
    },
    trans: english
  });
  return { sources, opened, activated };
}

function said(): string[] {
  const words = Notification.manager.notifications.map(
    ({ message }) => message
  );
  Notification.dismiss();
  return words;
}

describe('SourceChats', () => {
  it('shows the chat of a replay, found by its id and not by its name', async () => {
    const tab = await openChat();
    const { path } = tab.context;
    const { sources, opened, activated } = desk(tab);
    const chat = await sources.ofReplay({
      chatId: tab.chatId,
      path: 'it-was-here.chat.ipynb',
      beside: 'elsewhere/x.replay.ipynb'
    });
    expect(chat?.context.path).toBe(path);
    expect(opened).toEqual([path]);
    expect(activated).toEqual([chat!.id]);
    expect(said()).toEqual([]);
  });

  it('prefers the chat that is open', async () => {
    const tab = await openChat();
    const panel = panelOf('moved/there.chat.ipynb', tab);
    const { sources, opened } = desk(tab, [panel]);
    const place = { chatId: tab.chatId, beside: 'x.replay.ipynb' };
    const { contents } = tab;
    jest
      .spyOn(contents, 'get')
      .mockImplementation(async path => ({ path }) as never);
    await sources.ofReplay(place);
    expect(opened).toEqual(['moved/there.chat.ipynb']);
  });

  it('goes to where a replay’s chat was if no file has its id', async () => {
    const tab = await openChat();
    const { path } = tab.context;
    const { sources, opened } = desk(tab);
    await sources.ofReplay({ chatId: 'another', path, beside: path });
    expect(opened).toEqual([path]);
  });

  it('says that the chat of a replay is gone', async () => {
    const tab = await openChat();
    const { sources, opened } = desk(tab);
    const chat = await sources.ofReplay({
      chatId: 'another',
      path: 'gone.chat.ipynb',
      beside: 'x.replay.ipynb'
    });
    expect(chat).toBeNull();
    expect(opened).toEqual([]);
    expect(said()).toEqual([
      'The chat that this replay comes from no longer exists.'
    ]);
  });

  it('shows the chat that was used last when nothing is known of a replay', async () => {
    const tab = await openChat();
    const last = panelOf('last.chat.ipynb', tab);
    const { sources, activated } = desk(tab, [last]);
    const place = { beside: 'x.replay.ipynb' };
    expect(await sources.ofReplay(place)).toBe(last);
    expect(activated).toEqual([last.id]);
    expect(await desk(tab).sources.ofReplay(place)).toBeNull();
    expect(said()).toEqual([]);
  });

  it('shows the chat of a fork that is in the same folder', async () => {
    const tab = await openChat();
    const fork = await openChat();
    const { sources, opened, activated } = desk(tab);
    const chat = await sources.ofFork(fork as never, tab.chatId);
    expect(opened).toEqual([tab.context.path]);
    expect(activated).toEqual([chat!.id]);
    expect(said()).toEqual([]);
  });

  it('says that the chat of a fork is not there', async () => {
    const fork = await openChat();
    const { sources, opened } = desk(fork);
    expect(await sources.ofFork(fork as never, 'another')).toBeNull();
    expect(opened).toEqual([]);
    expect(said()).toEqual([
      'The chat that this one comes from is neither open nor in this folder.'
    ]);
  });
});
