import { chooseReply } from '../../document/choice';
import { Pair } from '../../document/pair';
import { pastVersions, siblingsOf } from '../../document/siblings';
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
});
