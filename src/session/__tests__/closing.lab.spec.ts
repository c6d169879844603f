import { PromiseDelegate, type PartialJSONObject } from '@lumino/coreutils';

import { MemoryStorage } from '../../../faults/client/storage';
import { roundOutput } from '../../document/rounds';
import type { ChatSession } from '../session';
import { CALL } from './chats';
import { opened } from './opened';
import { savedPair, sessionParts, settle } from './sessionparts';

const CALLED = {
  ...savedPair('called', 'Weather?', ''),
  outputs: [
    roundOutput({
      message: { role: 'assistant', tool_calls: [CALL] },
      results: []
    })
  ]
} as unknown as PartialJSONObject;
const CELLS = [savedPair('a', 'one', 'two'), CALLED];

type Chat = Awaited<ReturnType<typeof opened>>;

/** Close a chat, as its panel and JupyterLab do. */
function close({ context, session }: Pick<Chat, 'context' | 'session'>): void {
  session.dispose();
  context.model.dispose();
}

/** A chat that asks before it sends, its user's answer, and what the browser keeps. */
async function asking(mayAnswer = true) {
  const storage = new MemoryStorage();
  const answer = new PromiseDelegate<boolean>();
  const asked = new PromiseDelegate<void>();
  const confirm = () => {
    asked.resolve();
    return answer.promise;
  };
  const options = mayAnswer ? { storage, confirm } : { storage };
  const chat = await opened(CELLS, options);
  const ids = () => chat.notebook.cells.map(cell => cell.getId());
  return { answer, asked, chat, ids, storage };
}

/** What is in the composer when the chat is opened again. */
async function written(storage: MemoryStorage): Promise<string> {
  const { session } = await opened(CELLS, { storage });
  const { text } = session.draft;
  session.dispose();
  return text;
}

describe('a chat that is closed before its message is in it', () => {
  it('sends nothing, and has the message in its composer when it is opened again: the models were not known', async () => {
    const storage = new MemoryStorage();
    const chat = sessionParts(CELLS, { storage });
    const session = chat.open();
    chat.readDocument();
    chat.readSettings();
    await session.ready;
    // The user was asked about this file before.
    session.about.agree(session.about.asks!.terms);
    session.draft.text = 'Still written';
    const done = session.send();
    await settle();
    close({ ...chat, session } as Chat);
    chat.listModels();
    await done;
    expect(chat.posted).toEqual([]);
    expect(chat.notebook.cells).toHaveLength(2);
    expect(await written(storage)).toBe('Still written');
  });

  it.each<[string, (session: ChatSession) => Promise<void>, string]>([
    ['a new message', session => session.send(), 'Still written'],
    [
      'an edited text',
      session => session.resend('a', 'uno'),
      'uno\n\nStill written'
    ],
    [
      'an unedited text',
      session => session.resend('a', 'one'),
      'Still written'
    ],
    ['a reply', session => session.regenerate('a'), 'Still written']
  ])(
    'sends nothing, whatever the user says to the question then: %s',
    async (_, send, text) => {
      const { answer, asked, chat, ids, storage } = await asking();
      const before = ids();
      chat.session.draft.text = 'Still written';
      const done = send(chat.session);
      await asked.promise;
      close(chat);
      answer.resolve(true);
      await done;
      expect(chat.posted).toEqual([]);
      expect(ids()).toEqual(before);
      expect(await written(storage)).toBe(text);
    }
  );

  it('has the results that its user wrote for a tool', async () => {
    const { answer, asked, chat } = await asking();
    const said = () => JSON.stringify(chat.notebook.toJSON().cells);
    const results = new Map([[0, 'sun']]);
    const done = chat.session.continueTurn('called', 0, results);
    expect(said()).toContain('sun');
    await asked.promise;
    const before = said();
    close(chat);
    answer.resolve(true);
    await done;
    expect(chat.posted).toEqual([]);
    expect(said()).toBe(before);
  });

  it.each<[string, 'question' | 'journal']>([
    ['while the user is asked', 'question'],
    ['while the journal is read', 'journal']
  ])('leaves what is paused as it is: %s', async (_, at) => {
    const { answer, asked, chat } = await asking(at === 'question');
    const { pause } = chat.session.modes;
    pause.mode = 'always';
    await chat.session.continueTurn('called', 0, new Map([[0, 'sun']]));
    const { held } = pause;
    expect(held).toMatchObject({ pair: 'called', round: 0 });
    if (at === 'journal') {
      chat.api.getRequest = () => {
        asked.resolve();
        return answer.promise.then(() => null);
      };
    }
    const done = chat.session.resumeSend();
    await asked.promise;
    close(chat);
    answer.resolve(true);
    await done;
    expect(chat.posted).toEqual([]);
    expect(pause.held).toEqual(held);
  });
});

describe('a chat that is closed while its message is posted', () => {
  it('leaves the run to whoever opens it next', async () => {
    const { chat, ids, storage } = await asking(false);
    const { createRun } = chat.api;
    const gate = new PromiseDelegate<void>();
    const reached = new PromiseDelegate<void>();
    chat.api.createRun = async (run: never) => {
      reached.resolve();
      await gate.promise;
      return { ...(await createRun(run)), state: 'streaming' };
    };
    chat.api.dropRun = jest.fn();
    chat.session.draft.text = 'Under way';
    const { pair } = chat.session.draft;
    const done = chat.session.send();
    await reached.promise;
    close(chat);
    gate.resolve();
    await done;
    expect(chat.posted).toMatchObject([{ pair }]);
    expect(ids()).toContain(pair);
    expect(chat.api.dropRun).not.toHaveBeenCalled();
    expect(chat.parts.runs.inProgress).toEqual([]);
    expect(await written(storage)).toBe('');
    expect(chat.parts.outbox.all).toEqual([]);
  });
});
