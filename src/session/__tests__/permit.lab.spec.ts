import { PromiseDelegate, UUID } from '@lumino/coreutils';

import { roundOutput } from '../../document/rounds';
import {
  START_MS,
  startServer,
  type IRealServer
} from '../../runs/__tests__/realserver';
import type { FileAnswer, IFileAsk } from '../fileask';
import { KnownFiles } from '../knownfiles';
import { createChat } from '../newchat';
import { savedPair } from './sessionparts';
import {
  Browser,
  closeTabs,
  savedNotebook,
  Tab,
  until,
  writeFile
} from './tabs';

jest.setTimeout(60_000);

let server: IRealServer;

beforeAll(async () => {
  server = await startServer();
}, START_MS);

afterEach(closeTabs);

afterAll(async () => {
  await server.stop();
});

const CALL = {
  id: 'call-1',
  type: 'function',
  function: { name: 'weather', arguments: '{}' }
};

/** A file as somebody else wrote it. */
async function foreignFile(
  entry: object | null = {},
  cells: unknown[] = []
): Promise<string> {
  const path = `${UUID.uuid4()}.chat.ipynb`;
  const turnbook = {
    format: 1,
    chatId: UUID.uuid4(),
    model: 'scripted/theirs',
    ...entry
  };
  const metadata = entry ? { turnbook } : {};
  const content = { cells, metadata, nbformat: 4, nbformat_minor: 5 };
  await writeFile(server, path, content);
  return path;
}

/** A pair that this file says has several replies, of these models. */
function severalReplies(text: string, models: readonly string[]) {
  const pair = savedPair('several', text, 'Reply 0') as any;
  const group = UUID.uuid4();
  const marks = models.map((model, sibling) => ({ model, group, sibling }));
  const { turnbook_run: run } = pair.metadata;
  pair.metadata.turnbook_run = { ...run, ...marks[0] };
  pair.metadata.turnbook_versions = marks.slice(1).map(mark => {
    const runId = `run-${mark.sibling}`;
    const info = { ...run, ...mark, runId };
    const kept = { source: text, reply: 'Another', requestHash: 'h', at: 10 };
    return { ...kept, ...mark, runId, run: info };
  });
  return pair;
}

/** A user who gives these answers, one after another, and what they were asked. */
function user(...answers: (FileAnswer | Promise<FileAnswer>)[]) {
  const asked: IFileAsk[] = [];
  const ask = async (asks: IFileAsk) => {
    asked.push(asks);
    if (!answers.length) {
      throw new Error(`Asked once too often: ${asks.models.join()}`);
    }
    return answers.shift()!;
  };
  return { ask, asked };
}

/** The requests that the provider got and that say this. */
async function sent(text: string): Promise<any[]> {
  return (await server.requests())
    .map(({ body }) => JSON.parse(body))
    .filter(({ messages }) => JSON.stringify(messages).includes(text));
}

describe('a file from elsewhere', () => {
  it('asks at the first send, not when it is opened, and is remembered over a reload and in other tabs', async () => {
    const text = UUID.uuid4();
    const first = user('use');
    const path = await foreignFile();
    const tab = await Tab.open({ server, path, ask: first.ask });
    expect(first.asked).toEqual([]);
    await tab.ask(text);
    await tab.ask(text);
    expect(first.asked).toMatchObject([
      { models: ['scripted/theirs'], choosesModel: true, options: [] }
    ]);
    expect((await sent(text)).map(({ model }) => model)).toEqual([
      'theirs',
      'theirs'
    ]);
    await until(async () => (await tab.saved(tab.pairs[1])) !== null);
    const again = await tab.reload();
    const third = await again.ask(text);
    await until(async () => (await again.saved(third)) !== null);
    const other = await again.another({ ask: user().ask });
    await other.ask(text);
    expect(await sent(text)).toHaveLength(4);
    expect(first.asked).toHaveLength(1);
  });

  it('sends nothing when the user cancels, and asks again', async () => {
    const text = UUID.uuid4();
    const { ask, asked } = user(null, null);
    const tab = await Tab.open({ server, path: await foreignFile(), ask });
    await tab.write(text).done;
    await tab.session.send();
    expect(asked).toHaveLength(2);
    expect(tab.session.draft.text).toBe(text);
    expect(tab.pairs).toEqual([]);
    expect(tab.session.model).toBe('scripted/theirs');
    expect(await sent(text)).toEqual([]);
  });

  it('is switched to the embedded model and saved, with nothing sent', async () => {
    const text = UUID.uuid4();
    const { ask, asked } = user('local');
    const path = await foreignFile({ options: { temperature: 1 } });
    const tab = await Tab.open({ server, path, ask });
    await tab.write(text).done;
    expect(tab.session.draft.text).toBe(text);
    expect(tab.session.model).toBe(tab.catalog.localModel);
    expect(tab.session.model).toMatch(/^local\/./);
    expect(tab.session.notice).toMatch(/^Nothing was sent/);
    // This server has no embedded model, and nothing goes to another instead.
    await tab.session.send();
    expect(tab.session.draft.text).toBe(text);
    expect(asked).toHaveLength(1);
    expect(await sent(text)).toEqual([]);
    await until(async () => {
      const { metadata } = await savedNotebook(server, path);
      return metadata.turnbook.model === tab.session.model;
    });
    const after = await tab.reload();
    expect(after.session.model).toMatch(/^local\//);
    expect(after.session.about.asks).toBeNull();
  });

  it('asks in whatever way it sends', async () => {
    const text = UUID.uuid4();
    const round = savedPair('calls', 'Weather?', '') as any;
    const message = { role: 'assistant', content: null, tool_calls: [CALL] };
    round.outputs = [
      roundOutput(
        { message, results: [] },
        {
          runId: 'run-calls',
          partial: false
        }
      )
    ];
    const cells = [savedPair('said', 'Before', 'Reply'), round];
    const payload = JSON.stringify({
      messages: [{ role: 'user', content: text }],
      model: 'theirs'
    });
    const { ask, asked } = user(null, null, null, null, null);
    const path = await foreignFile({}, cells);
    const tab = await Tab.open({ server, path, ask });
    const { session } = tab;
    const made = tab.net.made.length;
    await tab.write(text).done;
    await session.resend('said', text);
    expect(session.refused.take('said')).toBe(text);
    await session.continueTurn('calls', 0, new Map([[0, text]]));
    await session.sendPayload(payload);
    // The server knows nothing of the pair, so it would be sent like any other.
    await session.retry('said');
    expect(asked).toHaveLength(5);
    expect(tab.net.made.slice(made)).not.toContain('POST /turnbook/api/runs');
    expect(JSON.stringify(tab.notebook.toJSON())).toContain(text);
    expect(await sent(text)).toEqual([]);
  });

  it('asks about the models of several replies before they are asked for again', async () => {
    const text = UUID.uuid4();
    const theirs = ['scripted/theirs', 'scripted/dearer', 'scripted/theirs'];
    const { ask, asked } = user(null, null, 'use');
    const path = await foreignFile({ model: 'local/theirs' }, [
      severalReplies(text, theirs)
    ]);
    const tab = await Tab.open({ server, path, ask });
    const { session } = tab;
    const made = tab.net.made.length;
    await session.regenerate('several');
    await session.resend('several', `${text} again`);
    expect(session.refused.take('several')).toBe(`${text} again`);
    const models = ['scripted/theirs', 'scripted/dearer'];
    expect(asked).toMatchObject(
      Array(2).fill({ models, choosesModel: true, terms: { models } })
    );
    expect(tab.net.made.slice(made)).not.toContain('POST /turnbook/api/runs');
    expect(await sent(text)).toEqual([]);
    await session.regenerate('several');
    await until(() => !session.busy);
    await session.resend('several', `${text} again`);
    await until(() => !session.busy);
    expect(asked).toHaveLength(3);
    expect((await sent(text)).map(({ model }) => model).sort()).toEqual([
      'dearer',
      'dearer',
      'theirs',
      'theirs',
      'theirs',
      'theirs'
    ]);
  });

  it('asks about them where the file has no metadata of a chat', async () => {
    const text = UUID.uuid4();
    const { ask, asked } = user(null);
    const path = `${UUID.uuid4()}.chat.ipynb`;
    const cells = [
      severalReplies(text, ['scripted/theirs', 'scripted/dearer'])
    ];
    const file = { cells, metadata: {}, nbformat: 4, nbformat_minor: 5 };
    await writeFile(server, path, file);
    const tab = await Tab.open({ server, path, ask });
    await tab.ask('The model is mine');
    expect(asked).toEqual([]);
    await tab.session.regenerate('several');
    expect(asked).toMatchObject([
      { models: ['scripted/theirs', 'scripted/dearer'] }
    ]);
    const bodies = await sent(text);
    expect(bodies.map(({ model }) => model)).toEqual(['scripted']);
  });

  it.each<[string, object | null]>([
    ['a chat', {}],
    ['no chat yet', null]
  ])(
    'sends nothing to the models of several replies once it is kept local: %s',
    async (_, entry) => {
      const text = UUID.uuid4();
      const { ask, asked } = user('local');
      const path = await foreignFile(entry, [
        severalReplies(text, ['scripted/theirs', 'scripted/dearer'])
      ]);
      const tab = await Tab.open({ server, path, ask });
      const { session } = tab;
      await session.regenerate('several');
      expect(asked).toMatchObject([
        { models: ['scripted/theirs', 'scripted/dearer'] }
      ]);
      expect(session.notice).toMatch(
        /^Nothing was sent. This chat uses .?local/
      );
      const made = tab.net.made.length;
      const posted = () =>
        tab.net.made.slice(made).filter(name => /^POST .*\/runs$/.test(name));
      // The embedded model alone is asked; this server has none.
      await session.regenerate('several');
      await session.resend('several', `${text} again`);
      await until(() => !session.busy);
      expect(posted()).toHaveLength(2);
      expect(asked).toHaveLength(1);
      expect(await sent(text)).toEqual([]);
    }
  );

  it('shows what a paused send goes to once it is kept local', async () => {
    const text = UUID.uuid4();
    const { ask, asked } = user('use', 'local');
    const path = await foreignFile({}, [
      severalReplies(text, ['scripted/theirs', 'scripted/dearer'])
    ]);
    const tab = await Tab.open({ server, path, ask });
    const { session } = tab;
    const { pause } = session.modes;
    pause.mode = 'always';
    await session.regenerate('several');
    expect(pause.held?.models).toHaveLength(2);
    // The browser has forgotten what it knew of the file.
    const { items } = tab.browser.storage;
    items.delete(`turnbook:file:${tab.chatId}:${path}`);
    await session.resumeSend();
    expect(asked).toHaveLength(2);
    expect(pause.held).toMatchObject({ pair: 'several', regenerate: true });
    expect(pause.held?.models).toBeUndefined();
    const { model } = JSON.parse(session.review.reviewed!.request.body);
    expect(`local/${model}`).toBe(session.model);
    expect(await sent(text)).toEqual([]);
  });

  it('asks about the models of several replies again when a paused send is resumed', async () => {
    const text = UUID.uuid4();
    const { ask, asked } = user('use', null);
    const path = await foreignFile({ model: 'local/theirs' }, [
      severalReplies(text, ['scripted/theirs', 'scripted/dearer'])
    ]);
    const tab = await Tab.open({ server, path, ask });
    const { pause } = tab.session.modes;
    pause.mode = 'always';
    await tab.session.regenerate('several');
    expect(pause.held?.models).toHaveLength(2);
    // The browser has forgotten what it knew of the file.
    const { items } = tab.browser.storage;
    items.delete(`turnbook:file:${tab.chatId}:${path}`);
    await tab.session.resumeSend();
    expect(asked).toHaveLength(2);
    expect(asked[1].models).toEqual(['scripted/theirs', 'scripted/dearer']);
    expect(pause.held).not.toBeNull();
    expect(await sent(text)).toEqual([]);
  });

  it('does not ask about several models that the user chose, but about its options', async () => {
    const text = UUID.uuid4();
    const { ask, asked } = user('use');
    const options = { seed: 7 };
    const path = await foreignFile({ model: 'local/theirs', options });
    const tab = await Tab.open({ server, path, ask });
    const models = ['scripted/mine', 'scripted/other'];
    const { pair } = tab.session.draft;
    tab.session.draft.text = text;
    await tab.session.send(models);
    await until(() => !tab.session.busy);
    expect(asked).toMatchObject([
      { models, choosesModel: false, options: ['seed'] }
    ]);
    const open = () => tab.api.listRuns({ chat: tab.chatId, open: true });
    await until(async () => (await open()).length === 0);
    const after = await tab.reload();
    await after.session.regenerate(pair);
    await until(() => !after.session.busy);
    expect(asked).toHaveLength(1);
    expect(await sent(text)).toHaveLength(4);
  });

  it('asks when a paused send is resumed, if it asks for something else by then', async () => {
    const text = UUID.uuid4();
    const { ask, asked } = user('use', null, 'use');
    const tab = await Tab.open({ server, path: await foreignFile(), ask });
    const { session } = tab;
    session.modes.pause.mode = 'always';
    await tab.write(text).done;
    expect(session.modes.pause.held).not.toBeNull();
    changeModel(tab, 'scripted/dearer');
    await session.resumeSend();
    expect(session.modes.pause.held).not.toBeNull();
    expect(await sent(text)).toEqual([]);
    await session.resumeSend();
    await tab.settled(tab.pairs[0]);
    expect(asked.flatMap(({ models }) => models)).toEqual([
      'scripted/theirs',
      'scripted/dearer',
      'scripted/dearer'
    ]);
    expect(await sent(text)).toHaveLength(1);
  });

  it('asks about what it says when the user answers, and once at a time', async () => {
    const text = UUID.uuid4();
    const first = new PromiseDelegate<FileAnswer>();
    const { ask, asked } = user(first.promise, null);
    const tab = await Tab.open({ server, path: await foreignFile(), ask });
    const { done } = tab.write(text);
    await until(() => asked.length === 1);
    await tab.session.send();
    await tab.session.resend('nowhere', text);
    expect(asked).toHaveLength(1);
    changeModel(tab, 'scripted/dearer');
    first.resolve('use');
    await done;
    expect(asked[1].models).toEqual(['scripted/dearer']);
    expect(await sent(text)).toEqual([]);
  });

  it('loses nothing when the page goes before the answer', async () => {
    const text = UUID.uuid4();
    const { ask, asked } = user(new Promise(() => undefined));
    const tab = await Tab.open({ server, path: await foreignFile(), ask });
    void tab.write(text);
    await until(() => asked.length === 1);
    tab.session.flush();
    const after = await tab.reload();
    expect(after.session.draft.text).toBe(text);
    expect(after.session.about.asks).not.toBeNull();
    expect(await sent(text)).toEqual([]);
  });

  it('does not ask about a model that the user chose, and about its options then', async () => {
    const text = UUID.uuid4();
    const plain = await foreignFile();
    const tab = await Tab.open({ server, path: plain, ask: user().ask });
    tab.session.model = 'scripted/mine';
    await tab.ask(text);
    expect((await sent(text))[0].model).toBe('mine');
    const options = { temperature: 2, tools: [] };
    const { ask, asked } = user('use');
    const path = await foreignFile({ model: 'local/theirs', options });
    const other = await Tab.open({ server, path, ask });
    expect(other.session.about.asks).toBeNull();
    other.session.model = 'scripted/mine';
    await other.ask(text);
    expect(asked).toMatchObject([
      { choosesModel: false, options: ['temperature', 'tools'] }
    ]);
    expect((await sent(text))[1]).toMatchObject(options);
  });

  it('asks for model and options in one question; options that the user sets do not ask', async () => {
    const text = UUID.uuid4();
    const { ask, asked } = user('use');
    const options = { seed: 7 };
    const path = await foreignFile({ options });
    const tab = await Tab.open({ server, path, ask });
    await tab.ask(text);
    expect(asked).toMatchObject([{ choosesModel: true, options: ['seed'] }]);
    tab.session.about.writeOptions({ options: { seed: 8 } });
    await tab.ask(text);
    expect((await sent(text)).map(({ seed }) => seed)).toEqual([7, 8]);
  });

  it('asks for nothing where the model is the user’s default, before and after it is written down', async () => {
    const text = UUID.uuid4();
    const path = await foreignFile({ model: undefined });
    const tab = await Tab.open({ server, path, ask: user().ask });
    await tab.ask(text);
    await tab.ask(text);
    expect(tab.session.info?.model).toBe('scripted/scripted');
    expect(await sent(text)).toHaveLength(2);
  });

  it.each(['*', '__proto__', '..', '', 'x'.repeat(100_000), 7, null])(
    'is asked about its options where its id is none (%#)',
    async chatId => {
      const text = UUID.uuid4();
      const { ask, asked } = user('use');
      const path = await foreignFile({ chatId, options: { seed: 1 } });
      const tab = await Tab.open({ server, path, ask });
      await tab.ask(text);
      await tab.ask(text);
      expect(asked).toMatchObject([
        // A file that cannot say which chat it is chooses no model either.
        {
          models: ['scripted/scripted'],
          choosesModel: false,
          options: ['seed']
        }
      ]);
      expect(await sent(text)).toHaveLength(2);
      const keys = [...tab.browser.storage.items.keys()];
      const known = keys.filter(key => key.startsWith('turnbook:file:'));
      expect(known).toEqual([`turnbook:file:${tab.chatId}:${path}`]);
    }
  );

  it('asks again as a copy, and follows a rename', async () => {
    const text = UUID.uuid4();
    const path = await foreignFile();
    const tab = await Tab.open({ server, path, ask: user('use').ask });
    await tab.ask(text);
    await until(async () => (await tab.saved(tab.pairs[0])) !== null);
    const copy = `copy-${path}`;
    await writeFile(server, copy, await savedNotebook(server, path));
    const { ask, asked } = user(null);
    const other = await tab.another({ path: copy, ask });
    expect(other.chatId).not.toBe(tab.chatId);
    await other.write(text).done;
    expect(asked).toHaveLength(1);
    await tab.context.rename(`moved-${path}`);
    await tab.ask(text);
    expect(await sent(text)).toHaveLength(2);
  });
});

describe('a file that was made here', () => {
  it('never asks: a new one, one that was a plain notebook, one that was saved under another name', async () => {
    const text = UUID.uuid4();
    const browser = new Browser();
    const { ask } = user();
    const plain = `${UUID.uuid4()}.chat.ipynb`;
    await writeFile(server, plain, {
      cells: [],
      metadata: {},
      nbformat: 4,
      nbformat_minor: 5
    });
    const tab = await Tab.open({ server, path: plain, browser, ask });
    await tab.ask(text);
    changeModel(tab, 'scripted/other');
    await tab.ask(text);
    const made = await createChat(
      tab.contents,
      new KnownFiles(localStorage),
      '',
      'scripted/new'
    );
    const { chatId } = (await tab.contents.get(made)).content.metadata.turnbook;
    const files = new KnownFiles(browser.storage);
    const here = new KnownFiles(window.localStorage);
    expect(here.isMade(chatId, made)).toBe(true);
    files.make(chatId, made);
    const fresh = await tab.another({ path: made });
    await fresh.ask(text);
    // As the chat's factory does when the user saves it under another name.
    const { content } = await tab.contents.get(plain);
    const copy = `as-${plain}`;
    const place = { chatId: tab.chatId, path: plain };
    files.copy(place, { ...place, path: copy });
    await writeFile(server, copy, content);
    const saved = await tab.another({ path: copy });
    expect(saved.chatId).not.toBe(tab.chatId);
    await saved.ask(text);
    expect(files.isMade(tab.chatId, plain)).toBe(true);
    expect(await sent(text)).toHaveLength(4);
  });
});

/** Somebody else writes another model into the document. */
function changeModel(tab: Tab, model: string): void {
  const entry = tab.notebook.getMetadata('turnbook') as any;
  tab.notebook.setMetadata('turnbook', { ...entry, model });
}
