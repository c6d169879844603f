/** The states of a turn's replay and their transitions. */

/** The states of a replay. */
export type ReplayState =
  'idle' | 'building' | 'replay_ready' | 'fork_active' | 'stale';

/** A build: the requested version and the hash of its payload. */
export interface IBuild {
  readonly version: number;
  readonly hash: string;
}

/** An event in the life of a replay. */
export type ReplayEvent =
  /** The user asks for a replay where there is none. */
  | { readonly type: 'replay_request'; readonly build: IBuild }
  /** A newer payload replaces the one that is shown or being built. */
  | { readonly type: 'replay_replace'; readonly build: IBuild }
  | { readonly type: 'build_success'; readonly build: IBuild }
  | { readonly type: 'build_fail'; readonly build: IBuild }
  | { readonly type: 'start_chatting' }
  /** The paused message was cancelled, or the source is gone. */
  | { readonly type: 'cancel'; readonly why: StaleReason }
  | { readonly type: 'restore_previous' };

/** Why a replay was cleared. */
export type StaleReason =
  'cancelled' | 'pair-deleted' | 'file-deleted' | 'chat-closed' | 'not-kept';

/** The replay of one source turn. */
export interface IReplayMachine {
  readonly state: ReplayState;
  /** The build in progress; null unless the state is `building`. */
  readonly awaited: IBuild | null;
  /** The build that is shown; null if there is none. */
  readonly current: IBuild | null;
  /** What *Restore previous replay* restores: one level. */
  readonly previous: IBuild | null;
  /** Why it is stale; null in every other state. */
  readonly why: StaleReason | null;
}

/** A turn without a replay. */
export const NO_REPLAY: IReplayMachine = {
  state: 'idle',
  awaited: null,
  current: null,
  previous: null,
  why: null
};

/** The states in which a replay follows its request. */
export const FOLLOWED: ReadonlySet<ReplayState> = new Set<ReplayState>([
  'replay_ready',
  'fork_active'
]);

/** Return the state after an event; the same object if the event changes nothing. */
export function transition(
  machine: IReplayMachine,
  event: ReplayEvent
): IReplayMachine {
  switch (event.type) {
    case 'replay_request':
      return machine.state === 'idle' || machine.state === 'stale'
        ? begin(machine, event.build)
        : machine;
    case 'replay_replace':
      return canReplace(machine, event.build)
        ? begin(machine, event.build)
        : machine;
    case 'build_success':
      return isAwaited(machine, event.build)
        ? shown(event.build, replaced(machine, event.build))
        : machine;
    case 'build_fail':
      return isAwaited(machine, event.build) ? failed(machine) : machine;
    case 'start_chatting':
      return machine.state === 'replay_ready'
        ? { ...machine, state: 'fork_active' }
        : machine;
    case 'cancel':
      return machine.state === 'idle' || machine.state === 'stale'
        ? machine
        : cleared(machine, event.why);
    case 'restore_previous':
      return machine.previous && canRestoreIn(machine.state)
        ? shown(machine.previous, machine.current)
        : machine;
  }
}

/** Whether *Restore previous replay* has something to restore. */
export function canRestore(machine: IReplayMachine): boolean {
  return machine.previous !== null && canRestoreIn(machine.state);
}

function begin(machine: IReplayMachine, build: IBuild): IReplayMachine {
  return { ...machine, state: 'building', awaited: build, why: null };
}

function canReplace(machine: IReplayMachine, build: IBuild): boolean {
  switch (machine.state) {
    case 'building':
      return (
        machine.awaited === null || build.version > machine.awaited.version
      );
    case 'replay_ready':
    case 'fork_active':
      return true;
    default:
      return false;
  }
}

/** Superseded builds are ignored. */
function isAwaited({ state, awaited }: IReplayMachine, build: IBuild): boolean {
  return (
    state === 'building' &&
    awaited?.version === build.version &&
    awaited.hash === build.hash
  );
}

/** The previous build: the last one with another hash. */
function replaced(machine: IReplayMachine, build: IBuild): IBuild | null {
  const { current, previous } = machine;
  return current && current.hash !== build.hash ? current : previous;
}

function shown(current: IBuild, previous: IBuild | null): IReplayMachine {
  return { state: 'replay_ready', awaited: null, current, previous, why: null };
}

/** After a failed build, the current one stays. */
function failed(machine: IReplayMachine): IReplayMachine {
  return {
    ...machine,
    state: machine.current ? 'replay_ready' : 'idle',
    awaited: null
  };
}

function cleared(machine: IReplayMachine, why: StaleReason): IReplayMachine {
  return {
    state: 'stale',
    awaited: null,
    current: null,
    previous: machine.current ?? machine.previous,
    why
  };
}

function canRestoreIn(state: ReplayState): boolean {
  return (
    state === 'stale' || state === 'replay_ready' || state === 'fork_active'
  );
}
