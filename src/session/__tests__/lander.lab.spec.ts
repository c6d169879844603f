import {
  begin,
  ended,
  holdEvents,
  isLanded,
  openChat,
  server,
  useServer
} from './followed';
import { catchTimers, GRACE, readWhileWritten, until } from './tabs';

useServer();

describe('a save', () => {
  it('contains the end of a reply that is done, even before it has arrived', async () => {
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

  it('is made without it when the journal does not respond, and reports nothing', async () => {
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

  it('writes what the screen shows: an ended reply that waits for its sender', async () => {
    const one = await openChat();
    const { pair, end, run } = await begin(one);
    one.kill();
    const two = await one.another({ autosave: false });
    await two.shows(pair, 'Half ');
    catchTimers(...GRACE);
    await end();
    await ended(two, pair);
    expect(two.session.live(pair)?.run.state).toBe('done');
    await two.context.save();
    expect(await two.saved(pair)).toBe('Half and whole.');
    expect(two.context.model.dirty).toBe(false);
    await until(() => isLanded(two, run));
  });

  it('that was in progress when a reply landed does not count for it', async () => {
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

  it('by the user is what a landed reply waits for when autosave is off', async () => {
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
    await until(() => warned.mock.calls.join().includes('not reported'));
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

describe('a file that is read while it is being written', () => {
  it('is written again: Jupyter has restored the older version', async () => {
    const tab = await openChat();
    const { pair, end, run } = await begin(tab);
    await readWhileWritten(server, tab.options.path, 2);
    await end();
    await until(() => isLanded(tab, run));
    expect(await tab.saved(pair)).toBe('Half and whole.');
    expect(tab.context.model.dirty).toBe(false);
    expect(tab.session.notice).toBeNull();
  });

  it('does not count as saved while that continues, and the journal keeps the reply', async () => {
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
  it('already has the reply of this one when that tab has saved it too', async () => {
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
    expect([...(one.session as any)._parts.runs._lander._unsaved]).toEqual([]);
    await until(() => isLanded(one, run));
  });

  it('is read, and the reply of this one lands on top of it', async () => {
    const one = await openChat();
    const two = await one.another();
    const { pair, end } = await begin(one);
    await two.shows(pair, 'Half ');
    two.notebook.insertCell(0, { cell_type: 'raw', source: 'From two' });
    await two.context.save();
    catchTimers(...GRACE);
    await end();
    await one.settled(pair);
    await until(async () => (await one.saved(pair)) === 'Half and whole.');
    expect(one.notebook.cells.map(cell => cell.getSource())).toEqual([
      'From two',
      'Go on'
    ]);
  });
});
