import fc from 'fast-check';

import { isAlive, type RunState } from '../../runs/types';
import {
  canDo,
  isSettled,
  isUnderWay,
  nextState,
  runEvents,
  type PairEvent,
  type SettledState
} from '../lifecycle';
import type { PairState } from '../metadata';
import { pairState } from '../state';

const STATES: PairState[] = [
  'idle',
  'sending',
  'awaiting',
  'succeeded',
  'error',
  'canceled'
];

const SETTLED: SettledState[] = ['succeeded', 'error', 'canceled'];

const RUN_STATES: RunState[] = [
  'claimed',
  'sending',
  'streaming',
  'done',
  'failed',
  'stopped',
  'interrupted',
  'unknown'
];

/** Every event with what it makes of each state, in the order of `STATES`; a dot is no change. */
const TABLE: [PairEvent, string[]][] = [
  ['send', ['sending', '.', '.', '.', '.', '.']],
  ['resend', ['.', '.', '.', 'sending', 'sending', 'sending']],
  ['retry', ['.', '.', '.', '.', 'sending', 'sending']],
  ['claim', Array(6).fill('sending')],
  ['refuse', ['.', 'idle', '.', '.', '.', '.']],
  ['firstByte', ['.', 'awaiting', '.', '.', '.', '.']],
  ['succeed', ['.', 'succeeded', 'succeeded', '.', '.', '.']],
  ['fail', ['.', 'error', 'error', '.', '.', '.']],
  ['stop', ['.', 'canceled', 'canceled', '.', '.', '.']],
  ...SETTLED.map((to): [PairEvent, string[]] => [
    { restore: to },
    [to, '.', '.', to, to, to]
  ])
];

const cases = TABLE.flatMap(([event, row]) =>
  STATES.map((state, index) => ({
    state,
    event,
    name: JSON.stringify(event),
    next: row[index] === '.' ? state : row[index]
  }))
);

describe('nextState', () => {
  it.each(cases)('$state, $name → $next', ({ state, event, next }) => {
    expect(nextState(state, event)).toBe(next);
  });

  it('follows a run to the state that the run has, whatever the pair was before', () => {
    for (const state of STATES) {
      for (const run of RUN_STATES) {
        expect([state, run, runEvents(run).reduce(nextState, state)]).toEqual([
          state,
          run,
          pairState(run)
        ]);
      }
    }
  });

  it('agrees with the run at every step of its way', () => {
    const ends: [RunState, PairEvent][] = [
      ['done', 'succeed'],
      ['failed', 'fail'],
      ['stopped', 'stop'],
      ['interrupted', 'fail'],
      ['unknown', 'fail']
    ];
    const way: [RunState, PairEvent][] = [
      ['claimed', 'claim'],
      ['sending', 'claim'],
      ['streaming', 'firstByte']
    ];
    for (const end of ends) {
      for (let steps = 0; steps <= way.length; steps++) {
        let state = nextState('idle', 'send');
        for (const [run, event] of [...way.slice(0, steps), end]) {
          state = nextState(state, event);
          expect([run, state]).toEqual([run, pairState(run)]);
        }
      }
    }
  });

  it('ends a reply once: what comes late changes nothing', () => {
    const late = fc.constantFrom<PairEvent>(
      'firstByte',
      'succeed',
      'fail',
      'stop',
      'refuse',
      'send'
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...SETTLED),
        fc.array(late),
        (state, events) => {
          expect(events.reduce<PairState>(nextState, state)).toBe(state);
        }
      )
    );
  });
});

describe('what the user can do', () => {
  const able = (action: Parameters<typeof canDo>[1]) =>
    STATES.filter(state => canDo(state, action));

  it('depends on the state alone', () => {
    expect(able('send')).toEqual(['idle']);
    expect(able('resend')).toEqual(SETTLED);
    expect(able('retry')).toEqual(['error', 'canceled']);
    expect(able('stop')).toEqual(['sending', 'awaiting']);
  });

  it('is under way exactly while a run is alive', () => {
    for (const state of RUN_STATES) {
      expect(isUnderWay(pairState(state))).toBe(isAlive({ state }));
      expect(isSettled(pairState(state))).toBe(!isAlive({ state }));
    }
  });
});
