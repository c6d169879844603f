import { textAttachment } from '../../document/attachments';
import { toggleSent } from '../../document/eye';
import { Pair } from '../../document/pair';
import { restoreVersion } from '../../document/versions';
import { loadReplies } from '../recovery';
import { ANSWERED, CALL, CALLS, Chats, STALLED } from './chats';
import { POST_RUN, until } from './tabs';

const { openChat, sent } = new Chats();

describe('a pair that is tried again', () => {
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

  it('is of the version that is shown, not of a newer one', async () => {
    const tab = await openChat({ settings: { autoRetry: false } });
    const failed = { status: 500, steps: [{ body: { error: {} } }] };
    await tab.script(failed, failed);
    const pair = await tab.ask('The old text');
    await tab.session.resend(pair, 'The new text');
    await tab.settled(pair);
    const shown = Pair.find(tab.notebook, pair)!;
    expect(restoreVersion(tab.notebook, shown, 0)).toBe(true);
    await tab.session.retry(pair);
    await tab.settled(pair);
    expect(tab.reply(pair)).toContain('The old text');
    expect(shown.source).toBe('The old text');
    expect(await sent('The old text')).toHaveLength(2);
    expect(await sent('The new text')).toHaveLength(1);
    expect(tab.info(pair)?.state).toBe('succeeded');
  });

  it('is tried without what is not sent any more', async () => {
    const tab = await openChat({ settings: { autoRetry: false } });
    await tab.script({ status: 500, steps: [{ body: { error: {} } }] });
    tab.session.draft.attach(textAttachment('a.txt', 'The old secret'));
    const pair = await tab.ask('Try me without');
    const shown = Pair.find(tab.notebook, pair)!;
    toggleSent(tab.notebook, shown, 0);
    await tab.session.retry(pair);
    await tab.settled(pair);
    expect(tab.info(pair)?.state).toBe('succeeded');
    expect(await sent('Try me without')).toHaveLength(2);
    expect(await sent('The old secret')).toHaveLength(1);
  });

  it('is tried without what a pair before it does not send any more', async () => {
    const tab = await openChat({ settings: { autoRetry: false } });
    tab.session.draft.attach(textAttachment('a.txt', 'An earlier secret'));
    await tab.script(ANSWERED, {
      status: 500,
      steps: [{ body: { error: {} } }]
    });
    const before = await tab.ask('Keep this');
    const pair = await tab.ask('And now');
    toggleSent(tab.notebook, Pair.find(tab.notebook, before)!, 0);
    await tab.session.retry(pair);
    await tab.settled(pair);
    expect(tab.info(pair)?.state).toBe('succeeded');
    expect(await sent('And now')).toHaveLength(2);
    expect(await sent('An earlier secret')).toHaveLength(2);
  });

  it('goes on from its tool rounds without those that are not sent', async () => {
    const tab = await openChat({ settings: { autoRetry: false } });
    await tab.script(
      CALLS,
      { steps: [{ tool_calls: [{ ...CALL, id: 'call-2' }] }, { done: true }] },
      { status: 500, steps: [{ body: { error: {} } }] },
      ANSWERED
    );
    const pair = await tab.ask('Try my calls');
    for (const round of [0, 1]) {
      const results = new Map([[0, `Result ${round}`]]);
      await tab.session.continueTurn(pair, round, results);
      await tab.settled(pair);
    }
    expect(tab.info(pair)?.state).toBe('error');
    toggleSent(tab.notebook, Pair.find(tab.notebook, pair)!, 0);
    await tab.session.retry(pair);
    await tab.settled(pair);
    expect(tab.reply(pair)).toBe('Sunny.');
    const { messages } = (await sent('Try my calls'))[3];
    expect(messages).toMatchObject([
      { role: 'user' },
      { role: 'assistant', tool_calls: [{ id: 'call-2' }] },
      { role: 'tool', content: 'Result 1' }
    ]);
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

describe('an automatic retry', () => {
  const WAITS = {
    status: 429,
    headers: { 'Retry-After': '600' },
    steps: [{ body: { error: { message: 'slow down' } } }]
  };

  it('ends if the user keeps out a part of its request, and the chat says so', async () => {
    const tab = await openChat();
    tab.session.draft.attach(textAttachment('a.txt', 'A secret'));
    const before = await tab.ask('Look at this');
    await tab.script(WAITS);
    const pair = await tab.ask('Well?');
    await until(() => tab.session.waiting?.pair === pair);
    const first = Pair.find(tab.notebook, before)!;
    toggleSent(tab.notebook, first, 0);
    await until(() => tab.session.waiting === null);
    const { turn } = await tab.api.getTurn(tab.chatId, pair);
    expect(turn.auto).toBe(false);
    await until(() => tab.session.notice !== null);
    expect(tab.session.notice).toContain('Auto-retry is off for this reply');
  });

  it('is not planned after the user keeps out a part while the reply is under way', async () => {
    const tab = await openChat();
    tab.session.draft.attach(textAttachment('a.txt', 'A secret'));
    const before = await tab.ask('Look at that');
    await tab.script(STALLED);
    const { pair, done } = tab.write('Well now?');
    await done;
    await tab.shows(pair, 'Once ');
    toggleSent(tab.notebook, Pair.find(tab.notebook, before)!, 0);
    await until(() => tab.session.notice !== null);
    const { turn } = await tab.api.getTurn(tab.chatId, pair);
    expect(turn.auto).toBe(false);
    expect(tab.session.busy).not.toBeNull();
    await tab.session.stop();
  });

  it('stays if what is kept out was not sent, or is sent again', async () => {
    const tab = await openChat();
    tab.session.draft.attach(textAttachment('a.txt', 'A secret'));
    const before = await tab.ask('Look here');
    const first = Pair.find(tab.notebook, before)!;
    toggleSent(tab.notebook, first, 0);
    await tab.script(WAITS);
    const pair = await tab.ask('Well then?');
    await until(() => tab.session.waiting?.pair === pair);
    for (const isSent of [true, false]) {
      let isRead = false;
      tab.session.context.changed.connect(() => {
        isRead = true;
      });
      toggleSent(tab.notebook, first, 0);
      expect(first.text.attachments.length > 0).toBe(isSent);
      await until(() => isRead);
    }
    const { turn } = await tab.api.getTurn(tab.chatId, pair);
    expect(turn.auto).toBe(true);
    expect(tab.session.notice).toBeNull();
  });

  it('ends if another part is kept out than before, as many as they are', async () => {
    const tab = await openChat();
    tab.session.draft.attach(textAttachment('a.txt', 'A secret'));
    tab.session.draft.attach(textAttachment('b.txt', 'Another secret'));
    const before = await tab.ask('Look at both');
    const first = Pair.find(tab.notebook, before)!;
    toggleSent(tab.notebook, first, 0);
    await tab.script(WAITS);
    const pair = await tab.ask('Well, both?');
    await until(() => tab.session.waiting?.pair === pair);
    toggleSent(tab.notebook, first, 0);
    toggleSent(tab.notebook, first, 1);
    await until(() => tab.session.waiting === null);
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
    await tab.session.actions.delete(pair);
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
    await tab.session.actions.delete(pair);
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

  it('comes back with its reply when that is undone while the server does not respond', async () => {
    jest.spyOn(console, 'warn').mockImplementation();
    const tab = await openChat();
    await tab.script(STALLED);
    const { pair, done } = tab.write('Think twice');
    await done;
    await tab.shows(pair, 'Once ');
    const { id } = tab.session.busy!;
    await tab.session.actions.delete(pair);
    const gate = tab.net.stop(/^PUT .*dropped$/);
    tab.notebook.undo();
    await gate.reached;
    gate.fail();
    await until(() => jest.mocked(console.warn).mock.calls.length > 0);
    expect((await tab.api.getRun(id)).run.dropped).toBe(true);
    (tab.socket as any)._socket.close();
    tab.socket.wake();
    await until(() => tab.reply(pair) === 'Once ');
    expect((await tab.api.getRun(id)).run.dropped).toBe(false);
  });

  it('can be recovered from the journal', async () => {
    const tab = await openChat();
    const pair = await tab.ask('Bring me back');
    const reply = tab.reply(pair);
    const { runId } = tab.info(pair)!;
    await tab.session.actions.delete(pair);
    const { run } = await tab.api.getRun(runId);
    await tab.session.actions.recover(run);
    await until(() => tab.reply(pair) === reply);
    expect((await tab.api.getRun(runId)).run.dropped).toBe(false);
  });
});

describe('a reply of another chat', () => {
  it('has its images, its calls and what it took', async () => {
    const gone = await openChat();
    const url = 'data:image/png;base64,AAEC';
    const image = { type: 'image_url', image_url: { url } };
    const usage = { prompt_tokens: 3, completion_tokens: 2 };
    await gone.script(
      {
        steps: [
          { delta: 'Look.' },
          { chunk: { choices: [{ index: 0, delta: { images: [image] } }] } },
          { finish: 'stop' },
          { chunk: { choices: [], usage } },
          { done: true }
        ]
      },
      CALLS
    );
    const pairs = [await gone.ask('Paint'), await gone.ask('Call')];
    const found = await loadReplies(
      gone.api,
      await Promise.all(
        pairs.map(
          async pair => (await gone.api.getRun(gone.info(pair)!.runId)).run
        )
      )
    );
    const tab = await openChat();
    for (const one of found) {
      await tab.session.actions.adopt(one);
    }
    const [painted, called] = pairs.map(id => Pair.find(tab.notebook, id)!);
    const before = pairs.map(id => Pair.find(gone.notebook, id)!);
    expect(before[0].parts).toHaveLength(2);
    expect(painted.parts).toEqual(before[0].parts);
    expect(painted.run?.usage).toEqual(before[0].run?.usage);
    expect(called.rounds).toEqual(before[1].rounds);
    expect(called.rounds).toHaveLength(1);
  });

  it('is reported as landed when the file has it, and not when the chat was closed before', async () => {
    const gone = await openChat({ autosave: false });
    const pair = await gone.ask('Adopt me');
    const { runId } = gone.info(pair)!;
    const text = gone.reply(pair)!;
    const { run } = await gone.api.getRun(runId);
    const isLanded = async () => (await gone.api.getRun(runId)).run.landed;
    const closed = await openChat();
    const gate = closed.net.stop(/^GET \/api\/contents/);
    const adopting = closed.session.actions.adopt({ run, text });
    await gate.reached;
    closed.context.dispose();
    gate.open();
    await expect(adopting).rejects.toThrow(/not saved/);
    expect(await isLanded()).toBe(false);
    const tab = await openChat();
    await tab.session.actions.adopt({ run, text });
    expect(await tab.saved(pair)).toBe(text);
    expect(await isLanded()).toBe(true);
  });
});
