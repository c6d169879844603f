import {
  begin,
  ended,
  holdEvents,
  isLanded,
  openChat,
  server,
  useServer
} from './followed';
import { catchTimers, GRACE, POST_RUN, until } from './tabs';

useServer();

describe('the tab that sent a message', () => {
  it('lands the reply at its end, without waiting', async () => {
    const tab = await openChat();
    const { pair, end } = await begin(tab);
    expect(tab.reply(pair)).toBeNull();
    await end();
    await ended(tab, pair);
    expect(tab.info(pair)?.state).toBe('succeeded');
    expect(tab.reply(pair)).toBe('Half and whole.');
    expect(tab.session.live(pair)).toBeNull();
  });

  it('does this after a reload too', async () => {
    const first = await openChat();
    const { pair, end } = await begin(first);
    const tab = await first.reload();
    await tab.shows(pair, 'Half ');
    await end();
    await ended(tab, pair);
    expect(tab.info(pair)?.state).toBe('succeeded');
  });

  it('is one: a copy of it watches', async () => {
    const one = await openChat();
    const { pair, end, run } = await begin(one);
    const two = await one.duplicate();
    await two.shows(pair, 'Half ');
    catchTimers(...GRACE);
    await end();
    await two.settled(pair);
    await until(() => isLanded(one, run));
    expect(two.reply(pair)).toBe('Half and whole.');
    expect(two.net.made.filter(name => /^PUT \/api/.test(name))).toEqual([]);
    expect(one.net.made.some(name => /^PUT \/api/.test(name))).toBe(true);
  });

  it('keeps the message that it is sending: a copy of it does not restore it', async () => {
    const one = await openChat();
    const gate = one.net.stop(POST_RUN);
    const { pair } = one.write('On its way');
    await gate.reached;
    const two = await one.duplicate();
    gate.open();
    await one.settled(pair);
    await until(() => two.pairs.includes(pair));
    expect(one.reply(pair)).not.toBeNull();
    expect(two.session.draft.text).toBe('');
    expect(two.session.notice).toBeNull();
  });

  it('does not follow a run again whose response comes after its reply has landed', async () => {
    const tab = await openChat();
    const gate = tab.net.stop(POST_RUN, 'answer');
    const { pair, done } = tab.write('Fast reply, slow answer');
    await gate.reached;
    // What it follows by the news of the chat lands, if not at once.
    await until(() => tab.info(pair)?.state === 'succeeded');
    const { runId } = tab.info(pair)!;
    await until(() => isLanded(tab, runId));
    const follows = jest.fn();
    tab.session.pairChanged.connect((_, id) => {
      if (tab.session.live(id)) {
        follows(id);
      }
    });
    gate.open();
    await done;
    expect(follows).not.toHaveBeenCalled();
    expect(tab.session.busy).toBeNull();
    expect(tab.session.live(pair)).toBeNull();
  });

  it('lands at once what ended before the response came', async () => {
    const tab = await openChat();
    const grace = catchTimers(...GRACE);
    const gate = tab.net.stop(POST_RUN, 'answer');
    const { pair, done } = tab.write('Own, though the answer is late');
    await gate.reached;
    await ended(tab, pair);
    gate.open();
    await done;
    await tab.settled(pair);
    expect(tab.info(pair)?.state).toBe('succeeded');
    expect(grace).toEqual([]);
  });

  it('owns the attempts that the server makes after its own', async () => {
    const tab = await openChat();
    await tab.script(
      { steps: [{ delta: 'Half ' }, { cut: true }] },
      { steps: [{ delta: 'a reply.' }, { finish: 'stop' }, { done: true }] }
    );
    const grace = catchTimers(...GRACE);
    const { pair, done } = tab.write('Try by yourself');
    await done;
    await until(() => tab.info(pair)?.state === 'succeeded');
    expect(tab.info(pair)).toMatchObject({ attempt: 2 });
    expect(tab.reply(pair)).toContain('a reply.');
    expect(grace).toEqual([]);
    const open = () => tab.api.listRuns({ chat: tab.chatId, open: true });
    await until(async () => (await open()).length === 0);
  });
});

describe('a tab that only watches', () => {
  it('shows the reply, stays clean, and reads it from the file', async () => {
    const one = await openChat();
    const two = await one.another();
    const dirty = jest.fn();
    two.context.model.stateChanged.connect((_, { name, newValue }) => {
      if (name === 'dirty' && newValue === true) {
        dirty();
      }
    });
    const { pair, end, run } = await begin(one);
    await two.shows(pair, 'Half ');
    expect(two.pairs).toEqual([pair]);
    expect(two.context.model.dirty).toBe(false);
    expect(two.session.busy?.id).toBe(run);
    catchTimers(...GRACE);
    await end();
    await two.settled(pair);
    expect(two.reply(pair)).toBe('Half and whole.');
    expect(two.context.model.dirty).toBe(false);
    expect(two.net.made.filter(name => /^PUT \/api/.test(name))).toEqual([]);
    expect(await isLanded(one, run)).toBe(true);
  });

  it('keeps its own changes, and lands the reply itself', async () => {
    const one = await openChat();
    const two = await one.another({ autosave: false });
    two.notebook.insertCell(0, { cell_type: 'raw', source: 'Mine' });
    const { pair, end } = await begin(one);
    await two.shows(pair, 'Half ');
    expect(two.context.model.dirty).toBe(true);
    await end();
    await two.settled(pair);
    expect(two.reply(pair)).toBe('Half and whole.');
    const sources = two.notebook.cells.map(cell => cell.getSource());
    expect(sources.sort()).toEqual(['Go on', 'Mine']);
    expect(two.context.model.dirty).toBe(true);
  });

  it('keeps showing a reply that it could not read from the file', async () => {
    const one = await openChat();
    const two = await one.another();
    const troubles: string[] = [];
    const { pair, end, run } = await begin(one);
    await two.shows(pair, 'Half ');
    jest.spyOn(console, 'warn').mockImplementation();
    catchTimers(...GRACE);
    two.net.broken = /GET \/api\/contents/;
    two.session.changed.connect(() => {
      if (two.session.notice) {
        troubles.push(two.session.notice);
      }
    });
    await end();
    await until(() => troubles.length > 0);
    expect(troubles[0]).toMatch(/could not be read again/);
    await two.shows(pair, 'Half and whole.');
    expect(await isLanded(one, run)).toBe(true);
    // What can be seen goes with the next message.
    two.net.broken = null;
    await two.ask('And more?');
    const body = (await server.requests()).pop()!.body;
    expect(JSON.parse(body).messages).toHaveLength(3);
  });

  it('lands the reply itself when the sender is gone, after a grace period', async () => {
    const one = await openChat();
    const two = await one.another();
    const { pair, end, run } = await begin(one);
    await two.shows(pair, 'Half ');
    const grace = catchTimers(...GRACE);
    one.kill();
    await end();
    await ended(two, pair);
    expect(two.session.live(pair)?.hasEnded).toBe(true);
    expect(two.info(pair)?.state).toBe('sending');
    expect(grace).toHaveLength(1);
    grace[0]();
    expect(two.info(pair)?.state).toBe('succeeded');
    await until(async () => (await two.saved(pair)) === 'Half and whole.');
    await until(() => isLanded(two, run));
  });

  it('that opens later lands at once what has not landed', async () => {
    const one = await openChat();
    const { pair, end, run } = await begin(one);
    one.kill();
    await end();
    await until(async () => {
      const { api } = one;
      const response = await fetch(
        `${api.serverSettings.baseUrl}turnbook/api/runs/${run}?token=${server.token}`
      );
      return ((await response.json()) as any).run.state === 'done';
    });
    const grace = catchTimers(...GRACE);
    const two = await one.another();
    await until(() => two.reply(pair) === 'Half and whole.');
    expect(grace).toEqual([]);
    await until(() => isLanded(two, run));
  });

  it('learns what landed while it was disconnected', async () => {
    const one = await openChat();
    const two = await one.another();
    const { pair, end } = await begin(one);
    await two.shows(pair, 'Half ');
    // Its socket is gone and comes back when all is over.
    const lost = (two.socket as any)._socket as WebSocket;
    catchTimers(...GRACE);
    lost.close();
    await end();
    await one.settled(pair);
    await until(() => isLanded(one, one.info(pair)!.runId));
    two.socket.wake();
    await two.settled(pair);
    expect(two.reply(pair)).toBe('Half and whole.');
    expect(two.context.model.dirty).toBe(false);
  });
});

describe('a run that cannot be followed', () => {
  it.each(['no-such-run', 'damaged'])(
    'is let go, said, and does not lock its chat: %s',
    async code => {
      const held = holdEvents();
      const tab = await openChat({ WebSocket: held.WebSocket });
      const { pair, run, end } = await begin(tab);
      jest.spyOn(console, 'warn').mockImplementation();
      expect(tab.session.busy?.id).toBe(run);
      held.say({ error: { code, message: `It is ${code}.` }, run });
      expect(tab.session.busy).toBeNull();
      expect(tab.session.live(pair)).toBeNull();
      expect(tab.session.notice).toContain(`It is ${code}.`);
      // The pair stays, and so does what the journal has.
      expect(tab.pairs).toEqual([pair]);
      expect(tab.info(pair)?.state).toBe('sending');
      await end();
      await until(() => tab.reply(pair) === 'Half and whole.');
    }
  );
});
