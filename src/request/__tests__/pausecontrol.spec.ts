import 'fake-indexeddb/auto';

import type { IHeld } from '../pause';
import { PauseControl } from '../pausecontrol';
import { browserStorage } from '../storage';

const MESSAGE: IHeld = { pair: 'next', text: 'Wait', at: 1, resend: false };

let chats = 0;

function control(): PauseControl {
  return new PauseControl({ store: browserStorage() });
}

describe('PauseControl', () => {
  it('has the held message and the switch again after a reload', async () => {
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

  it('holds nothing while it is off, and one message after Next', async () => {
    const pause = control();
    await pause.open(`pause-${++chats}`);
    expect(await pause.hold(MESSAGE)).toBe(false);
    pause.next();
    expect(await pause.hold(MESSAGE)).toBe(true);
    await pause.cancel();
    expect(await pause.hold(MESSAGE)).toBe(false);
  });

  it('follows the setting only where the user never chose', async () => {
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

  it('takes stored nonsense for nothing', async () => {
    const name = `pause-${++chats}`;
    await browserStorage().set(`turnbook:pause:${name}`, { held: 7 });
    const pause = control();
    await pause.open(name);
    expect(pause.held).toBeNull();
    expect(pause.mode).toBe('off');
  });
});
