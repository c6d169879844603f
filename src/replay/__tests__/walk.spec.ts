/** A random walk: compares the real manager with a simple model of its state. */
import { DisposableDelegate } from '@lumino/disposable';
import { Signal } from '@lumino/signaling';
import fc from 'fast-check';

import type { IEditedRequest } from '../../request/model';
import { ReplayManager } from '../model/manager';
import { buildReplay, type IReplay } from '../model/record';
import type { IReplaySource } from '../model/source';
import type { ReplayState } from '../model/state';
import { edited, section } from './requests';

const ORIGIN = {
  chatId: 'chat',
  pair: 'pair',
  name: 'chat',
  path: 'chat.chat.ipynb',
  turn: 1
};
const KEY = 'chat/pair';

/** The expected state. */
class Model {
  text = 0;
  versions = 0;
  /** The texts of the requested versions. */
  asked = new Map<number, number>();
  shown: number | null = null;
  before: number | null = null;
  building: number | null = null;
  stale = false;
  forked = false;
  follows = false;
  open = false;
  armed = false;
  known = false;

  get state(): ReplayState {
    if (this.building !== null) {
      return 'building';
    }
    if (this.shown !== null) {
      return this.forked ? 'fork_active' : 'replay_ready';
    }
    return this.stale ? 'stale' : 'idle';
  }

  ask(): void {
    this.known = true;
    this.follows = true;
    this.armed = false;
    this.stale = false;
    this.building = ++this.versions;
    this.asked.set(this.building, this.text);
  }

  end(version: number, isWell: boolean): void {
    if (this.building !== version) {
      return;
    }
    this.building = null;
    this.forked = false;
    if (isWell) {
      this.before = this.shown ?? this.before;
      this.shown = version;
    }
  }
}

/** The real manager, with builds and time controlled by the test. */
class Real {
  readonly builds: {
    version: number;
    end: (isWell: boolean) => void;
  }[] = [];
  readonly timers = new Set<() => void>();
  readonly signal = new Signal<this, void>(this);
  readonly events: string[] = [];
  text = 0;
  versions = 0;

  readonly manager = new ReplayManager({
    emit: name => this.events.push(name),
    now: () => 0,
    schedule: task => {
      const run = () => {
        this.timers.delete(run);
        task();
      };
      this.timers.add(run);
      return () => this.timers.delete(run);
    },
    build: (request, facts) =>
      new Promise<IReplay>((resolve, reject) => {
        this.builds.push({
          version: facts.version,
          end: isWell =>
            isWell
              ? resolve(buildReplay(request, facts))
              : reject(new Error('no'))
        });
      })
  });

  readonly source: IReplaySource = {
    origin: ORIGIN,
    changed: this.signal,
    watch: () => new DisposableDelegate(() => undefined),
    request: () => requestOf(this.text),
    version: () => ({
      version: ++this.versions,
      requestId: 'run',
      loggedHash: null
    })
  };
}

function requestOf(text: number): IEditedRequest {
  return edited([section({ role: 'user', content: `text ${text}` })]);
}

const settle = () => new Promise<void>(resolve => setImmediate(resolve));

type Step = fc.AsyncCommand<Model, Real>;

/** A step, with the check that follows each. */
function step(
  name: string,
  act: (model: Model, real: Real) => void,
  can: (model: Model) => boolean = () => true
): Step {
  return {
    check: can,
    toString: () => name,
    async run(model, real) {
      act(model, real);
      await settle();
      expectAgrees(model, real);
    }
  };
}

function expectAgrees(model: Model, real: Real): void {
  const entry = real.manager.get(KEY);
  if (!model.known) {
    expect(entry).toBeNull();
    return;
  }
  expect(entry!.machine.state).toBe(model.state);
  const content = entry!.current?.replay.record.payload ?? null;
  expect(content).toBe(
    model.shown === null ? null : requestOf(model.asked.get(model.shown)!).body
  );
  expect(entry!.canRestore).toBe(
    model.before !== null && !['building', 'idle'].includes(model.state)
  );
  expect(real.timers.size).toBe(model.armed ? 1 : 0);
  expect(real.manager.list('chat')).toHaveLength(1);
}

const steps = [
  fc.constant(
    step('replay', (model, real) => {
      model.ask();
      void real.manager.replay(real.source);
    })
  ),
  fc.nat(3).map(text =>
    step(`edit to ${text}`, (model, real) => {
      model.text = real.text = text;
      model.armed ||= model.open && model.follows;
      real.signal.emit();
    })
  ),
  fc.constant(
    step('wait', (model, real) => {
      if (model.armed) {
        model.armed = false;
        const last = model.building ?? model.shown;
        if (last === null || model.asked.get(last) !== model.text) {
          model.ask();
        }
      }
      [...real.timers].forEach(run => run());
    })
  ),
  fc.tuple(fc.nat(3), fc.boolean()).map(([place, isWell]) =>
    step(`build ${place} ends ${isWell ? 'well' : 'badly'}`, (model, real) => {
      const build = real.builds.splice(place, 1)[0];
      if (build) {
        model.end(build.version, isWell);
        build.end(isWell);
      }
    })
  ),
  fc.constant(
    step('clear', (model, real) => {
      if (model.building !== null || model.shown !== null) {
        model.before = model.shown ?? model.before;
        model.shown = model.building = null;
        model.stale = true;
        model.forked = model.follows = model.armed = false;
      }
      real.manager.clear(KEY, 'cancelled');
    })
  ),
  fc.constant(
    step('restore', (model, real) => {
      const can =
        model.before !== null && !['building', 'idle'].includes(model.state);
      if (can) {
        [model.shown, model.before] = [model.before, model.shown];
        model.stale = model.forked = false;
      }
      expect(real.manager.restore(KEY) !== null).toBe(can);
    })
  ),
  fc.constant(
    step('start chatting', (model, real) => {
      const can = model.shown !== null && model.building === null;
      model.forked ||= can;
      expect(real.manager.startChatting(KEY, 'fork')).toBe(can);
    })
  ),
  fc.boolean().map(open =>
    step(
      open ? 'open' : 'close',
      (model, real) => {
        model.open = open;
        model.armed = false;
        real.manager.setOpen(KEY, open);
      },
      model => model.known
    )
  )
];

describe('the manager', () => {
  it('agrees with the model, after any walk', async () => {
    await fc.assert(
      fc.asyncProperty(fc.commands(steps, { maxCommands: 60 }), commands =>
        fc.asyncModelRun(
          () => ({ model: new Model(), real: new Real() }),
          commands
        )
      ),
      { numRuns: 300 }
    );
  });
});
