import { built, edited, section } from '../../__tests__/requests';
import { Handover } from '../handover';
import { ReplayManager } from '../manager';
import type { IKept } from '../store';

const kept: IKept = {
  key: 'c/p',
  origin: { chatId: 'c', pair: 'p', name: 'c', path: 'c', turn: 1 },
  built: {
    replay: built(edited([section({ role: 'user', content: 'Hi' })])),
    originals: {},
    before: null
  }
};

/** Pages that hear each other, as those of one browser do. */
function pages(count: number) {
  const made = Array.from({ length: count }, () => {
    const manager = new ReplayManager();
    return { manager, handover: new Handover(manager) };
  });
  const close = () => made.forEach(({ handover }) => handover.dispose());
  return { made, close };
}

describe('handing over replays', () => {
  it('gives a replay to the page that asks for it, and to no other', async () => {
    const { made, close } = pages(3);
    const [source, shows, other] = made;
    source.manager.take(kept);
    const taken = new Promise(resolve => {
      shows.manager.changed.connect((_, key) => resolve(key));
    });
    shows.handover.ask('c/p');
    expect(await taken).toBe('c/p');
    expect(shows.manager.get('c/p')?.current).toEqual(kept.built);
    expect(other.manager.list()).toEqual([]);
    close();
  });

  it('ignores what it did not ask for, and what is no replay', async () => {
    const { made, close } = pages(1);
    const [{ manager, handover }] = made;
    const asks: unknown[] = [];
    const stranger = new BroadcastChannel('turnbook-replays');
    const heard = new Promise<void>(resolve => {
      stranger.onmessage = ({ data }) => {
        asks.push(data);
        resolve();
      };
    });
    for (const odd of [{ give: kept }, { give: null }, 'x', null, { ask: 1 }]) {
      stranger.postMessage(odd);
    }
    handover.ask('c/q');
    await heard;
    expect(asks).toEqual([{ ask: 'c/q' }]);
    expect(manager.list()).toEqual([]);
    stranger.close();
    close();
  });
});
