import { UUID } from '@lumino/coreutils';

import { textAttachment } from '../../document/attachments';
import { chooseReply } from '../../document/choice';
import { toggleSent } from '../../document/eye';
import { Pair } from '../../document/pair';
import { pastVersions, siblingsOf } from '../../document/siblings';
import { restoreVersion } from '../../document/versions';
import { loadReplies, recoverable } from '../recovery';
import { Chats } from './chats';
import { POST_RUN, savedCells, type Tab, until } from './tabs';

const chats = new Chats();
const { openChat, sent } = chats;

let gates = 0;

/** Models of this test, each of which says half of its reply and then waits. */
async function slowModels(tab: Tab, count: number) {
  const gate = `siblings-${++gates}`;
  const [provider] = tab.session.model.split('/');
  const names = Array.from({ length: count }, (_, n) => `${gate}-${n}`);
  for (const name of names) {
    await chats.server.scriptFor(name, {
      steps: [
        { delta: `Half of ${name} ` },
        { wait: gate },
        { delta: 'and whole.' },
        { finish: 'stop' },
        { done: true }
      ]
    });
  }
  return {
    models: names.map(name => `${provider}/${name}`),
    whole: names.map(name => `Half of ${name} and whole.`),
    end: () => chats.server.release(gate)
  };
}

const WAITS = {
  status: 429,
  headers: { 'Retry-After': '600' },
  steps: [{ body: { error: { message: 'slow down' } } }]
};

const BAD = {
  status: 400,
  steps: [{ body: { error: { message: 'no' } } }]
};

/** The name of a model of this test that always answers the same. */
async function scripted(tab: Tab, script: typeof WAITS | typeof BAD) {
  const name = `scripted-${++gates}`;
  await chats.server.scriptFor(name, ...Array(3).fill(script));
  return `${tab.session.model.split('/')[0]}/${name}`;
}

/** A pair with a file. */
function askWithFile(tab: Tab, text: string) {
  tab.session.draft.attach(textAttachment('a.txt', `The file of ${text}`));
  return tab.ask(text);
}

function write(tab: Tab, text: string, models: readonly string[]) {
  tab.session.draft.text = text;
  const { pair } = tab.session.draft;
  return { pair, done: tab.session.send(models) };
}

const find = (tab: Tab, pair: string) => Pair.find(tab.notebook, pair)!;

const texts = (tab: Tab, pair: string) =>
  siblingsOf(find(tab, pair)).map(({ slot }) => slot.reply?.text ?? '');

const states = (tab: Tab, pair: string) =>
  siblingsOf(find(tab, pair)).map(({ info: { state } }) => state);

const shown = (tab: Tab, pair: string, count: number) =>
  Array.from({ length: count }, (_, n) => tab.session.live(pair, n)?.text);

const showsHalf = (tab: Tab, pair: string, count: number) =>
  until(() =>
    shown(tab, pair, count).every(text => text?.startsWith('Half of') === true)
  );

const over = (tab: Tab, pair: string) =>
  until(
    () =>
      !tab.session.busy &&
      !states(tab, pair).some(state => ['sending', 'awaiting'].includes(state))
  );

const landed = (tab: Tab) =>
  until(
    async () =>
      (await tab.api.listRuns({ chat: tab.chatId, open: true })).length === 0
  );

describe('several replies to a message', () => {
  it('have one context, their own bytes and hashes, and land in one file', async () => {
    const tab = await openChat();
    await tab.ask('Before');
    const { models, whole, end } = await slowModels(tab, 3);
    const { pair, done } = write(tab, 'Which one is it?', models);
    await done;
    await showsHalf(tab, pair, 3);
    expect(states(tab, pair)).toEqual(['sending', 'sending', 'sending']);
    // The lock is that of the whole.
    expect(tab.session.obstacle).toMatch(/still in progress/);
    await end();
    await over(tab, pair);
    expect(texts(tab, pair)).toEqual(whole);
    expect(tab.reply(pair)).toBe(whole[0]);
    const bodies = await sent('Which one is it?');
    expect(bodies.map(({ model }) => model).sort()).toEqual(
      models.map(model => model.split('/')[1])
    );
    const rest = bodies.map(body => JSON.stringify({ ...body, model: '' }));
    expect(new Set(rest).size).toBe(1);
    const hashes = siblingsOf(find(tab, pair)).map(
      ({ info }) => info.requestHash
    );
    expect(new Set(hashes).size).toBe(3);
    await landed(tab);
    const cells = await savedCells(chats.server, tab.options.path);
    expect(cells[1].outputs).toHaveLength(1);
    expect(cells[1].metadata.turnbook_versions).toMatchObject([
      { reply: whole[1] },
      { reply: whole[2] }
    ]);
    // Later messages carry the chosen one.
    chooseReply(tab.notebook, find(tab, pair), 2);
    await tab.ask('And then?');
    const [{ messages }] = await sent('And then?');
    expect(messages[3]).toEqual({ role: 'assistant', content: whole[2] });
  });

  it('may be several of one model', async () => {
    const tab = await openChat();
    const { model } = tab.session;
    const { pair, done } = write(tab, 'Thrice', [model, model, model]);
    await done;
    await over(tab, pair);
    expect(texts(tab, pair)).toEqual(Array(3).fill('You said: Thrice'));
    expect(await sent('Thrice')).toHaveLength(3);
  });

  it('survive a reload before the file was saved, once each', async () => {
    const first = await openChat({ autosave: false });
    const { models, whole, end } = await slowModels(first, 3);
    const { pair, done } = write(first, 'Reload me', models);
    await done;
    await showsHalf(first, pair, 3);
    const tab = await first.reload();
    await showsHalf(tab, pair, 3);
    tab.autosave = true;
    await end();
    await over(tab, pair);
    await landed(tab);
    expect(texts(tab, pair)).toEqual(whole);
    expect(find(tab, pair).versions).toHaveLength(2);
    const again = await tab.reload();
    expect(texts(again, pair)).toEqual(whole);
    expect(await sent('Reload me')).toHaveLength(3);
  });

  it('show in a second tab, which cannot send meanwhile and writes nothing', async () => {
    const one = await openChat();
    const { models, whole, end } = await slowModels(one, 2);
    const { pair, done } = write(one, 'Two tabs', models);
    await done;
    const two = await one.another();
    await showsHalf(two, pair, 2);
    expect(two.session.obstacle).toMatch(/still in progress/);
    await end();
    await over(one, pair);
    await landed(one);
    await until(() => texts(two, pair).join() === whole.join());
    expect(two.net.made.filter(name => /^PUT \/api/.test(name))).toEqual([]);
    expect(await sent('Two tabs')).toHaveLength(2);
  });

  it('are refused together: the message is back, and nothing was sent', async () => {
    const tab = await openChat();
    const { model } = tab.session;
    const { pair, done } = write(tab, 'All or none', [model, 'nobody/none']);
    await done;
    expect(tab.pairs).toEqual([]);
    expect(tab.session.draft).toMatchObject({ pair, text: 'All or none' });
    expect(tab.session.notice).toMatch(/^Nothing was sent: .*nobody/);
    expect(await sent('All or none')).toEqual([]);
  });

  it('are sent once when the answer is lost', async () => {
    const tab = await openChat();
    const { model } = tab.session;
    const gate = tab.net.stop(POST_RUN, 'answer');
    const { pair, done } = write(tab, 'Lost answer', [model, model]);
    await gate.reached;
    gate.fail();
    await done;
    await over(tab, pair);
    expect(texts(tab, pair)).toHaveLength(2);
    expect(await sent('Lost answer')).toHaveLength(2);
  });

  it('are not chosen while they can be taken back; then the message is back alone', async () => {
    const tab = await openChat();
    const { model } = tab.session;
    const gate = tab.net.stop(POST_RUN);
    const { pair, done } = write(tab, 'Choose too soon', [model, model]);
    await gate.reached;
    tab.session.choose(pair, 1);
    expect(tab.session.notice).toMatch(/still being sent/);
    expect(find(tab, pair).run?.sibling).toBe(0);
    // Another tab does not know that.
    chooseReply(tab.notebook, find(tab, pair), 1);
    await tab.session.stop();
    gate.fail();
    await done;
    expect(tab.pairs).toEqual([]);
    expect(tab.session.draft).toMatchObject({ pair, text: 'Choose too soon' });
    expect(await sent('Choose too soon')).toEqual([]);
  });

  it('of which one is stopped before the server responds: the others are sent', async () => {
    const tab = await openChat();
    const { models, whole, end } = await slowModels(tab, 3);
    const gate = tab.net.stop(POST_RUN);
    const { pair, done } = write(tab, 'Stop the second', models);
    await gate.reached;
    const stopped = tab.session.actions.stop({ pair, sibling: 1 });
    gate.open();
    await Promise.all([done, stopped]);
    await until(() => states(tab, pair)[1] === 'canceled');
    await end();
    await over(tab, pair);
    expect(states(tab, pair)).toEqual(['succeeded', 'canceled', 'succeeded']);
    const [first, , third] = texts(tab, pair);
    expect([first, third]).toEqual([whole[0], whole[2]]);
  });

  it('are taken back if each of them is stopped before the server responds', async () => {
    const tab = await openChat();
    const { model } = tab.session;
    const gate = tab.net.stop(POST_RUN);
    const { pair, done } = write(tab, 'Stop each', [model, model]);
    await gate.reached;
    const stops = [0, 1].map(sibling =>
      tab.session.actions.stop({ pair, sibling })
    );
    gate.fail();
    await Promise.all([done, ...stops]);
    expect(tab.pairs).toEqual([]);
    expect(tab.session.draft.text).toBe('Stop each');
    expect(await sent('Stop each')).toEqual([]);
  });

  it('are as they were when more, or all again, are taken back', async () => {
    const tab = await openChat();
    const { model } = tab.session;
    const { pair, done } = write(tab, 'Take back', [model, model]);
    await done;
    await over(tab, pair);
    await landed(tab);
    const { run } = find(tab, pair);
    tab.session.choose(pair, 1);
    const chosen = find(tab, pair).toJSON();
    const seen: (string | null)[] = [];
    tab.session.posted.connect((_, id) => {
      seen.push(id, tab.session.posting);
    });
    const asks = [
      () => tab.session.askMore(pair, [model]),
      () => tab.session.regenerate(pair),
      () => tab.session.resend(pair, 'Another text')
    ];
    for (const ask of asks) {
      const gate = tab.net.stop(POST_RUN);
      const asking = ask();
      await gate.reached;
      const before = find(tab, pair).toJSON();
      tab.session.choose(pair, 0);
      tab.notebook.undo();
      const { turnbook_choice: _, ...metadata } = before.metadata;
      expect(find(tab, pair).toJSON().metadata).toMatchObject(metadata);
      tab.notebook.redo();
      await tab.session.stop();
      gate.fail();
      await asking;
      expect(find(tab, pair).toJSON()).toEqual(chosen);
      // Its cell lets a reply be chosen again.
      expect(seen.splice(0)).toEqual([pair, null]);
    }
    // What was undone is followed when it is over.
    const gate = tab.net.stop(POST_RUN);
    const asking = tab.session.askMore(pair, [model]);
    await gate.reached;
    tab.notebook.undo();
    expect(find(tab, pair).run?.sibling).toBe(1);
    await tab.session.stop();
    gate.fail();
    await asking;
    expect(find(tab, pair).run).toEqual(run);
    expect(texts(tab, pair)).toEqual(Array(2).fill('You said: Take back'));
    expect(await sent('Another text')).toEqual([]);
  });

  it('of which one fails: it alone is retried, while the others go on', async () => {
    const tab = await openChat();
    const { models, whole, end } = await slowModels(tab, 2);
    const [provider] = models[0].split('/');
    const bad = `bad-${gates}`;
    await chats.server.scriptFor(bad, {
      status: 400,
      steps: [{ body: { error: { message: 'no' } } }]
    });
    const asked = [`${provider}/${bad}`, ...models];
    const { pair, done } = write(tab, 'One is bad', asked);
    await done;
    await until(() => tab.session.journal(pair, 0).newest?.state === 'failed');
    await until(() => !tab.session.live(pair, 0));
    expect(states(tab, pair)).toEqual(['error', 'sending', 'sending']);
    await tab.session.retry(pair, 0);
    await until(() => states(tab, pair)[0] === 'succeeded');
    expect(tab.session.busy).not.toBeNull();
    await tab.session.actions.stop({ pair, sibling: 2 });
    await until(() => states(tab, pair)[2] === 'canceled');
    expect(states(tab, pair)[1]).toBe('sending');
    await end();
    await over(tab, pair);
    expect(texts(tab, pair)[1]).toBe(whole[0]);
    expect(await sent('One is bad')).toHaveLength(4);
  });

  it('stop, are deleted and are sent again as a whole', async () => {
    const tab = await openChat();
    const { models } = await slowModels(tab, 2);
    const { pair, done } = write(tab, 'The whole', models);
    await done;
    await showsHalf(tab, pair, 2);
    await tab.session.stop();
    await over(tab, pair);
    expect(states(tab, pair)).toEqual(['canceled', 'canceled']);
    await tab.session.resend(pair, 'The whole, again');
    await over(tab, pair);
    expect(texts(tab, pair)).toEqual(
      Array(2).fill('You said: The whole, again')
    );
    const past = pastVersions(find(tab, pair)).map(
      place => find(tab, pair).versions[place].source
    );
    expect(past).toEqual(['The whole', 'The whole']);
    await landed(tab);
    await tab.session.actions.delete(pair);
    const dropped = async () =>
      (await tab.api.getTurn(tab.chatId, pair)).attempts.filter(
        ({ run }) => run.dropped
      );
    expect((await dropped()).map(({ run }) => run.sibling)).toEqual([0, 1]);
    tab.notebook.undo();
    await until(async () => (await dropped()).length === 0);
    expect(texts(tab, pair)).toHaveLength(2);
  });

  it('come back together when one is recovered', async () => {
    const tab = await openChat();
    const { models, whole, end } = await slowModels(tab, 3);
    const { pair, done } = write(tab, 'Bring all back', models);
    await done;
    await end();
    await over(tab, pair);
    await landed(tab);
    await tab.session.actions.delete(pair);
    const runs = await tab.api.listRuns({ chat: tab.chatId });
    const dropped = recoverable(runs, new Set());
    expect(dropped.map(({ sibling }) => sibling).sort()).toEqual([0, 1, 2]);
    await tab.session.actions.recover(dropped[0]);
    await over(tab, pair);
    expect(texts(tab, pair)).toEqual(whole);
    expect(states(tab, pair)).toEqual(Array(3).fill('succeeded'));
    await landed(tab);
    const left = await tab.api.listRuns({ chat: tab.chatId });
    expect(recoverable(left, new Set([pair]))).toEqual([]);
    // The runs had landed before they were dropped; the file gets them with the next save.
    await until(async () => (await tab.saved(pair)) === whole[0]);
    const again = await tab.reload();
    expect(texts(again, pair)).toEqual(whole);
    expect(await sent('Bring all back')).toHaveLength(3);
  });

  it('of a chat that is gone are settled, and each can still be adopted', async () => {
    const gone = await openChat();
    const { models, whole, end } = await slowModels(gone, 2);
    const { pair, done } = write(gone, 'Adopt us', models);
    await done;
    await end();
    await over(gone, pair);
    await landed(gone);
    const runs = await gone.api.listRuns({ chat: gone.chatId });
    const found = await loadReplies(gone.api, recoverable(runs, new Set()));
    found.sort((a, b) => a.run.attempt - b.run.attempt);
    const tab = await openChat();
    await tab.session.actions.adopt(found[1]);
    expect(states(tab, pair)).toEqual(['error', 'succeeded']);
    expect(texts(tab, pair)).toEqual(['', whole[1]]);
    await tab.session.actions.adopt(found[0]);
    expect(states(tab, pair)).toEqual(['succeeded', 'succeeded']);
    expect(texts(tab, pair)).toEqual(whole);
  });

  it('of which the first was asked for alone: it is retried in its place', async () => {
    const tab = await openChat({ settings: { autoRetry: false } });
    await tab.script({ status: 500, steps: [{ body: { error: {} } }] });
    const pair = await tab.ask('First alone');
    const { models, whole, end } = await slowModels(tab, 1);
    await tab.session.askMore(pair, models);
    await end();
    await over(tab, pair);
    chooseReply(tab.notebook, find(tab, pair), 1);
    await tab.session.retry(pair, 0);
    await until(() => states(tab, pair)[0] === 'succeeded');
    expect(tab.reply(pair)).toBe(whole[0]);
    expect(texts(tab, pair)).toEqual(['You said: First alone', whole[0]]);
    await landed(tab);
    await tab.session.actions.delete(pair);
    // It comes back with the others, too.
    const { attempts } = await tab.api.getTurn(tab.chatId, pair);
    const { run } = attempts.find(one => one.run.sibling === 1)!;
    await tab.session.actions.recover(run);
    await until(() => texts(tab, pair).every(text => text !== ''));
    expect(texts(tab, pair)).toEqual(['You said: First alone', whole[0]]);
  });

  it('are added to a pair with the bytes of its request', async () => {
    const tab = await openChat();
    await tab.ask('Earlier');
    const pair = await tab.ask('More of this');
    // What is visible now is not what was sent then.
    await tab.ask('Later');
    const { models, whole, end } = await slowModels(tab, 2);
    await tab.session.askMore(pair, models);
    await end();
    await over(tab, pair);
    await landed(tab);
    expect(texts(tab, pair)).toEqual(['You said: More of this', ...whole]);
    expect(tab.reply(pair)).toBe('You said: More of this');
    const all = await chats.server.requests();
    const bodies = all
      .map(({ body }) => body)
      .filter(body => body.includes('More of this'))
      .filter(body => !body.includes('Later'));
    const [first] = bodies;
    const name = tab.session.model.split('/')[1];
    expect(bodies.slice(1).sort()).toEqual(
      models
        .map(model =>
          first.replace(`"model":"${name}"`, `"model":"${model.split('/')[1]}"`)
        )
        .sort()
    );
  });

  it.each([
    ['a number above all', { sibling: 9999 }],
    ['a number that is none', { sibling: 1e9 }],
    ['a group that is none', { group: 'g' }]
  ])('are added to a pair whose file names %s', async (_, claimed) => {
    const tab = await openChat();
    const pair = await tab.ask('Hand-made');
    const { run } = find(tab, pair);
    const mark = { group: UUID.uuid4(), sibling: 0, ...claimed };
    find(tab, pair).setRun({ ...run!, ...mark });
    const { model } = tab.session;
    await tab.session.askMore(pair, [model, model]);
    await over(tab, pair);
    expect(tab.session.notice).toBeNull();
    expect(texts(tab, pair)).toEqual(Array(3).fill('You said: Hand-made'));
  });
});

describe('a pair with many replies', () => {
  /** A pair of a file with this many replies, by turns of these models. */
  async function manyReplies(tab: Tab, text: string, count: number) {
    const pair = await tab.ask(text);
    const group = UUID.uuid4();
    const other = `${tab.session.model}-other`;
    const found = find(tab, pair);
    found.setRun({ ...found.run!, group, sibling: 0 });
    const { run } = found;
    const versions = Array.from({ length: count - 1 }, (_, n) => {
      const mark = { runId: UUID.uuid4(), sibling: n + 1, group };
      const model = n % 2 ? tab.session.model : other;
      const info = { ...run!, ...mark, model };
      return { source: text, reply: `${n}`, at: 0, ...mark, model, run: info };
    });
    found.setVersions(versions);
    expect(siblingsOf(find(tab, pair))).toHaveLength(count);
    return pair;
  }

  it('is asked for no more of them than it can be sent again to', async () => {
    const tab = await openChat();
    const pair = await manyReplies(tab, 'Thirty-one', 31);
    const { model } = tab.session;
    await tab.session.askMore(pair, [model, model]);
    expect(tab.session.notice).toMatch(
      /^Nothing was sent: .* at most 32 replies, and this one has 31\. Ask for fewer/
    );
    expect(await sent('Thirty-one')).toHaveLength(1);
    await tab.session.askMore(pair, [model]);
    await over(tab, pair);
    expect(texts(tab, pair)).toHaveLength(32);
    expect(await sent('Thirty-one')).toHaveLength(2);
  });

  it('asks each of their models once if they are too many to be asked again', async () => {
    const tab = await openChat();
    const pair = await manyReplies(tab, 'Thirty-three', 33);
    await tab.session.regenerate(pair);
    await over(tab, pair);
    expect(tab.session.notice).toBeNull();
    expect(texts(tab, pair)).toEqual(Array(2).fill('You said: Thirty-three'));
    const name = tab.session.model.split('/')[1];
    expect(
      (await sent('Thirty-three')).map(({ model }) => model).sort()
    ).toEqual([name, name, `${name}-other`]);
    const many = await manyReplies(tab, 'Thirty-three of another', 33);
    await tab.session.resend(many, 'Another text');
    await over(tab, many);
    expect(texts(tab, many)).toEqual(Array(2).fill('You said: Another text'));
  });
});

describe('automatic retries of several replies', () => {
  /** A message whose second and third replies wait. */
  async function waiting(tab: Tab, text: string) {
    const models = [tab.session.model];
    models.push(await scripted(tab, WAITS), await scripted(tab, WAITS));
    const { pair, done } = write(tab, text, models);
    await done;
    const isWaiting = (sibling: number) =>
      tab.session.journal(pair, sibling).newest?.turn.retryAt != null;
    await until(() => !tab.session.busy && isWaiting(1) && isWaiting(2));
    return pair;
  }

  const autos = async (tab: Tab, pair: string) =>
    (await tab.api.getTurn(tab.chatId, pair)).attempts
      .filter(({ run }) => run.sibling)
      .map(({ run }) => run.turn.auto);

  it('end together, whichever is chosen', async () => {
    const tab = await openChat();
    const pair = await waiting(tab, 'Stop them');
    expect(await autos(tab, pair)).toEqual([true, true]);
    chooseReply(tab.notebook, find(tab, pair), 1);
    expect(await tab.session.stopAutoRetry(pair)).toBe(true);
    expect(tab.session.waiting).toBeNull();
    expect(await autos(tab, pair)).toEqual([false, false]);
  });

  it('end if the user keeps out a part of the request', async () => {
    const tab = await openChat();
    const before = await askWithFile(tab, 'Before they wait');
    const pair = await waiting(tab, 'Keep it out');
    toggleSent(tab.notebook, find(tab, before), 0);
    await until(() => tab.session.notice !== null);
    expect(tab.session.notice).toContain('Auto-retry is off');
    expect(tab.session.waiting).toBeNull();
    expect(await autos(tab, pair)).toEqual([false, false]);
  });

  it('go on if the user keeps out the chosen reply, which no request had', async () => {
    const tab = await openChat();
    const before = await askWithFile(tab, 'Before the chosen one');
    const pair = await waiting(tab, 'Keep the reply out');
    const stopped = jest.spyOn(tab.session.actions, 'stopAutoRetry');
    toggleSent(tab.notebook, find(tab, pair), 0);
    expect(find(tab, pair).text.isWithheld).toBe(true);
    await tab.session.retry(pair, 1);
    await until(async () => (await sent('Keep the reply out')).length === 4);
    expect(stopped).not.toHaveBeenCalled();
    expect(await autos(tab, pair)).toEqual(expect.not.arrayContaining([false]));
    toggleSent(tab.notebook, find(tab, before), 0);
    await until(() => tab.session.notice !== null);
    expect(tab.session.notice).toContain('Auto-retry is off');
  });
});

describe('one of several replies', () => {
  const REFUSED = /^Nothing was sent: this reply alone/;
  const manual = { settings: { autoRetry: false } };

  it('is not retried if a part is kept out since: nobody is asked', async () => {
    const tab = await openChat(manual);
    const before = await askWithFile(tab, 'Before the bad one');
    const { model } = tab.session;
    const models = [model, model, await scripted(tab, BAD)];
    const { pair, done } = write(tab, 'Retry the bad one', models);
    await done;
    await over(tab, pair);
    toggleSent(tab.notebook, find(tab, before), 0);
    await tab.session.retry(pair, 2);
    expect(tab.session.notice).toMatch(REFUSED);
    expect(states(tab, pair)).toEqual(['succeeded', 'succeeded', 'error']);
    expect(await sent('Retry the bad one')).toHaveLength(3);
  });

  it('is retried if the part was kept out from the start', async () => {
    const tab = await openChat(manual);
    const before = await askWithFile(tab, 'Kept out before');
    toggleSent(tab.notebook, find(tab, before), 0);
    const models = [tab.session.model, await scripted(tab, BAD)];
    const { pair, done } = write(tab, 'Retry without the file', models);
    await done;
    await over(tab, pair);
    await tab.session.retry(pair, 1);
    await until(async () => (await sent('Retry without')).length === 3);
    await over(tab, pair);
    expect(tab.session.notice).toBeNull();
    const [{ messages }, ...others] = await sent('Retry without');
    expect(messages[0].content).toBe('Kept out before');
    expect(others.map(body => body.messages)).toEqual([messages, messages]);
  });

  it('is retried if the chosen reply is kept out, which its request never had', async () => {
    const tab = await openChat(manual);
    const models = [tab.session.model, await scripted(tab, BAD)];
    const { pair, done } = write(tab, 'Retry beside', models);
    await done;
    await over(tab, pair);
    toggleSent(tab.notebook, find(tab, pair), 0);
    expect(find(tab, pair).text.isWithheld).toBe(true);
    await tab.session.retry(pair, 1);
    await until(async () => (await sent('Retry beside')).length === 3);
    expect(tab.session.notice).toBeNull();
  });

  it('is not retried if what it goes on from is kept out', async () => {
    const tab = await openChat(manual);
    const { models } = await slowModels(tab, 2);
    const { pair, done } = write(tab, 'Retry from half', models);
    await done;
    await showsHalf(tab, pair, 2);
    await tab.session.stop();
    await over(tab, pair);
    expect(tab.reply(pair)).toMatch(/^Half of/);
    toggleSent(tab.notebook, find(tab, pair), 0);
    tab.session.choose(pair, 1);
    await tab.session.retry(pair, 0);
    expect(tab.session.notice).toMatch(REFUSED);
    expect(await sent('Retry from half')).toHaveLength(2);
  });

  it('is not sent without images: that would ask all models', async () => {
    const tab = await openChat(manual);
    const bad = await scripted(tab, BAD);
    const { pair, done } = write(tab, 'Look at this', [bad, tab.session.model]);
    await done;
    await over(tab, pair);
    await tab.session.actions.sendWithoutImages(pair);
    expect(tab.session.notice).toMatch(/^Nothing was sent: all these replies/);
    expect(await sent('Look at this')).toHaveLength(2);
  });

  it('is not retried if it is of an earlier version: nobody is asked', async () => {
    const tab = await openChat(manual);
    const { model } = tab.session;
    const models = [model, await scripted(tab, BAD)];
    const { pair, done } = write(tab, 'First version', models);
    await done;
    await over(tab, pair);
    await tab.session.resend(pair, 'Second version');
    await over(tab, pair);
    const place = find(tab, pair).versions.findIndex(
      ({ source, sibling }) => source === 'First version' && sibling === 1
    );
    restoreVersion(tab.notebook, find(tab, pair), place);
    expect(find(tab, pair).source).toBe('First version');
    await tab.session.retry(pair, 1);
    expect(tab.session.notice).toMatch(REFUSED);
    expect(await sent('First version')).toHaveLength(2);
    expect(await sent('Second version')).toHaveLength(2);
  });
});

describe('more replies', () => {
  const CHANGED = /^Nothing was sent: What this message sends has changed/;

  it('are not asked for with a part that is kept out since', async () => {
    const tab = await openChat();
    const before = await askWithFile(tab, 'Before more');
    const pair = await tab.ask('More with a file');
    const toggle = () => toggleSent(tab.notebook, find(tab, before), 0);
    toggle();
    await tab.session.askMore(pair, [tab.session.model]);
    expect(tab.session.notice).toMatch(CHANGED);
    expect(await sent('More with a file')).toHaveLength(1);
    toggle();
    await tab.session.askMore(pair, [tab.session.model]);
    await over(tab, pair);
    expect(await sent('More with a file')).toHaveLength(2);
  });

  it('are asked for if the part was kept out from the start', async () => {
    const tab = await openChat();
    const before = await askWithFile(tab, 'Before more again');
    toggleSent(tab.notebook, find(tab, before), 0);
    const pair = await tab.ask('More without a file');
    await tab.session.askMore(pair, [tab.session.model]);
    await over(tab, pair);
    expect(await sent('More without a file')).toHaveLength(2);
  });

  it('are not asked for with a pair that was deleted since', async () => {
    const tab = await openChat();
    const before = await tab.ask('Delete this one');
    const pair = await tab.ask('More of the rest');
    await tab.session.actions.delete(before);
    await tab.session.askMore(pair, [tab.session.model]);
    expect(tab.session.notice).toMatch(CHANGED);
    expect(await sent('More of the rest')).toHaveLength(1);
  });

  it('are not asked for with another text than the pair has', async () => {
    const tab = await openChat();
    const pair = await tab.ask('The original text');
    find(tab, pair).source = 'The changed text';
    await tab.session.askMore(pair, [tab.session.model]);
    expect(tab.session.notice).toMatch(CHANGED);
    expect(await sent('The original text')).toHaveLength(1);
  });
});
