import { startServer, type IRealServer } from '../../runs/__tests__/realserver';
import {
  catchTimers,
  closeTabs,
  newChat,
  NodeWebSocket,
  POST_RUN,
  readWhileWritten,
  Tab,
  until
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

let gates = 0;

/** Have the provider begin a reply, and end it when the answer is called. */
async function pausedReply(tab: Tab): Promise<() => Promise<void>> {
  const gate = `follower-${++gates}`;
  await tab.script({
    steps: [
      { delta: 'Half ' },
      { wait: gate },
      { delta: 'and whole.' },
      { finish: 'stop' },
      { done: true }
    ]
  });
  return () => server.release(gate);
}

/** Begin a message whose reply is half there. */
async function begin(tab: Tab, text = 'Go on') {
  const end = await pausedReply(tab);
  const { pair, done } = tab.write(text);
  await done;
  await tab.shows(pair, 'Half ');
  return { pair, end, run: tab.session.live(pair)!.run.id };
}

/** Wait until a followed reply has come to its end; it may have landed by then. */
function ended(tab: Tab, pair: string): Promise<void> {
  return until(() => tab.session.live(pair)?.hasEnded ?? true);
}

/** Sockets that can hold the events of runs back, and say what the server does not. */
function holdEvents() {
  type Listener = (event: MessageEvent) => void;
  const late: (() => void)[] = [];
  let isHolding = false;
  let listener: Listener = () => undefined;
  class Held extends NodeWebSocket {
    override set onmessage(heard: Listener) {
      listener = heard;
      super.onmessage = event => {
        if (isHolding && /^\{"run":/.test(event.data)) {
          late.push(() => heard(event));
        } else {
          heard(event);
        }
      };
    }
  }
  return {
    WebSocket: Held,
    hold: () => {
      isHolding = true;
    },
    release: () => {
      isHolding = false;
      late.splice(0).forEach(deliver => deliver());
    },
    say: (message: unknown) =>
      listener({ data: JSON.stringify(message) } as MessageEvent)
  };
}

const isLanded = async (tab: Tab, run: string) =>
  (await tab.api.getRun(run)).run.landed;

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

  it('does so after a reload too', async () => {
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
    await end();
    await two.settled(pair);
    await until(() => isLanded(one, run));
    expect(two.reply(pair)).toBe('Half and whole.');
    expect(two.net.made.filter(name => /^PUT \/api/.test(name))).toEqual([]);
    expect(one.net.made.some(name => /^PUT \/api/.test(name))).toBe(true);
  });

  it('keeps the message that it is sending: a copy of it does not take it back', async () => {
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

  it('does not follow a run again whose answer comes after its reply has landed', async () => {
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

  it('lands at once what ended before the answer came', async () => {
    const tab = await openChat();
    const grace = catchTimers(3000, 5000);
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

  it('takes the attempts that the server makes after its own', async () => {
    const tab = await openChat();
    await tab.script(
      { steps: [{ delta: 'Half ' }, { cut: true }] },
      { steps: [{ delta: 'a reply.' }, { finish: 'stop' }, { done: true }] }
    );
    const grace = catchTimers(3000, 5000);
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

describe('a tab that watches', () => {
  it('shows the reply, stays clean, and takes it from the file', async () => {
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
    await end();
    await two.settled(pair);
    expect(two.reply(pair)).toBe('Half and whole.');
    expect(two.context.model.dirty).toBe(false);
    expect(two.net.made.filter(name => /^PUT \/api/.test(name))).toEqual([]);
    expect(await isLanded(one, run)).toBe(true);
  });

  it('keeps its own changes, and lands by itself', async () => {
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

  it('goes on showing a reply that it could not take from the file', async () => {
    const one = await openChat();
    const two = await one.another();
    const troubles: string[] = [];
    const { pair, end, run } = await begin(one);
    await two.shows(pair, 'Half ');
    jest.spyOn(console, 'warn').mockImplementation();
    catchTimers(3000, 5000);
    two.net.broken = /GET \/api\/contents/;
    two.session.changed.connect(() => {
      if (two.session.notice) {
        troubles.push(two.session.notice);
      }
    });
    await end();
    await until(() => troubles.length > 0);
    expect(troubles[0]).toMatch(/could not be read again/);
    expect(two.session.live(pair)?.text).toBe('Half and whole.');
    expect(await isLanded(one, run)).toBe(true);
    // What can be seen goes with the next message.
    two.net.broken = null;
    await two.ask('And more?');
    const body = (await server.requests()).pop()!.body;
    expect(JSON.parse(body).messages).toHaveLength(3);
  });

  it('lands by itself when the sender is gone, after giving it time', async () => {
    const one = await openChat();
    const two = await one.another();
    const { pair, end, run } = await begin(one);
    await two.shows(pair, 'Half ');
    const grace = catchTimers(3000, 5000);
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

  it('that comes when all is over lands at once what nobody has landed', async () => {
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
    const grace = catchTimers(3000, 5000);
    const two = await one.another();
    await until(() => two.reply(pair) === 'Half and whole.');
    expect(grace).toEqual([]);
    await until(() => isLanded(two, run));
  });

  it('hears of what landed while it was away', async () => {
    const one = await openChat();
    const two = await one.another();
    const { pair, end } = await begin(one);
    await two.shows(pair, 'Half ');
    // Its socket is gone and comes back when all is over.
    const lost = (two.socket as any)._socket as WebSocket;
    catchTimers(3000, 5000);
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

describe('a save', () => {
  it('has the end of a reply that is done, before that has come', async () => {
    const held = holdEvents();
    const tab = await openChat({ autosave: false, WebSocket: held.WebSocket });
    const { pair, end, run } = await begin(tab);
    held.hold();
    await end();
    await until(() => tab.session.live(pair)?.run.state === 'done');
    expect(tab.session.live(pair)?.text).toBe('Half ');
    await tab.context.save();
    expect(await tab.saved(pair)).toBe('Half and whole.');
    await until(() => isLanded(tab, run));
    expect(tab.context.model.dirty).toBe(false);
    // What comes late is nothing new.
    held.release();
    expect(tab.reply(pair)).toBe('Half and whole.');
  });

  it('is made without it when the journal does not answer, and reports nothing', async () => {
    const held = holdEvents();
    const tab = await openChat({ autosave: false, WebSocket: held.WebSocket });
    const { pair, end, run } = await begin(tab);
    jest.spyOn(console, 'warn').mockImplementation();
    held.hold();
    await end();
    await until(() => tab.session.live(pair)?.run.state === 'done');
    tab.net.broken = /GET \/turnbook\/api\/runs/;
    await tab.context.save();
    tab.net.broken = null;
    expect(await tab.saved(pair)).toBeNull();
    expect(await isLanded(tab, run)).toBe(false);
    held.release();
    await tab.settled(pair);
    expect(tab.context.model.dirty).toBe(true);
    await tab.context.save();
    expect(await tab.saved(pair)).toBe('Half and whole.');
    await until(() => isLanded(tab, run));
  });

  it('writes what the screen shows: a reply that has ended and waits for its sender', async () => {
    const one = await openChat();
    const { pair, end, run } = await begin(one);
    one.kill();
    const two = await one.another({ autosave: false });
    await two.shows(pair, 'Half ');
    catchTimers(3000, 5000);
    await end();
    await ended(two, pair);
    expect(two.session.live(pair)?.run.state).toBe('done');
    await two.context.save();
    expect(await two.saved(pair)).toBe('Half and whole.');
    expect(two.context.model.dirty).toBe(false);
    await until(() => isLanded(two, run));
  });

  it('that was under way when a reply landed does not count as one of it', async () => {
    const tab = await openChat({ autosave: false });
    const { pair, end, run } = await begin(tab);
    // The answer to the write is late: the reply lands before JupyterLab calls the document clean.
    const gate = tab.net.stop(/^PUT \/api\/contents/, 'answer');
    const saving = tab.context.save();
    await gate.reached;
    await end();
    await tab.settled(pair);
    expect(tab.reply(pair)).toBe('Half and whole.');
    gate.open();
    await saving;
    expect(tab.context.model.dirty).toBe(true);
    expect(await tab.saved(pair)).toBeNull();
    expect(await isLanded(tab, run)).toBe(false);
    await tab.context.save();
    expect(await tab.saved(pair)).toBe('Half and whole.');
    await until(() => isLanded(tab, run));
    expect(tab.context.model.dirty).toBe(false);
  });

  it('of the user is what a landed reply waits for when autosave is off', async () => {
    const tab = await openChat({ autosave: false });
    const pair = await tab.ask('Do not save');
    expect(tab.context.model.dirty).toBe(true);
    expect(await tab.saved(pair)).toBeNull();
    expect(await isLanded(tab, tab.info(pair)!.runId)).toBe(false);
  });

  it('whose report fails is reported after the next one', async () => {
    const tab = await openChat();
    const warned = jest.spyOn(console, 'warn').mockImplementation();
    tab.net.broken = /\/landed$/;
    const pair = await tab.ask('Report me');
    const { runId } = tab.info(pair)!;
    await until(() => warned.mock.calls.length > 0);
    expect(await isLanded(tab, runId)).toBe(false);
    tab.net.broken = null;
    await tab.context.save();
    await until(() => isLanded(tab, runId));
  });

  it('that fails reports nothing', async () => {
    const tab = await openChat();
    jest.spyOn(console, 'warn').mockImplementation();
    jest.spyOn(console, 'error').mockImplementation();
    tab.net.broken = /^PUT \/api\/contents/;
    const pair = await tab.ask('Keep me in the journal');
    const { runId } = tab.info(pair)!;
    await until(() => tab.net.made.some(name => /^PUT \/api/.test(name)));
    expect(await isLanded(tab, runId)).toBe(false);
    tab.net.broken = null;
    await tab.context.save();
    await until(() => isLanded(tab, runId));
  });
});

describe('a file that somebody reads while it is being written', () => {
  it('is written again: Jupyter has put the older one back', async () => {
    const tab = await openChat();
    const { pair, end, run } = await begin(tab);
    await readWhileWritten(server, tab.options.path, 2);
    await end();
    await until(() => isLanded(tab, run));
    expect(await tab.saved(pair)).toBe('Half and whole.');
    expect(tab.context.model.dirty).toBe(false);
    expect(tab.session.notice).toBeNull();
  });

  it('is not called saved when that goes on, and the journal keeps the reply', async () => {
    const tab = await openChat({ autosave: false });
    const pair = await tab.ask('Never written');
    const { runId } = tab.info(pair)!;
    await readWhileWritten(server, tab.options.path, 3);
    await expect(tab.context.save()).rejects.toThrow(/not saved/);
    expect(tab.session.notice).toMatch(/not saved/);
    expect(tab.context.model.dirty).toBe(true);
    expect(await tab.saved(pair)).toBeNull();
    expect(await isLanded(tab, runId)).toBe(false);
    await tab.context.save();
    expect(await tab.saved(pair)).toBe(tab.reply(pair));
    await until(() => isLanded(tab, runId));
  });

  it('is written once when there is nothing new to write', async () => {
    const tab = await openChat();
    await tab.ask('Settled');
    await until(() => !tab.context.model.dirty);
    await readWhileWritten(server, tab.options.path, 1);
    tab.net.made.length = 0;
    await tab.context.save();
    expect(tab.net.made.filter(name => /^PUT \/api/.test(name))).toHaveLength(
      1
    );
  });
});

describe('a file that another tab wrote', () => {
  it('has the reply of this one already when that tab has saved it too', async () => {
    const one = await openChat({ autosave: false });
    const { pair, end, run } = await begin(one);
    const two = await one.another({ autosave: false });
    await two.shows(pair, 'Half ');
    await end();
    await one.settled(pair);
    await ended(two, pair);
    await two.context.save();
    await one.file.read();
    expect(one.reply(pair)).toBe('Half and whole.');
    // Nothing of this page is to be saved, so it may report what it has read.
    expect([...(one.session as any)._runs._unsaved]).toEqual([]);
    await until(() => isLanded(one, run));
  });

  it('is taken, and the reply of this one is landed on top of it', async () => {
    const one = await openChat();
    const two = await one.another();
    const { pair, end } = await begin(one);
    await two.shows(pair, 'Half ');
    two.notebook.insertCell(0, { cell_type: 'raw', source: 'From two' });
    await two.context.save();
    await end();
    await one.settled(pair);
    await until(async () => (await one.saved(pair)) === 'Half and whole.');
    expect(one.notebook.cells.map(cell => cell.getSource())).toEqual([
      'From two',
      'Go on'
    ]);
  });
});
