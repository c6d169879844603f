import Ajv from 'ajv';
import { readFileSync } from 'fs';
import * as path from 'path';
import { parse } from 'yaml';

import { DisposableDelegate } from '@lumino/disposable';
import { Signal } from '@lumino/signaling';

import type { IEditedRequest } from '../../../request/model';
import { replayKey } from '../entry';
import { ReplayManager } from '../manager';
import {
  differsFromLogged,
  digest,
  NothingToReplay,
  type ISentFacts
} from '../record';
import type { IReplaySource, ITurns } from '../source';
import type { IKept, IReplayStore } from '../store';
import { edited, section } from '../../__tests__/requests';

const EVENTS = path.join(__dirname, '../../../../jupyterlab_turnbook/events');

class Memory implements IReplayStore {
  readonly kept = new Map<string, IKept>();
  put(key: string, kept: IKept): void {
    this.kept.set(key, kept);
  }
  remove(key: string): void {
    this.kept.delete(key);
  }
  async all(): Promise<IKept[]> {
    return [...this.kept.values()];
  }
}

class Turn implements IReplaySource {
  constructor(
    pair: string,
    public current: IEditedRequest,
    public loggedHash: string | null = null
  ) {
    this.origin = { chatId: 'c', pair, name: 'c', path: 'c', turn: 1 };
  }
  readonly origin;
  readonly changed = new Signal<this, void>(this);
  versions = 0;
  watched = 0;
  watch = () => {
    this.watched += 1;
    return new DisposableDelegate(() => (this.watched -= 1));
  };
  request = () => this.current;
  version = () => ({
    version: ++this.versions,
    requestId: 'run',
    loggedHash: this.loggedHash
  });
  say(text: string): void {
    this.current = saying(text);
    this.changed.emit();
  }
}

const saying = (text: string) =>
  edited([
    section(
      { role: 'user', content: text },
      { edited: true, original: { role: 'user', content: 'before' } }
    )
  ]);

/** An open chat with one turn. */
function turnsOf(turn: Turn) {
  const turns = {
    isThere: true,
    logged: null as ISentFacts | null,
    hash: () => (turns.isThere ? turn.current.hash : null),
    sent: () => turns.logged,
    source: async () => (turns.isThere ? turn : null)
  };
  return turns;
}

function setUp(turns?: ITurns) {
  const events: [string, Record<string, unknown>][] = [];
  const timers: (() => void)[] = [];
  const store = new Memory();
  const manager = new ReplayManager({
    store,
    turns,
    emit: (name, data) => events.push([name, data]),
    schedule: task => {
      timers.push(task);
      return () => timers.splice(timers.indexOf(task) >>> 0, 1);
    }
  });
  const names = () => events.map(([name]) => name);
  return { events, names, timers, store, manager };
}

const settle = () => new Promise<void>(resolve => setImmediate(resolve));

describe('replays', () => {
  it('are one for each turn, and a new one replaces the old', async () => {
    const { manager } = setUp();
    const a = new Turn('a', saying('one'));
    await manager.replay(a);
    await manager.replay(new Turn('b', saying('other')));
    a.current = saying('two');
    const entry = await manager.replay(a);
    expect(manager.list('c')).toHaveLength(2);
    expect(manager.list('elsewhere')).toHaveLength(0);
    expect(entry.current!.replay.record.payload).toContain('two');
    expect(entry.current!.originals).toEqual({
      0: { role: 'user', content: 'before' }
    });
    expect(entry.current!.before).toContain('before');
    expect(
      manager.restore(entry.key)!.current!.replay.record.payload
    ).toContain('one');
  });

  it('that cannot be built are not retried until the request changes', async () => {
    const { manager, timers } = setUp();
    const turn = new Turn('a', saying('one'));
    const { key } = await manager.replay(turn);
    manager.setOpen(key, true);
    const { version } = turn;
    turn.version = () => {
      // A new version is a change of the draft, so listeners are notified.
      turn.changed.emit();
      return version();
    };
    turn.current = edited([]);
    turn.changed.emit();
    for (let n = 0; n < 5; n++) {
      timers.pop()?.();
      await settle();
    }
    expect(turn.versions).toBe(2);
    expect(timers).toHaveLength(0);
    expect(manager.get(key)!.problem).toBeInstanceOf(NothingToReplay);
    // On request, it is tried again.
    await manager.replay(turn);
    expect(turn.versions).toBe(3);
    turn.say('two');
    timers.pop()!();
    await settle();
    expect(manager.get(key)!.current!.replay.record.payload).toContain('"two"');
    turn.current = edited([]);
    turn.changed.emit();
    timers.pop()!();
    await settle();
    expect(manager.get(key)!.problem).toBeInstanceOf(NothingToReplay);
  });

  it('combine rapid edits into one build, only while open', async () => {
    const { manager, timers } = setUp();
    const turn = new Turn('a', saying('one'));
    const { key } = await manager.replay(turn);
    turn.say('unseen');
    expect(timers).toHaveLength(0);
    manager.setOpen(key, true);
    for (const text of ['t', 'tw', 'two']) {
      turn.say(text);
    }
    expect(timers).toHaveLength(1);
    timers.pop()!();
    await settle();
    expect(turn.versions).toBe(2);
    expect(manager.get(key)!.current!.replay.record.payload).toContain('"two"');
    // An undo back to what is shown builds nothing.
    turn.say('two');
    timers.pop()!();
    await settle();
    expect(turn.versions).toBe(2);
    expect(turn.watched).toBe(1);
    manager.setOpen(key, false);
    expect(turn.watched).toBe(0);
  });

  it('that was restored stays until the request changes', async () => {
    const { manager, timers } = setUp();
    const turn = new Turn('a', saying('one'));
    const { key } = await manager.replay(turn);
    manager.setOpen(key, true);
    turn.say('two');
    await manager.replay(turn);
    const shown = () => manager.get(key)!.current!.replay.record.payload;
    expect(shown()).toContain('"two"');
    turn.say('two');
    manager.restore(key);
    expect(timers).toHaveLength(0);
    turn.say('two');
    timers.pop()!();
    await settle();
    expect(shown()).toContain('"one"');
    turn.say('three');
    timers.pop()!();
    await settle();
    expect(shown()).toContain('"three"');
  });

  it('of nothing keep what was there, and say why', async () => {
    const { manager } = setUp();
    const turn = new Turn('a', edited([]));
    const first = await manager.replay(turn);
    expect(first.machine.state).toBe('idle');
    expect(first.problem).toBeInstanceOf(NothingToReplay);
    turn.current = saying('one');
    await manager.replay(turn);
    turn.current = edited([]);
    const entry = await manager.replay(turn);
    expect(entry.machine.state).toBe('replay_ready');
    expect(entry.current!.replay.record.payload).toContain('one');
    expect(entry.problem).toBeInstanceOf(NothingToReplay);
  });

  it('report events, with lineage', async () => {
    const { manager, events, names } = setUp();
    const turn = new Turn('a', saying('one'), 'e'.repeat(64));
    const { key } = await manager.replay(turn);
    manager.startChatting(key, 'fork');
    manager.clear(key, 'pair-deleted');
    manager.restore(key);
    expect(names()).toEqual([
      'replay',
      'parity-mismatch',
      'start-chatting',
      'stale',
      'restore'
    ]);
    for (const [, data] of events) {
      expect(data).toMatchObject({
        chat: 'c',
        pair: 'a',
        replay_parent_session_id: 'c',
        replay_parent_turn_id: 'a',
        version: 1,
        hash: turn.current.hash,
        debugName: 'c · turn 1'
      });
    }
    for (const [name, data] of events) {
      expect(data.requestId).toBe(
        name === 'parity-mismatch' ? undefined : 'run'
      );
    }
    expect(events[0][1]).toMatchObject({
      replay: key,
      sections: { history: 1 },
      edited: 1,
      deleted: 0
    });
    expect(events[1][1]).toMatchObject({
      otherHash: 'e'.repeat(64),
      run: 'run',
      where: 'replay'
    });
    expect(events[2][1]).toMatchObject({ fork: 'fork' });
    expect(events[3][1]).toMatchObject({ reason: 'pair-deleted' });
    // As the server accepts them.
    const ajv = new Ajv({ strict: false });
    for (const [name, data] of events) {
      const file = path.join(EVENTS, `${name}.yaml`);
      const schema = parse(readFileSync(file, 'utf-8'));
      expect([ajv.validate(schema, data), ajv.errors]).toEqual([true, null]);
    }
  });

  it('come back after a reload if they are stored, and not once they are cleared', async () => {
    const { manager, store } = setUp();
    const { key } = await manager.replay(new Turn('a', saying('one')));
    await manager.replay(new Turn('b', saying('two')));
    manager.clear(replayKey({ chatId: 'c', pair: 'b' }), 'cancelled');
    store.put('damaged', { origin: {}, built: {} } as never);

    const next = new ReplayManager({ store });
    await next.recall();
    expect(next.list()).toHaveLength(1);
    const entry = next.get(key)!;
    expect(entry.machine.state).toBe('replay_ready');
    expect(entry.current).toEqual(manager.get(key)!.current);
  });

  it('learn what their turn was sent with, open or not, and report it once', async () => {
    const turn = new Turn('a', saying('one'));
    const turns = turnsOf(turn);
    const { manager, store, events, names } = setUp(turns);
    const { key } = await manager.replay(turn);
    turn.current = saying('two');
    await manager.replay(turn);
    const record = () => manager.get(key)!.current!.replay.record;
    expect(record()).not.toHaveProperty('loggedHash');
    manager.look('c', 'a');
    expect(record().requestId).toBe('run');

    turns.logged = { requestId: 'run-9', loggedHash: turn.current.hash };
    manager.look('elsewhere');
    manager.look('c', 'b');
    expect(record().requestId).toBe('run');
    manager.look('c', 'a');
    expect(record()).toMatchObject(turns.logged);
    const { lineage } = manager.get(key)!.current!.replay;
    expect(lineage.requestId).toBe('run-9');
    expect(record().digest).toBe(digest(record(), lineage));
    expect(store.kept.get(key)!.built.replay.record).toEqual(record());
    expect(names()).not.toContain('parity-mismatch');

    // The previous one says that other bytes were sent.
    manager.restore(key);
    expect(differsFromLogged(record())).toBe(true);
    turns.logged = { requestId: 'run-10', loggedHash: turn.current.hash };
    manager.look('c');
    manager.look('c');
    const told = events.filter(([name]) => name === 'parity-mismatch');
    expect(told.map(([, data]) => [data.run, data.otherHash])).toEqual([
      ['run-10', turn.current.hash]
    ]);
  });

  it('that are closed are outdated once their request changes, and are rebuilt when opened', async () => {
    const turn = new Turn('a', saying('one'));
    const turns = turnsOf(turn);
    const { manager } = setUp(turns);
    const { key } = await manager.replay(turn);
    const shown = () => manager.get(key)!.current!.replay.record.payload;
    expect(manager.isOutdated(key)).toBe(false);
    turn.current = saying('two');
    expect(manager.isOutdated(key)).toBe(true);
    turns.isThere = false;
    expect(manager.isOutdated(key)).toBe(false);
    manager.setOpen(key, true);
    await settle();
    expect(shown()).toContain('"one"');
    turns.isThere = true;
    manager.look('c');
    await settle();
    expect(shown()).toContain('"two"');
    expect(manager.isOutdated(key)).toBe(false);

    // The one that the user restored is meant to differ.
    manager.restore(key);
    manager.setOpen(key, false);
    expect(manager.isOutdated(key)).toBe(false);
    manager.setOpen(key, true);
    await settle();
    expect(shown()).toContain('"one"');
    manager.setOpen(key, false);
    turn.current = saying('three');
    expect(manager.isOutdated(key)).toBe(true);

    // A cleared one is left alone.
    manager.clear(key, 'chat-closed');
    manager.setOpen(key, true);
    await settle();
    expect(manager.get(key)!.machine.state).toBe('stale');
    expect(manager.isOutdated(key)).toBe(false);
  });

  it('that were stored across a reload follow again once they and their chat are open', async () => {
    const turn = new Turn('a', saying('one'));
    const { manager, store } = setUp();
    const { key } = await manager.replay(turn);
    turn.current = saying('two');
    const turns = turnsOf(turn);
    const timers: (() => void)[] = [];
    const next = new ReplayManager({
      store,
      turns,
      schedule: task => {
        timers.push(task);
        return () => undefined;
      }
    });
    next.setOpen(key, true);
    await next.recall();
    await settle();
    const shown = () => next.get(key)!.current!.replay.record.payload;
    expect(shown()).toContain('"two"');
    turn.say('three');
    timers.pop()!();
    await settle();
    expect(shown()).toContain('"three"');
  });

  it('of a chat without an id keep their key when it gets one', async () => {
    const turn = new Turn('a', saying('one'));
    const { manager, store } = setUp(turnsOf(turn));
    const { key } = await manager.replay(turn);
    manager.adopt('other', 'id');
    expect(manager.list('id')).toHaveLength(0);
    manager.adopt('c', 'id');
    expect(manager.list('id').map(entry => entry.key)).toEqual([key]);
    expect(manager.keyOf({ chatId: 'id', pair: 'a' })).toBe(key);
    const later = new Turn('a', saying('two'));
    (later as any).origin = { ...later.origin, chatId: 'id' };
    expect((await manager.replay(later)).key).toBe(key);
    const next = new ReplayManager({ store });
    await next.recall();
    expect(next.list('id').map(entry => entry.key)).toEqual([key]);
  });

  it('of a chat are cleared together', async () => {
    const { manager } = setUp();
    await manager.replay(new Turn('a', saying('one')));
    await manager.replay(new Turn('b', saying('two')));
    manager.clearChat('c', 'chat-closed');
    expect(manager.list().map(({ machine }) => machine.why)).toEqual([
      'chat-closed',
      'chat-closed'
    ]);
  });
});
