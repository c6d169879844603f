import { PromiseDelegate } from '@lumino/coreutils';

import { findPair } from '../../document/landing';
import { Chats, ANSWERED, CALLS, STALLED } from './chats';
import { Browser, POST_RUN, type Tab, until } from './tabs';
import { Pair } from '../../document/pair';

const { openChat, sent } = new Chats();

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
    expect(tab.session.obstacle).toMatch(/still in progress/);
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
    expect(tab.session.notice).toMatch(/does not respond/);
    await tab.session.stop();
    await done;
    expect(tab.pairs).toEqual([]);
    expect(tab.session.draft).toMatchObject({ pair, text: 'Never mind' });
    expect(await sent('Never mind')).toEqual([]);
  });

  it('that was taken back by Stop is stopped if it arrives after all', async () => {
    const tab = await openChat();
    await tab.script(STALLED);
    const gate = tab.net.stop(POST_RUN);
    const { done } = tab.write('Too late');
    const late = (await gate.reached).clone();
    tab.net.broken = /POST/;
    gate.fail();
    await until(() => !!tab.session.notice);
    await tab.session.stop();
    await done;
    expect(tab.pairs).toEqual([]);
    // What waited in a dead connection comes through.
    const { id } = await late.clone().json();
    expect((await fetch(late)).status).toBe(201);
    await until(async () => (await tab.api.getRun(id)).run.dropped);
    expect((await tab.api.getRun(id)).run.state).toBe('stopped');
    expect(tab.pairs).toEqual([]);
    expect(tab.session.busy).toBeNull();
    expect(tab.session.draft.text).toBe('Too late');
    // Nor is it shown by a page that opens the chat later.
    tab.net.broken = null;
    expect((await tab.another()).pairs).toEqual([]);
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
      new Pair(findPair(tab.notebook, pair)!).versions.map(
        ({ source }) => source
      )
    ).toEqual(['First words']);
    expect((await sent('Other words'))[0].messages).toHaveLength(1);
  });

  it('says what was sent after a reload before the file was saved', async () => {
    const first = await openChat();
    const pair = await first.ask('First words');
    await until(async () => (await first.saved(pair)) !== null);
    first.autosave = false;
    await first.session.resend(pair, 'After a reload');
    const tab = await first.reload();
    tab.autosave = true;
    await tab.settled(pair);
    const found = new Pair(findPair(tab.notebook, pair)!);
    expect(found.source).toBe('After a reload');
    expect(tab.reply(pair)).toContain('After a reload');
    expect(found.versions.map(({ source }) => source)).toEqual(['First words']);
    await until(async () =>
      (await tab.saved(pair))!.includes('After a reload')
    );
    const again = await tab.reload();
    expect(findPair(again.notebook, pair)!.getSource()).toBe('After a reload');
    expect(await sent('After a reload')).toHaveLength(1);
  });

  it('says so in a tab that watches, which stays clean', async () => {
    const one = await openChat();
    const pair = await one.ask('First words');
    await until(async () => (await one.saved(pair)) !== null);
    const two = await one.another();
    await one.script(STALLED);
    await one.session.resend(pair, 'Seen elsewhere');
    await two.shows(pair, 'Once ');
    expect(findPair(two.notebook, pair)!.getSource()).toBe('Seen elsewhere');
    expect(two.reply(pair)).toBeNull();
    expect(two.context.model.dirty).toBe(false);
    await one.session.stop();
    await one.settled(pair);
  });

  it('keeps the new text when the file is read again', async () => {
    const tab = await openChat();
    const pair = await tab.ask('First words');
    await until(async () => (await tab.saved(pair)) !== null);
    const gate = tab.net.stop(POST_RUN);
    tab.autosave = false;
    const done = tab.session.resend(pair, 'Read once more');
    await gate.reached;
    const text = () => findPair(tab.notebook, pair)!.getSource();
    await tab.file.read();
    expect(text()).toBe('Read once more');
    gate.open();
    await done;
    await tab.settled(pair);
    await tab.file.read();
    expect(text()).toBe('Read once more');
    expect(tab.reply(pair)).toContain('Read once more');
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
    expect(tab.session.refused.take('another')).toBeNull();
    expect(tab.session.refused.take(pair)).toBe('Said after');
    expect(tab.session.refused.take(pair)).toBeNull();
  });

  it('keeps its text while a reply is under way', async () => {
    const tab = await openChat();
    const pair = await tab.ask('Settled');
    await tab.script(STALLED);
    const busy = tab.write('Busy');
    await busy.done;
    await tab.session.resend(pair, 'Too early');
    expect(tab.session.notice).toMatch(/still in progress/);
    expect(tab.session.refused.take(pair)).toBe('Too early');
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
    expect(tab.session.notice).toMatch(/still in progress/);
    expect(tab.session.refused.take(pair)).toBe('Not lost');
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
    expect(tab.session.notice).toMatch(/still in progress/);
    expect(await sent('Late bytes')).toEqual([]);
  });

  it('waits on when it was held and resumed', async () => {
    const { tab, asked } = await asking();
    tab.session.modes.pause.mode = 'always';
    await tab.session.sendPayload(
      '{"messages": [{"role": "user", "content": "Held on"}], "model": "echo"}'
    );
    const done = tab.session.resumeSend();
    await until(() => asked.times === 1);
    const other = await overtaken(tab, asked);
    await done;
    expect(tab.session.notice).toMatch(/still in progress/);
    expect(tab.session.modes.pause.held?.payload?.body).toContain('Held on');
    expect(tab.session.review.reviewed?.request.body).toContain('Held on');
    expect(await sent('Held on')).toEqual([]);
    await other.session.stop();
    await until(() => tab.session.busy === null);
    await tab.session.resumeSend();
    await until(async () => (await sent('Held on')).length === 1);
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

  it('from an earlier round leaves the results that it had to the version', async () => {
    const tab = await openChat();
    await tab.script(CALLS, ANSWERED, ANSWERED);
    const pair = await tab.ask('Rain or sun?');
    for (const result of ['sun', 'rain']) {
      await tab.session.continueTurn(pair, 0, new Map([[0, result]]));
      await tab.settled(pair);
    }
    const { parts, versions } = Pair.find(tab.notebook, pair)!;
    expect(JSON.stringify(parts)).toContain('rain');
    expect(versions).toHaveLength(1);
    expect(JSON.stringify(versions[0].tools)).toContain('sun');
  });
});
