import 'fake-indexeddb/auto';

import type { IHeld } from '../pause';
import { PauseControl } from '../pausecontrol';
import { browserStorage } from '../../base/storage';

const MESSAGE: IHeld = { pair: 'next', text: 'Wait', at: 1, resend: false };

let chats = 0;

function control(): PauseControl {
  return new PauseControl({ store: browserStorage() });
}

describe('PauseControl', () => {
  it('restores the paused message and the switch after a reload', async () => {
    const name = `pause-${++chats}`;
    const before = control();
    await before.open(name);
    before.mode = 'always';
    expect(await before.hold(MESSAGE)).toBe(true);
    before.dispose();

    const after = control();
    await after.open(name);
    expect(after.held).toEqual(MESSAGE);
    expect(after.mode).toBe('always');
    await after.resume();

    const last = control();
    await last.open(name);
    expect(last.held).toBeNull();
    expect(last.mode).toBe('always');
  });

  it('restores them when the chat was known only by its path at first', async () => {
    const name = `pause-${++chats}`;
    const before = control();
    await before.open(name);
    before.mode = 'always';
    await before.hold(MESSAGE);

    const after = control();
    await after.open(`path:${name}`);
    expect(after.held).toBeNull();
    await after.open(name);
    expect(after.held).toEqual(MESSAGE);
    expect(after.mode).toBe('always');

    // A choice made in the meantime wins.
    const chosen = control();
    await chosen.open(`path:${name}`);
    chosen.mode = 'off';
    await chosen.open(name);
    expect(chosen.mode).toBe('off');
    expect(chosen.held).toBeNull();
  });

  it('pauses nothing while it is off, and one message after Next', async () => {
    const pause = control();
    await pause.open(`pause-${++chats}`);
    expect(await pause.hold(MESSAGE)).toBe(false);
    pause.next();
    expect(await pause.hold(MESSAGE)).toBe(true);
    await pause.cancel();
    expect(await pause.hold(MESSAGE)).toBe(false);
  });

  it('follows the setting only if the user never chose', async () => {
    const name = `pause-${++chats}`;
    const before = control();
    before.fallback = 'always';
    await before.open(name);
    expect(before.mode).toBe('always');
    before.mode = 'off';
    // Written in the order of the calls.
    await before.open(`${name}-moved`);

    const after = control();
    after.fallback = 'always';
    await after.open(`${name}-moved`);
    expect(after.mode).toBe('off');
    const elsewhere = control();
    elsewhere.fallback = 'always';
    await elsewhere.open(name);
    expect(elsewhere.mode).toBe('always');
  });

  it('changes with the setting until the user chooses, except for the next send', async () => {
    const pause = control();
    await pause.open(`pause-${++chats}`);
    pause.fallback = 'always';
    expect(pause.mode).toBe('always');
    pause.fallback = 'off';
    expect(pause.mode).toBe('off');
    // Only the next send: the setting neither cancels nor extends that.
    pause.next();
    pause.fallback = 'always';
    expect(pause.mode).toBe('once');
    pause.fallback = 'off';
    expect(pause.mode).toBe('once');

    const chosen = control();
    await chosen.open(`pause-${++chats}`);
    chosen.fallback = 'always';
    chosen.mode = 'off';
    chosen.fallback = 'off';
    chosen.fallback = 'always';
    expect(chosen.mode).toBe('off');
    chosen.mode = 'always';
    chosen.fallback = 'off';
    expect(chosen.mode).toBe('always');
  });

  it('still pauses the next send after a reload, whatever the setting', async () => {
    const name = `pause-${++chats}`;
    const before = control();
    await before.open(name);
    before.next();
    await before.open(`${name}-moved`);
    const after = control();
    after.fallback = 'always';
    await after.open(`${name}-moved`);
    expect(after.mode).toBe('once');
  });

  it('keeps a paused message across a reload in which the setting changed', async () => {
    const name = `pause-${++chats}`;
    const before = control();
    before.fallback = 'always';
    await before.open(name);
    await before.hold(MESSAGE);
    const after = control();
    await after.open(name);
    expect(after.held).toEqual(MESSAGE);
    expect(after.mode).toBe('off');
    // Neither the switch nor another send releases it.
    after.mode = 'off';
    expect(await after.hold({ ...MESSAGE, text: 'Other' })).toBe(true);
    expect(after.held).toEqual(MESSAGE);
    await after.cancel();
    expect(after.held).toBeNull();
  });

  it('keeps a choice that equals the setting, even if it was made early', async () => {
    const name = `pause-${++chats}`;
    const before = control();
    before.mode = 'off';
    await before.open(name);
    const after = control();
    after.fallback = 'always';
    await after.open(name);
    expect(after).toMatchObject({ mode: 'off', isChosen: true });

    const other = `pause-${++chats}`;
    const late = control();
    await late.open(other);
    late.mode = 'off';
    // Writes are kept in order, so a later one ends after it.
    await browserStorage().set('turnbook:pause:later', 1);
    const again = control();
    again.fallback = 'always';
    await again.open(other);
    expect(again).toMatchObject({ mode: 'off', isChosen: true });
  });

  it('stores nothing if nothing was chosen or paused', async () => {
    const name = `pause-${++chats}`;
    const key = `turnbook:pause:${name}`;
    const pause = control();
    pause.fallback = 'always';
    await pause.open(name);
    await pause.hold(MESSAGE);
    expect(await browserStorage().get(key)).toMatchObject({ held: MESSAGE });
    await pause.resume();
    expect(await browserStorage().get(key)).toBeUndefined();
  });

  it('emits only on changes, and never after it is disposed', async () => {
    const name = `pause-${++chats}`;
    const pause = control();
    const heard = jest.fn();
    pause.changed.connect(heard);
    await pause.open(name);
    pause.mode = 'off';
    await pause.cancel();
    expect(heard).not.toHaveBeenCalled();
    pause.mode = 'always';
    expect(heard).toHaveBeenCalledTimes(1);
    await pause.hold(MESSAGE);
    const later = control();
    const opening = later.open(name);
    later.dispose();
    await opening;
    expect(later.held).toBeNull();
  });

  it('ignores invalid stored values', async () => {
    const name = `pause-${++chats}`;
    await browserStorage().set(`turnbook:pause:${name}`, { held: 7 });
    const pause = control();
    await pause.open(name);
    expect(pause.held).toBeNull();
    expect(pause.mode).toBe('off');
  });

  it('lets nothing go that would be paused again after a reload', async () => {
    const kept = new Map<string, unknown>();
    let isFull = false;
    const write = async (change: () => void) => {
      if (isFull) {
        throw new Error('full');
      }
      change();
    };
    const store: PauseControl.IStore = {
      get: async key => kept.get(key),
      set: (key, value) => write(() => void kept.set(key, value)),
      del: key => write(() => void kept.delete(key))
    };
    const stored = new PauseControl({ store });
    await stored.open('chat');
    stored.mode = 'always';
    await stored.hold(MESSAGE);
    isFull = true;
    await expect(stored.resume()).rejects.toThrow('full');
    expect(stored.held).toEqual(MESSAGE);
    isFull = false;
    await stored.resume();
    expect(stored.held).toBeNull();

    // What a reload would not bring back may go, and come back.
    isFull = true;
    await expect(stored.hold(MESSAGE)).rejects.toThrow('full');
    expect(stored.held).toEqual(MESSAGE);
    await stored.resume();
    expect(stored.held).toBeNull();
    await stored.putBack(MESSAGE);
    expect(stored.held).toEqual(MESSAGE);
  });
});
