import fc from 'fast-check';

import {
  canRestore,
  NO_REPLAY,
  transition,
  type IReplayMachine,
  type ReplayEvent,
  type ReplayState
} from '../state';

const one = { version: 1, hash: 'one' };
const two = { version: 2, hash: 'two' };
const three = { version: 3, hash: 'three' };

/** A machine in each state, with all fields set. */
const MACHINES: Record<ReplayState, IReplayMachine> = {
  idle: NO_REPLAY,
  building: {
    state: 'building',
    awaited: three,
    current: two,
    previous: one,
    why: null
  },
  replay_ready: {
    state: 'replay_ready',
    awaited: null,
    current: two,
    previous: one,
    why: null
  },
  fork_active: {
    state: 'fork_active',
    awaited: null,
    current: two,
    previous: one,
    why: null
  },
  stale: {
    state: 'stale',
    awaited: null,
    current: null,
    previous: two,
    why: 'cancelled'
  }
};

const newer = { version: 4, hash: 'four' };

const EVENTS: Record<ReplayEvent['type'], ReplayEvent> = {
  replay_request: { type: 'replay_request', build: newer },
  replay_replace: { type: 'replay_replace', build: newer },
  build_success: { type: 'build_success', build: three },
  build_fail: { type: 'build_fail', build: three },
  start_chatting: { type: 'start_chatting' },
  cancel: { type: 'cancel', why: 'pair-deleted' },
  restore_previous: { type: 'restore_previous' }
};

/** The transitions; what is not listed changes nothing. */
const TABLE: Record<
  ReplayState,
  Partial<Record<ReplayEvent['type'], ReplayState>>
> = {
  idle: { replay_request: 'building' },
  building: {
    replay_replace: 'building',
    build_success: 'replay_ready',
    build_fail: 'replay_ready',
    cancel: 'stale'
  },
  replay_ready: {
    replay_replace: 'building',
    start_chatting: 'fork_active',
    cancel: 'stale',
    restore_previous: 'replay_ready'
  },
  fork_active: {
    replay_replace: 'building',
    cancel: 'stale',
    restore_previous: 'replay_ready'
  },
  stale: { replay_request: 'building', restore_previous: 'replay_ready' }
};

const states = Object.keys(TABLE) as ReplayState[];
const types = Object.keys(EVENTS) as ReplayEvent['type'][];

describe('a replay', () => {
  it.each(states.flatMap(state => types.map(type => [state, type] as const)))(
    'in %s, on %s, follows the table',
    (state, type) => {
      const before = MACHINES[state];
      const after = transition(before, EVENTS[type]);
      const next = TABLE[state][type];
      if (next === undefined) {
        expect(after).toBe(before);
      } else {
        expect(after.state).toBe(next);
      }
    }
  );

  it('waits only for the newest build', () => {
    const replaced = transition(MACHINES.building, EVENTS.replay_replace);
    expect(replaced.awaited).toEqual(newer);
    // The superseded build arrives late.
    expect(transition(replaced, EVENTS.build_success)).toBe(replaced);
    expect(transition(replaced, EVENTS.build_fail)).toBe(replaced);
    // An older one does not replace a newer one.
    const older = { type: 'replay_replace', build: three } as const;
    expect(transition(replaced, older)).toBe(replaced);
  });

  it('ignores a build of another hash', () => {
    const event = {
      type: 'build_success',
      build: { version: 3, hash: 'other' }
    } as const;
    expect(transition(MACHINES.building, event)).toBe(MACHINES.building);
  });

  it('keeps the previous one, one level', () => {
    const ready = transition(MACHINES.building, EVENTS.build_success);
    expect(ready).toMatchObject({ current: three, previous: two });
    // Building the same request again is no reason to go back.
    const again = { ...three, version: three.version + 1 };
    const twice = transition(
      transition(ready, { type: 'replay_replace', build: again }),
      { type: 'build_success', build: again }
    );
    expect(twice).toMatchObject({ current: again, previous: two });
    const restored = transition(ready, EVENTS.restore_previous);
    expect(restored).toMatchObject({ current: two, previous: three });
  });

  it('shows nothing after a first failure, and what was there after a failed replacement', () => {
    const first = transition(NO_REPLAY, EVENTS.replay_request);
    const fail = { type: 'build_fail', build: newer } as const;
    expect(transition(first, fail)).toEqual(NO_REPLAY);
    expect(transition(MACHINES.building, EVENTS.build_fail)).toEqual(
      MACHINES.replay_ready
    );
  });

  it('shows nothing when it is cleared, and can be restored', () => {
    const stale = transition(MACHINES.fork_active, EVENTS.cancel);
    expect(stale).toMatchObject({ current: null, why: 'pair-deleted' });
    expect(canRestore(stale)).toBe(true);
    expect(transition(stale, EVENTS.restore_previous)).toMatchObject({
      state: 'replay_ready',
      current: two,
      why: null
    });
  });

  it('has nothing to restore if there was nothing', () => {
    const building = transition(NO_REPLAY, EVENTS.replay_request);
    const stale = transition(building, EVENTS.cancel);
    expect(canRestore(stale)).toBe(false);
    expect(transition(stale, EVENTS.restore_previous)).toBe(stale);
  });

  it('always shows something when it is ready, and nothing when it is not', () => {
    const builds = fc
      .tuple(fc.nat(5), fc.constantFrom('a', 'b'))
      .map(([version, hash]) => ({ version, hash }));
    const events = fc.oneof(
      fc.record({
        type: fc.constantFrom(
          'replay_request' as const,
          'replay_replace' as const,
          'build_success' as const,
          'build_fail' as const
        ),
        build: builds
      }),
      fc.constantFrom(
        EVENTS.start_chatting,
        EVENTS.cancel,
        EVENTS.restore_previous
      )
    );
    fc.assert(
      fc.property(fc.array(events, { maxLength: 40 }), list => {
        let machine = NO_REPLAY;
        for (const event of list) {
          machine = transition(machine, event as ReplayEvent);
          const { state, awaited, current, previous, why } = machine;
          expect(awaited !== null).toBe(state === 'building');
          expect(why !== null).toBe(state === 'stale');
          if (state === 'replay_ready' || state === 'fork_active') {
            expect(current).not.toBeNull();
          }
          if (state === 'stale' || state === 'idle') {
            expect(current).toBeNull();
          }
          expect(canRestore(machine)).toBe(
            previous !== null && state !== 'building' && state !== 'idle'
          );
        }
      }),
      { numRuns: 500 }
    );
  });
});
