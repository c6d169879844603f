import { Notification } from '@jupyterlab/apputils';
import { nullTranslator } from '@jupyterlab/translation';
import { Signal } from '@lumino/signaling';

import type { IJournal, IRun } from '../../../base/run';
import { ApiError } from '../../../runs/api';
import type { IChatWatcher } from '../../../runs/listeners';
import { ALL_CHATS } from '../../../runs/polling';
import type { IOpenChats } from '../../openchats';
import type { ITurnbook } from '../../../runs/tokens';
import { journalNoticePlugin } from '../journalnotice';

const WHOLE: IJournal = {
  file: '/j/journal.sqlite',
  networkDisk: null,
  version: 2,
  bytes: 1,
  maxBytes: 0,
  maxAgeDays: 0,
  damaged: [],
  setAside: []
};

function aside(...numbers: number[]) {
  return numbers.map(n => ({
    file: `/j/journal.damaged-${n}.sqlite`,
    bytes: n
  }));
}

/** The plugin, with a server that responds with the current value of `answer`. */
function page(answer: () => IJournal) {
  let watcher: IChatWatcher | null = null;
  let asked = 0;
  const turnbook = {
    api: {
      getJournal: async () => {
        asked++;
        return answer();
      }
    },
    socket: {
      watch: (chat: unknown, one: IChatWatcher) => {
        expect(chat).toBe(ALL_CHATS);
        expect(watcher).toBeNull();
        watcher = one;
      }
    }
  } as unknown as ITurnbook;
  const widgetAdded = new Signal<unknown, unknown>({});
  void journalNoticePlugin.activate(
    {} as any,
    turnbook,
    { widgetAdded } as unknown as IOpenChats,
    nullTranslator
  );
  return {
    openChat: async () => {
      widgetAdded.emit(null);
      await settled();
    },
    connect: async () => {
      watcher!.onRuns([]);
      await settled();
    },
    end: async (code: string | null) => {
      watcher!.onChanged({ end: code && { code } } as unknown as IRun);
      await settled();
    },
    asked: () => asked
  };
}

const settled = () => new Promise(resolve => setTimeout(resolve));
const shown = () =>
  Notification.manager.notifications.map(({ type, message }) => [
    type,
    message
  ]);

beforeEach(() => {
  localStorage.clear();
  Notification.manager.dismiss();
});

it('says nothing about an intact journal, or without a connection', async () => {
  const warn = jest.spyOn(console, 'warn').mockImplementation();
  let answer = () => WHOLE;
  const { openChat } = page(() => answer());
  await openChat();
  answer = () => {
    throw new ApiError(0, 'network', 'No connection.');
  };
  await openChat();
  expect(shown()).toEqual([]);
  expect(warn).toHaveBeenCalledTimes(1);
  warn.mockRestore();
});

it('names the file that was set aside, once for each, until dismissed', async () => {
  let journal: IJournal = { ...WHOLE, setAside: aside(1) };
  const { openChat, connect } = page(() => journal);
  await openChat();
  await openChat();
  expect(shown()).toEqual([
    [
      'warning',
      'Turnbook’s journal was damaged. Everything that could be read was copied to a new journal. ' +
        'The damaged file was kept: /j/journal.damaged-1.sqlite'
    ]
  ]);
  // The server found damage again and was restarted.
  const lost = { id: 'r', chat: 'c', pair: 'p', attempt: 1, why: '', text: '' };
  journal = { ...WHOLE, damaged: [lost], setAside: aside(1, 2) };
  await connect();
  expect(shown()[0][1]).toContain('1 reply could not be read in full.');
  expect(shown()[0][1]).toContain('journal.damaged-2.sqlite');
  const { actions } = Notification.manager.notifications[0].options;
  expect(actions!.map(({ label }) => label)).toEqual(['Don’t Show Again']);
  actions![0].callback(new MouseEvent('click'));
  Notification.manager.dismiss();
  await page(() => journal).openChat();
  expect(shown()).toEqual([]);
  // A reloaded page, before the user has dismissed it.
  localStorage.clear();
  await page(() => journal).openChat();
  expect(shown()).toHaveLength(1);
});

it('shows why the journal cannot be used, when a reply could not be recorded', async () => {
  let answer = () => WHOLE;
  const { openChat, end, asked } = page(() => answer());
  const broken = () => {
    throw new ApiError(503, 'journal', 'It is damaged. Free disk space.');
  };
  await openChat();
  answer = broken;
  await end('network');
  await end(null);
  expect(asked()).toBe(1);
  await end('journal');
  await end('journal');
  expect(shown()).toEqual([['error', 'It is damaged. Free disk space.']]);
  answer = () => WHOLE;
  await end('journal');
  answer = broken;
  await end('journal');
  expect(shown()).toHaveLength(2);
});
