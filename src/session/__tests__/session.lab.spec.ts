import {
  PromiseDelegate,
  UUID,
  type PartialJSONObject
} from '@lumino/coreutils';

import { findPair } from '../../document/landing';
import { versionsOf } from '../../document/versions';
import { startServer, type IRealServer } from '../../runs/__tests__/realserver';
import { KnownFiles } from '../knownfiles';
import { createChat } from '../newchat';
import {
  Browser,
  catchTimers,
  closeTabs,
  newChat,
  POST_RUN,
  savedCells,
  Tab,
  until,
  writeFile
} from './tabs';

jest.setTimeout(60_000);

let server: IRealServer;

beforeAll(async () => {
  server = await startServer();
});

afterEach(() => {
  jest.restoreAllMocks();
  closeTabs();
});

afterAll(async () => {
  await server.stop();
});

async function openChat(options: Partial<Tab.IOptions> = {}): Promise<Tab> {
  return Tab.open({ server, path: await newChat(server), ...options });
}

/** The bodies that the provider got and that say this. */
async function sent(text: string): Promise<any[]> {
  return (await server.requests())
    .map(({ body }) => JSON.parse(body))
    .filter(({ messages }) => JSON.stringify(messages).includes(text));
}

/** A file without a word of chats. */
async function plainFile(): Promise<string> {
  const path = `${UUID.uuid4()}.chat.ipynb`;
  await writeFile(server, path, {
    cells: [],
    metadata: {},
    nbformat: 4,
    nbformat_minor: 5
  });
  return path;
}

/** Let the clock say that some minutes have passed. */
function later(minutes: number): void {
  const now = Date.now() + minutes * 60_000;
  jest.spyOn(Date, 'now').mockReturnValue(now);
}

const STALLED = { steps: [{ delta: 'Once ' }, { stall: true }] };
const CALL = {
  index: 0,
  id: 'call-1',
  type: 'function',
  function: { name: 'weather', arguments: '{}' }
};
const CALLS = {
  steps: [{ tool_calls: [CALL] }, { finish: 'tool_calls' }, { done: true }]
};
const ANSWERED = {
  steps: [{ delta: 'Sunny.' }, { finish: 'stop' }, { done: true }]
};

describe('a message', () => {
  it('is in the document before the server hears of it; its reply lands, is saved and reported', async () => {
    const tab = await openChat();
    const gate = tab.net.stop(POST_RUN);
    const { pair, done } = tab.write('Hello there');
    const posted = await (await gate.reached).json();
    expect(tab.info(pair)).toMatchObject({
      state: 'sending',
      attempt: 1,
      runId: posted.id
    });
    expect(posted).toMatchObject({ pair, chat: tab.chatId, resend: false });
    expect(tab.session.draft.text).toBe('');
    expect(tab.session.posting).toBe(pair);
    expect(tab.session.obstacle).toMatch(/still under way/);
    // It is in no journal yet, so that nothing is said of it from there.
    expect(tab.session.journal(pair).read).toBe(false);
    gate.open();
    await done;
    expect(tab.session.posting).toBeNull();
    await tab.settled(pair);
    expect(tab.info(pair)?.state).toBe('succeeded');
    await until(async () => (await tab.saved(pair)) === tab.reply(pair));
    const open = () => tab.api.listRuns({ chat: tab.chatId, open: true });
    await until(async () => (await open()).length === 0);
    expect(await sent('Hello there')).toHaveLength(1);
  });

  it('comes back when it is refused, before what was written since', async () => {
    const tab = await openChat();
    tab.session.model = 'nobody/none';
    const gate = tab.net.stop(POST_RUN);
    const { pair, done } = tab.write('Not lost');
    await gate.reached;
    tab.session.draft.text = 'next';
    gate.open();
    await done;
    expect(tab.pairs).toEqual([]);
    expect(tab.session.draft).toMatchObject({ pair, text: 'Not lost\n\nnext' });
    expect(tab.session.notice).toMatch(/^Nothing was sent: .*nobody/);
    expect(tab.session.busy).toBeNull();
  });

  it('is asked for again under the same id when the answer is lost, and sent once', async () => {
    const tab = await openChat();
    const gate = tab.net.stop(POST_RUN, 'answer');
    const { pair, done } = tab.write('Only once please');
    await gate.reached;
    gate.fail();
    await done;
    await tab.settled(pair);
    expect(tab.info(pair)).toMatchObject({ state: 'succeeded', attempt: 1 });
    expect(tab.net.made.filter(name => POST_RUN.test(name))).toHaveLength(2);
    expect(await sent('Only once please')).toHaveLength(1);
    expect(tab.session.notice).toBeNull();
  });

  it('is taken back by Stop while the server does not answer', async () => {
    const tab = await openChat();
    tab.net.broken = /POST/;
    const { pair, done } = tab.write('Never mind');
    await until(() => !!tab.session.notice);
    expect(tab.session.notice).toMatch(/does not answer/);
    await tab.session.stop();
    await done;
    expect(tab.pairs).toEqual([]);
    expect(tab.session.draft).toMatchObject({ pair, text: 'Never mind' });
    expect(await sent('Never mind')).toEqual([]);
  });

  it('does not leave while the server has not said which chat the file is', async () => {
    const tab = await openChat();
    tab.net.broken = /^PUT .*chats/;
    const { entry, info } = tab.session;
    await expect(entry.open(info!)).rejects.toThrow();
    const { pair, done } = tab.write('Whose is it?');
    await done;
    expect(tab.session.notice).toMatch(/does not know this file yet/);
    expect(tab.pairs).toEqual([]);
    expect(tab.session.draft).toMatchObject({ pair, text: 'Whose is it?' });
    expect(await sent('Whose is it?')).toEqual([]);

    tab.net.broken = null;
    await until(() => entry.chatId !== null);
    await tab.ask('And now?');
    expect(await sent('And now?')).toHaveLength(1);
  });

  it('is stopped at once when Stop came before the server answered', async () => {
    const tab = await openChat();
    await tab.script(STALLED);
    const gate = tab.net.stop(POST_RUN);
    const { pair, done } = tab.write('Stop me');
    await gate.reached;
    await tab.session.stop();
    gate.open();
    await done;
    await tab.settled(pair);
    expect(tab.info(pair)?.state).toBe('canceled');
    expect(tab.net.made.filter(name => /^DELETE/.test(name))).toHaveLength(1);
    // The next one is not stopped with it.
    tab.session.model = 'scripted/another';
    const next = await tab.ask('And now?');
    expect(tab.info(next)?.state).toBe('succeeded');
  });

  it('waits while another one is under way, and an empty one is none', async () => {
    const tab = await openChat();
    await tab.write('  \n ').done;
    expect(tab.pairs).toEqual([]);
    await tab.script(STALLED);
    const first = tab.write('First');
    await first.done;
    await tab.shows(first.pair, 'Once ');
    await tab.write('Second').done;
    expect(tab.pairs).toEqual([first.pair]);
    expect(tab.session.draft.text).toBe('Second');
    await tab.session.stop();
    await tab.settled(first.pair);
    expect(tab.info(first.pair)?.state).toBe('canceled');
    expect(tab.reply(first.pair)).toBe('Once ');
  });

  it('becomes a pair of its own when another tab has sent under its id', async () => {
    const one = await openChat();
    one.session.draft.text = 'from one';
    one.session.draft.flush();
    const two = await one.another();
    expect(two.session.draft.pair).toBe(one.session.draft.pair);
    const first = await one.ask('from one');
    await until(() => two.reply(first) !== null);
    two.session.draft.text = 'from two';
    await two.session.send();
    expect(two.pairs).toHaveLength(2);
    await two.settled(two.pairs[1]);
    expect(two.reply(two.pairs[1])).toContain('from two');
  });

  it('takes what was seen with it: a reply that has ended lands first', async () => {
    const tab = await openChat();
    const first = await tab.ask('What is up?');
    const text = tab.reply(first)!;
    await tab.ask('And then?');
    const [body] = await sent('And then?');
    expect(body.messages).toEqual([
      { role: 'user', content: 'What is up?' },
      { role: 'assistant', content: text },
      { role: 'user', content: 'And then?' }
    ]);
  });

  it('needs a model', async () => {
    const tab = await openChat();
    tab.session.model = 'scripted/';
    await tab.write('To nobody').done;
    expect(tab.pairs).toEqual([]);
    expect(tab.session.notice).toMatch(/Choose a model/);
    expect(tab.session.draft.text).toBe('To nobody');
  });

  it('is put back when the file is read again on its way', async () => {
    const tab = await openChat();
    const gate = tab.net.stop(POST_RUN);
    const { pair, done } = tab.write('Still here');
    await gate.reached;
    await tab.file.read();
    expect(tab.pairs).toEqual([pair]);
    gate.open();
    await done;
    await tab.settled(pair);
    await until(async () => (await tab.saved(pair)) !== null);
  });
});

describe('a pair that is sent again', () => {
  it('is the next attempt, with what it said before as a version', async () => {
    const tab = await openChat();
    const pair = await tab.ask('First words');
    const before = tab.info(pair)!;
    const gate = tab.net.stop(POST_RUN);
    const done = tab.session.resend(pair, 'Other words');
    const posted = await (await gate.reached).json();
    expect(tab.info(pair)).toMatchObject({
      state: 'sending',
      attempt: 2,
      createdAt: before.createdAt
    });
    expect(posted).toMatchObject({ pair, resend: true });
    expect(posted.cell.metadata.turnbook_run.attempt).toBe(2);
    gate.open();
    await done;
    await tab.settled(pair);
    expect(tab.info(pair)).toMatchObject({ state: 'succeeded', attempt: 2 });
    expect(tab.reply(pair)).toContain('Other words');
    expect(
      versionsOf(findPair(tab.notebook, pair)!).map(({ source }) => source)
    ).toEqual(['First words']);
    expect((await sent('Other words'))[0].messages).toHaveLength(1);
  });

  it('is as it was when it is refused, and the new text is kept', async () => {
    const tab = await openChat();
    const pair = await tab.ask('Said before');
    const reply = tab.reply(pair);
    tab.session.model = 'nobody/none';
    await tab.session.resend(pair, 'Said after');
    expect(tab.session.notice).toMatch(/^Nothing was sent/);
    expect(findPair(tab.notebook, pair)!.getSource()).toBe('Said before');
    expect(tab.reply(pair)).toBe(reply);
    expect(tab.info(pair)?.state).toBe('succeeded');
    expect(tab.session.takeRefused('another')).toBeNull();
    expect(tab.session.takeRefused(pair)).toBe('Said after');
    expect(tab.session.takeRefused(pair)).toBeNull();
  });

  it('keeps its text while a reply is under way', async () => {
    const tab = await openChat();
    const pair = await tab.ask('Settled');
    await tab.script(STALLED);
    const busy = tab.write('Busy');
    await busy.done;
    await tab.session.resend(pair, 'Too early');
    expect(tab.session.notice).toMatch(/still under way/);
    expect(tab.session.takeRefused(pair)).toBe('Too early');
    expect(await sent('Too early')).toEqual([]);
    await tab.session.stop();
    await tab.settled(busy.pair);
  });

  it('goes on from its tool calls as the next attempt, with the results', async () => {
    const tab = await openChat();
    await tab.script(CALLS, ANSWERED);
    const pair = await tab.ask('Weather?');
    const results = new Map([[0, 'sun']]);
    const gate = tab.net.stop(POST_RUN);
    const done = tab.session.continueTurn(pair, 0, results);
    await gate.reached;
    expect(tab.info(pair)).toMatchObject({ state: 'sending', attempt: 2 });
    gate.open();
    await done;
    await tab.settled(pair);
    expect(tab.info(pair)).toMatchObject({ state: 'succeeded', attempt: 2 });
    expect(tab.reply(pair)).toBe('Sunny.');
    const bodies = await sent('Weather?');
    expect(bodies[1].messages.slice(-1)[0]).toMatchObject({
      role: 'tool',
      content: 'sun'
    });
  });

  it('is tried again with the same bytes when the server knows it', async () => {
    const tab = await openChat({ settings: { autoRetry: false } });
    await tab.script({ status: 500, steps: [{ body: { error: {} } }] });
    const pair = await tab.ask('Try me twice');
    expect(tab.info(pair)?.state).toBe('error');
    await tab.session.retry(pair);
    await tab.settled(pair);
    expect(tab.info(pair)).toMatchObject({ state: 'succeeded', attempt: 2 });
    const bodies = await sent('Try me twice');
    expect(bodies).toHaveLength(2);
    expect(bodies[1]).toEqual(bodies[0]);
  });

  it('waits for the server to try again, until that is stopped', async () => {
    const tab = await openChat();
    await tab.script({
      status: 429,
      headers: { 'Retry-After': '600' },
      steps: [{ body: { error: { message: 'slow down' } } }]
    });
    const pair = await tab.ask('Later');
    await until(() => tab.session.waiting?.pair === pair);
    expect(tab.session.busy).toBeNull();
    await tab.session.stop();
    expect(tab.session.waiting).toBeNull();
    const { turn } = await tab.api.getTurn(tab.chatId, pair);
    expect(turn.auto).toBe(false);
  });
});

describe('a deleted pair', () => {
  it('on its way to the server is dropped there, and its text does not come back', async () => {
    const tab = await openChat();
    await tab.script(STALLED);
    const gate = tab.net.stop(POST_RUN);
    const { pair, done } = tab.write('Delete me');
    const { id } = await (await gate.reached).json();
    await tab.session.deletePair(pair);
    gate.open();
    await done;
    expect(tab.pairs).toEqual([]);
    expect(tab.session.draft.text).toBe('');
    const { run } = await tab.api.getRun(id);
    expect(run).toMatchObject({ state: 'stopped', dropped: true });
  });

  it('is stopped and dropped, and comes back with its reply when that is undone', async () => {
    const tab = await openChat();
    await tab.script(STALLED);
    const { pair, done } = tab.write('Think again');
    await done;
    await tab.shows(pair, 'Once ');
    const { id } = tab.session.busy!;
    await tab.session.deletePair(pair);
    expect(tab.session.busy).toBeNull();
    expect((await tab.api.getRun(id)).run).toMatchObject({
      state: 'stopped',
      dropped: true
    });
    tab.notebook.undo();
    await until(() => tab.reply(pair) === 'Once ');
    expect(tab.info(pair)?.state).toBe('canceled');
    expect((await tab.api.getRun(id)).run.dropped).toBe(false);
  });

  it('can be recovered from the journal', async () => {
    const tab = await openChat();
    const pair = await tab.ask('Bring me back');
    const reply = tab.reply(pair);
    const { runId } = tab.info(pair)!;
    await tab.session.deletePair(pair);
    const { run } = await tab.api.getRun(runId);
    await tab.session.recover(run);
    await until(() => tab.reply(pair) === reply);
    expect((await tab.api.getRun(runId)).run.dropped).toBe(false);
  });
});

describe('Pause & review and Auto-apply', () => {
  /** A chat whose system cell is changed by a rule. */
  async function withRule(): Promise<Tab> {
    const tab = await openChat();
    tab.notebook.insertCell(0, { cell_type: 'raw', source: 'Be brief.' });
    tab.session.rules.on = true;
    tab.session.draft.text = 'Edit this';
    await until(() => tab.session.requests.live.request.sections.length === 2);
    const draft = tab.session.requests.live;
    const [system] = draft.request.sections;
    draft.setLeaf(system.id, ['content'], 'Be kind.');
    tab.session.rules.keep(draft.request.sections[0], draft.base);
    await tab.ask('Edit this');
    return tab;
  }

  it('changes later requests, but not while the request cannot be seen', async () => {
    const tab = await withRule();
    await tab.ask('Seen, so edited');
    expect((await sent('Seen, so edited'))[0].messages[0].content).toBe(
      'Be kind.'
    );
    tab.settings.set({ 'requestEditor.enabled': false });
    await tab.ask('Hidden, so plain');
    expect((await sent('Hidden, so plain'))[0].messages[0].content).toBe(
      'Be brief.'
    );
    tab.settings.set({ 'requestEditor.enabled': true });
    await tab.ask('Seen again');
    expect((await sent('Seen again'))[0].messages[0].content).toBe('Be kind.');
  });

  it('leaves rules that came with a file alone when only the setting is on', async () => {
    const maker = await withRule();
    const made = JSON.stringify(maker.context.model.toJSON());
    const settings = { autoApply: true };
    /** The same rule in a file of its own. */
    const file = async () => {
      const [path, chatId] = [`${UUID.uuid4()}.chat.ipynb`, UUID.uuid4()];
      const content = JSON.parse(made.split(maker.chatId).join(chatId));
      content.metadata.turnbook.model = `scripted/${chatId}`;
      content.cells = content.cells.slice(0, 1);
      await writeFile(server, path, content);
      return { path, chatId };
    };
    const system = async (text: string) =>
      (await sent(text))[0].messages[0].content;
    const { path } = await file();
    const tab = await Tab.open({ server, path, settings });
    expect(tab.session.rules.list).toMatchObject([{ on: false }]);
    await tab.ask('By a file from elsewhere');
    expect(await system('By a file from elsewhere')).toBe('Be brief.');
    tab.session.rules.on = true;
    await tab.ask('By my own choice');
    expect(await system('By my own choice')).toBe('Be kind.');
    // The browser that made the file, wherever that goes while it is open.
    const own = await file();
    const browser = new Browser();
    const known = new KnownFiles(browser.storage);
    known.make(own.chatId, own.path);
    const mine = await Tab.open({ server, path: own.path, settings, browser });
    await mine.context.rename(`moved-${own.path}`);
    expect(known.isMade(own.chatId, `moved-${own.path}`)).toBe(true);
    await mine.ask('In a file of mine');
    expect(await system('In a file of mine')).toBe('Be kind.');
  });

  it('takes a file for made here that became a chat here, unless it came with something', async () => {
    const path = await plainFile();
    const tab = await Tab.open({ server, path });
    await tab.ask('My first');
    const { storage } = tab.browser;
    expect(new KnownFiles(storage).isMade(tab.chatId, path)).toBe(true);
    const other = `${UUID.uuid4()}.chat.ipynb`;
    await writeFile(server, other, {
      cells: [],
      metadata: { turnbook: { autoApply: { rules: [] } } },
      nbformat: 4,
      nbformat_minor: 5
    });
    const foreign = await Tab.open({ server, path: other });
    await foreign.ask('Not mine');
    const known = new KnownFiles(foreign.browser.storage);
    expect(known.isMade(foreign.chatId, other)).toBe(false);
    const made = await createChat(
      tab.contents,
      new KnownFiles(localStorage),
      ''
    );
    const { content } = await tab.contents.get(made);
    const { chatId } = content.metadata.turnbook;
    const here = new KnownFiles(window.localStorage);
    expect(here.isMade(chatId, made)).toBe(true);
  });

  it('holds a message until it is resumed, over a reload too', async () => {
    const first = await openChat();
    first.session.pause.mode = 'always';
    await first.write('Wait for me').done;
    expect(first.session.pause.held).toMatchObject({ text: 'Wait for me' });
    expect(first.pairs).toEqual([]);
    const tab = await first.reload();
    expect(tab.session.pause.held).toMatchObject({ text: 'Wait for me' });
    expect(await sent('Wait for me')).toEqual([]);
    await tab.session.resumeSend();
    await tab.settled(tab.pairs[0]);
    expect(await sent('Wait for me')).toHaveLength(1);
  });

  it('holds nothing while the request cannot be seen', async () => {
    const tab = await openChat({
      settings: { 'requestEditor.enabled': false }
    });
    tab.session.pause.mode = 'always';
    const pair = await tab.ask('No review');
    expect(tab.session.pause.held).toBeNull();
    expect(tab.reply(pair)).toContain('No review');
  });

  it('shows no other request while the held one is being made', async () => {
    const tab = await openChat();
    await tab.script(CALLS, ANSWERED);
    const pair = await tab.ask('Which weather?');
    tab.session.pause.mode = 'always';
    const gate = tab.net.stop(/^GET .*\/request$/);
    const done = tab.session.continueTurn(pair, 0, new Map([[0, 'sun']]));
    await gate.reached;
    expect(tab.session.pause.held).toMatchObject({ pair, round: 0 });
    expect(tab.session.reviewed).toBeNull();
    gate.open();
    await done;
    expect(tab.session.reviewed?.base.pair).toBe(pair);
    await tab.session.resumeSend();
    await tab.settled(pair);
    expect(tab.reply(pair)).toBe('Sunny.');
    expect(tab.session.reviewed).toBe(tab.session.requests.live);
  });

  it('holds by the setting for all chats, wherever a file says it comes from', async () => {
    const tab = await openChat({ settings: { pauseAndReview: true } });
    const entry = tab.notebook.getMetadata('turnbook') as PartialJSONObject;
    tab.notebook.setMetadata('turnbook', {
      ...entry,
      lineage: { replay_parent_session_id: 'x', replay_parent_turn_id: 'y' }
    });
    await tab.context.save();
    const fork = await tab.reload();
    expect(fork.session.info?.lineage?.replay_parent_session_id).toBe('x');
    expect(fork.session.pause).toMatchObject({
      mode: 'always',
      isChosen: false
    });
    await fork.write('Look at me first').done;
    expect(fork.session.pause.held).toMatchObject({ text: 'Look at me first' });
    expect(await sent('Look at me first')).toEqual([]);
  });

  it('takes a held message back', async () => {
    const tab = await openChat();
    const pair = await tab.ask('As it was');
    tab.session.pause.mode = 'always';
    await tab.session.resend(pair, 'As it may be');
    expect(tab.session.pause.held).toMatchObject({ pair, resend: true });
    // Another one has to wait for the user, and loses nothing.
    await tab.session.resend(pair, 'Another');
    expect(tab.session.notice).toMatch(/A send is paused/);
    expect(tab.session.takeRefused(pair)).toBe('Another');
    await tab.session.cancelSend();
    expect(tab.session.pause.held).toBeNull();
    expect(tab.session.takeRefused(pair)).toBe('As it may be');
    expect(findPair(tab.notebook, pair)!.getSource()).toBe('As it was');
    expect(await sent('As it may be')).toEqual([]);
  });

  /** The bytes of a request that says this. */
  const payload = (content: string) =>
    `{"messages": [{"role": "user", "content": "${content}"}], "model": "echo"}`;

  it('holds the bytes of a payload until they are resumed, over a reload too', async () => {
    const first = await openChat({ settings: { pauseAndReview: true } });
    const marks = { trimmed: { pairs: 3, tokens: 40 } };
    const told: unknown[] = [];
    first.session.held.connect((_, held) => told.push(held));
    await first.session.sendPayload(payload('Held bytes'), marks);
    expect(told).toHaveLength(1);
    expect(first.session.pause.held?.payload?.body).toBe(payload('Held bytes'));
    expect(first.session.reviewed?.request.body).toBe(payload('Held bytes'));
    expect(first.pairs).toEqual([]);
    // Another one has to wait for the user.
    await first.session.sendPayload(payload('Too early'));
    expect(first.session.notice).toMatch(/A send is paused/);
    const tab = await first.reload();
    expect(tab.session.reviewed?.request.body).toBe(payload('Held bytes'));
    // What the cells say does not change the bytes.
    tab.session.draft.text = 'Meanwhile';
    expect(await sent('Held bytes')).toEqual([]);
    await tab.session.resumeSend();
    await tab.settled(tab.pairs[0]);
    const bodies = (await server.requests()).map(({ body }) => body);
    expect(bodies).toContain(payload('Held bytes'));
    expect(await sent('Too early')).toEqual([]);
    expect(tab.info(tab.pairs[0])).toMatchObject(marks);
    expect(tab.session.draft.text).toBe('Meanwhile');
    expect(tab.session.pause.held).toBeNull();
  });

  it('sends a held payload as it was edited, and says so', async () => {
    const tab = await openChat();
    tab.session.pause.next();
    await tab.session.sendPayload(payload('Edit these bytes'));
    const draft = tab.session.reviewed!;
    draft.setLeaf(draft.request.sections[0].id, ['content'], 'Edited bytes');
    await tab.session.resumeSend();
    await tab.settled(tab.pairs[0]);
    expect(await sent('Edited bytes')).toHaveLength(1);
    expect(await sent('Edit these bytes')).toEqual([]);
    expect(tab.info(tab.pairs[0])?.edited?.sections).toBe(1);
  });

  it('takes a held payload back; its pair is as it was', async () => {
    const tab = await openChat();
    const waiting = UUID.uuid4();
    tab.notebook.insertCell(0, {
      cell_type: 'code',
      id: waiting,
      source: 'Take me back'
    });
    tab.session.pause.mode = 'always';
    await tab.session.sendPayload(payload('Take me back'));
    expect(tab.session.pause.held).toMatchObject({ pair: waiting });
    const told: unknown[] = [];
    tab.session.canceled.connect((_, held) => told.push(held));
    await tab.session.cancelSend();
    expect(told).toHaveLength(1);
    expect(tab.session.pause.held).toBeNull();
    expect(tab.session.reviewed).toBe(tab.session.requests.live);
    expect(tab.session.takeRefused(waiting)).toBeNull();
    expect(findPair(tab.notebook, waiting)!.getSource()).toBe('Take me back');
    expect(tab.info(waiting)).toBeNull();
    expect(await sent('Take me back')).toEqual([]);
    // It can be sent again, by the same gate, as long as its pair has no reply.
    const cell = findPair(tab.notebook, waiting)!;
    await tab.session.sendPayload(payload('Take me back'));
    cell.setOutputs([{ output_type: 'stream', name: 'stdout', text: 'Mine' }]);
    await tab.session.resumeSend();
    expect(tab.session.notice).toMatch(/has a reply by now/);
    expect(tab.info(waiting)).toBeNull();
    expect(await sent('Take me back')).toEqual([]);
    cell.setOutputs([]);
    await tab.session.sendPayload(payload('Take me back'));
    await tab.session.resumeSend();
    await tab.settled(waiting);
    expect(await sent('Take me back')).toHaveLength(1);
  });
});

describe('a send that another tab is faster than', () => {
  /** Ask the user, and let another tab begin a reply before the user says yes. */
  async function overtaken(
    tab: Tab,
    asked: { answer: PromiseDelegate<boolean> }
  ) {
    const browser = new Browser();
    const other = await tab.another({ browser, confirm: undefined });
    await other.script(STALLED);
    await other.write('Faster').done;
    await until(() => tab.session.busy !== null);
    asked.answer.resolve(true);
    return other;
  }

  /** A chat in which the user is asked at each send. */
  async function asking() {
    const asked = { answer: new PromiseDelegate<boolean>(), times: 0 };
    const confirm = () => {
      asked.times++;
      return asked.answer.promise;
    };
    const tab = await openChat({ confirm });
    return { tab, asked };
  }

  it('keeps an edited text, and says why it was not sent', async () => {
    const { tab, asked } = await asking();
    asked.answer.resolve(true);
    const pair = await tab.ask('Ask first');
    await until(() => !tab.context.model.dirty);
    asked.answer = new PromiseDelegate();
    const done = tab.session.resend(pair, 'Not lost');
    await until(() => asked.times === 2);
    await overtaken(tab, asked);
    await done;
    expect(tab.session.notice).toMatch(/still under way/);
    expect(tab.session.takeRefused(pair)).toBe('Not lost');
    expect(await sent('Not lost')).toEqual([]);
  });

  it('says so of a payload', async () => {
    const { tab, asked } = await asking();
    const done = tab.session.sendPayload(
      '{"messages": [{"role": "user", "content": "Late bytes"}], "model": "echo"}'
    );
    await until(() => asked.times === 1);
    await overtaken(tab, asked);
    await done;
    expect(tab.session.notice).toMatch(/still under way/);
    expect(await sent('Late bytes')).toEqual([]);
  });

  it('waits on when it was held and resumed', async () => {
    const { tab, asked } = await asking();
    tab.session.pause.mode = 'always';
    await tab.session.sendPayload(
      '{"messages": [{"role": "user", "content": "Held on"}], "model": "echo"}'
    );
    const done = tab.session.resumeSend();
    await until(() => asked.times === 1);
    const other = await overtaken(tab, asked);
    await done;
    expect(tab.session.notice).toMatch(/still under way/);
    expect(tab.session.pause.held?.payload?.body).toContain('Held on');
    expect(tab.session.reviewed?.request.body).toContain('Held on');
    expect(await sent('Held on')).toEqual([]);
    await other.session.stop();
    await until(() => tab.session.busy === null);
    await tab.session.resumeSend();
    await until(async () => (await sent('Held on')).length === 1);
  });
});

describe('a file that is opened twice at a time', () => {
  it('is what the server said last, whichever answer comes last', async () => {
    const tab = await openChat();
    const { entry, info } = tab.session;
    const gate = tab.net.stop(/^PUT .*chats/, 'answer');
    const first = entry.open({ ...info!, chatId: UUID.uuid4() });
    await gate.reached;
    await entry.open(info!);
    gate.open();
    expect((await first)?.chatId).toBe(info!.chatId);
    expect(entry.chatId).toBe(info!.chatId);
  });
});

describe('a reply of another chat', () => {
  it('is reported as landed when the file has it, and not when the chat was closed before', async () => {
    const gone = await openChat({ autosave: false });
    const pair = await gone.ask('Adopt me');
    const { runId } = gone.info(pair)!;
    const text = gone.reply(pair)!;
    const { run } = await gone.api.getRun(runId);
    const isLanded = async () => (await gone.api.getRun(runId)).run.landed;
    const closed = await openChat();
    const gate = closed.net.stop(/^GET \/api\/contents/);
    const adopting = closed.session.adopt({ run, text });
    await gate.reached;
    closed.context.dispose();
    gate.open();
    await expect(adopting).rejects.toThrow(/not saved/);
    expect(await isLanded()).toBe(false);
    const tab = await openChat();
    await tab.session.adopt({ run, text });
    expect(await tab.saved(pair)).toBe(text);
    expect(await isLanded()).toBe(true);
  });
});

describe('a turn that goes on', () => {
  it('does so once, however often that is asked for', async () => {
    const tab = await openChat();
    await tab.script(CALLS, ANSWERED);
    const pair = await tab.ask('Twice?');
    tab.net.made.length = 0;
    const results = new Map([[0, 'sun']]);
    await Promise.all([
      tab.session.continueTurn(pair, 0, results),
      tab.session.continueTurn(pair, 0, results)
    ]);
    await tab.settled(pair);
    expect(tab.net.made.filter(name => POST_RUN.test(name))).toHaveLength(1);
    expect(tab.info(pair)).toMatchObject({ state: 'succeeded', attempt: 2 });
    expect(tab.reply(pair)).toBe('Sunny.');
  });

  it('is resumed once', async () => {
    const tab = await openChat();
    await tab.script(CALLS, ANSWERED);
    const pair = await tab.ask('Resume twice?');
    tab.session.pause.mode = 'always';
    await tab.session.continueTurn(pair, 0, new Map([[0, 'sun']]));
    tab.net.made.length = 0;
    await Promise.all([tab.session.resumeSend(), tab.session.resumeSend()]);
    await tab.settled(pair);
    expect(tab.net.made.filter(name => POST_RUN.test(name))).toHaveLength(1);
    expect(tab.net.made.filter(name => /\/request$/.test(name))).toHaveLength(
      1
    );
    expect(tab.session.notice).toBeNull();
    expect(tab.reply(pair)).toBe('Sunny.');
  });
});

describe('a page that went away while it was sending', () => {
  it('gives a message back that never arrived', async () => {
    const first = await openChat();
    const gate = first.net.stop(POST_RUN);
    const { pair } = first.write('Lost on the way');
    await gate.reached;
    await first.context.save();
    const tab = await first.reload();
    await until(() => tab.session.draft.text !== '');
    expect(tab.session.draft).toMatchObject({ pair, text: 'Lost on the way' });
    expect(tab.pairs).toEqual([]);
    expect(tab.session.notice).toMatch(/had not reached the server/);
    // And once only.
    tab.session.draft.clear();
    const again = await tab.reload();
    expect(again.session.draft.text).toBe('');
  });

  it('leaves alone what did arrive', async () => {
    const first = await openChat();
    const gate = first.net.stop(POST_RUN, 'answer');
    const { pair } = first.write('Arrived');
    await gate.reached;
    const tab = await first.reload();
    await tab.settled(pair);
    expect(tab.reply(pair)).toContain('Arrived');
    expect(tab.session.draft.text).toBe('');
    expect(await sent('Arrived')).toHaveLength(1);
  });

  it('keeps the pair of a payload that was there before', async () => {
    const first = await openChat();
    const pair = UUID.uuid4();
    first.notebook.insertCell(0, {
      cell_type: 'code',
      id: pair,
      source: 'From a replay'
    });
    const gate = first.net.stop(POST_RUN);
    void first.session.sendPayload(
      '{"messages": [{"role": "user", "content": "From a replay"}], "model": "echo"}'
    );
    const posted = await (await gate.reached).json();
    expect(posted.resend).toBe(false);
    await first.context.save();
    const tab = await first.reload();
    await until(() => tab.info(pair)?.state === 'error');
    expect(tab.info(pair)?.error?.code).toBe('unsent');
    expect(findPair(tab.notebook, pair)!.getSource()).toBe('From a replay');
    expect(tab.session.draft.text).toBe('');
  });

  it('says of a pair that it was not sent again', async () => {
    const first = await openChat();
    const pair = await first.ask('Once sent');
    const gate = first.net.stop(POST_RUN);
    void first.session.resend(pair, 'Not sent again');
    await gate.reached;
    await first.context.save();
    const tab = await first.reload();
    await until(() => tab.info(pair)?.state === 'error');
    expect(tab.info(pair)?.error?.code).toBe('unsent');
    expect(tab.session.draft.text).toBe('');
  });

  it('is not taken for one by another tab while the message may be on its way', async () => {
    const one = await openChat();
    const gate = one.net.stop(POST_RUN);
    const { pair, done } = one.write('Mine, not yours');
    await gate.reached;
    const two = await one.another();
    // The journal is read and the outbox looked at by now.
    await two.api.listChats();
    expect(two.session.draft.text).toBe('');
    gate.open();
    await done;
    await one.settled(pair);
    expect(one.reply(pair)).toContain('Mine, not yours');
  });

  it('is taken for one by another tab when it was not heard of for long', async () => {
    const one = await openChat();
    const gate = one.net.stop(POST_RUN);
    const { pair } = one.write('Left behind');
    await gate.reached;
    const waits = catchTimers(100_000, 200_000);
    const two = await one.another();
    await until(() => waits.length > 0);
    expect(two.session.draft.text).toBe('');
    one.kill();
    later(10);
    waits[0]();
    await until(() => two.session.draft.text !== '');
    expect(two.session.draft).toMatchObject({ pair, text: 'Left behind' });
    const left = [...one.browser.storage.items.keys()].filter(
      key => !key.startsWith('turnbook:file:')
    );
    expect(left).toHaveLength(1);
  });

  it('loses no message when two tabs were sending', async () => {
    const one = await openChat();
    const two = await one.another();
    const [first, second] = [one.net.stop(POST_RUN), two.net.stop(POST_RUN)];
    one.write('From one');
    await first.reached;
    two.write('From two');
    await second.reached;
    one.kill();
    two.kill();
    later(10);
    const three = await one.another();
    await until(() => three.session.draft.text.includes('one'));
    expect(three.session.draft.text).toBe('From one\n\nFrom two');
    const four = await one.another();
    expect(four.session.draft.text).toBe('From one\n\nFrom two');
  });

  it('leaves its message to be found when another tab has sent its own', async () => {
    const one = await openChat();
    const two = await one.another();
    const gate = one.net.stop(POST_RUN);
    one.write('Not arrived');
    await gate.reached;
    await two.ask('Arrived');
    const tab = await one.reload();
    await until(() => tab.session.draft.text !== '');
    expect(tab.session.draft.text).toBe('Not arrived');
    expect(await sent('Not arrived')).toEqual([]);
  });

  it('sends no more what another tab has given back', async () => {
    const one = await openChat();
    one.net.broken = /POST/;
    const { pair, done } = one.write('Once at most');
    await until(() => !!one.session.notice);
    later(10);
    const two = await one.another();
    await until(() => two.session.draft.text === 'Once at most');
    one.net.broken = null;
    await done;
    expect(one.pairs).toEqual([]);
    expect(one.session.notice).toMatch(/Another tab/);
    expect(two.session.draft.pair).toBe(pair);
    expect(await sent('Once at most')).toEqual([]);
  });

  it('gives a message back once, however often the outbox is looked at', async () => {
    const first = await openChat();
    const gate = first.net.stop(POST_RUN);
    first.write('Only one of me');
    await gate.reached;
    first.kill();
    const { browser, tabStorage } = first;
    const tab = await Tab.open({ ...first.options, browser, tabStorage });
    const { session } = tab;
    await Promise.all([
      (session as any)._lost.check(),
      (session as any)._lost.check()
    ]);
    await until(() => session.draft.text !== '');
    expect(session.draft.text).toBe('Only one of me');
  });

  it('gives back the first message of a chat that had no id yet', async () => {
    const path = await plainFile();
    const first = await Tab.open({ server, path });
    const gate = first.net.stop(POST_RUN);
    first.write('The very first');
    await gate.reached;
    const tab = await first.reload();
    await until(() => tab.session.draft.text !== '');
    expect(tab.session.draft.text).toBe('The very first');
  });
});

describe('a chat', () => {
  it('gets an id with its first message', async () => {
    const path = await plainFile();
    const tab = await Tab.open({ server, path });
    expect(tab.session.info).toBeNull();
    tab.session.topic = 'weather';
    const pair = await tab.ask('The first');
    expect(tab.session.info).toMatchObject({
      model: 'scripted/scripted',
      topic: 'weather'
    });
    expect(tab.reply(pair)).toContain('The first');
    expect(
      (await tab.api.listChats()).find(({ chatId }) => chatId === tab.chatId)
    ).toMatchObject({ path });
  });

  it('that is a copy gets another id, and keeps where it came from', async () => {
    const one = await openChat();
    const pair = await one.ask('Copy me');
    await until(async () => (await one.saved(pair)) !== null);
    const path = `${UUID.uuid4()}.chat.ipynb`;
    await writeFile(server, path, {
      cells: await savedCells(server, one.options.path),
      metadata: { turnbook: { ...one.session.info } },
      nbformat: 4,
      nbformat_minor: 5
    });
    const two = await Tab.open({ server, path });
    expect(two.chatId).not.toBe(one.chatId);
    expect(two.session.info?.lineage?.copiedFrom).toBe(one.chatId);
  });
});
