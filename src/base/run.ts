/**
 * The shapes of the server's API, as `jupyterlab_turnbook/openapi.yaml` has them.
 */
import type { ICodeCell } from '@jupyterlab/nbformat';

import type { GoesOn } from './joining';

/** Where a run stands. */
export type RunState =
  | 'claimed'
  | 'sending'
  | 'streaming'
  | 'done'
  | 'failed'
  | 'stopped'
  | 'interrupted'
  | 'unknown';

/** The kind of an error, which decides what helps against it. */
export type ErrorType = 'auth' | 'rate' | 'network' | 'server' | 'unknown';

/** How a run ended. */
export interface IOutcome {
  type: ErrorType | null;
  code: string | null;
  status: number | null;
  message: string;
  retryAfter: number | null;
  finish: string | null;
}

/** The retry state that all attempts of one pair share. */
export interface ITurnState {
  auto: boolean;
  retryAt: number | null;
  failures: number;
  generation: number;
  paused: string | null;
}

/** One attempt: one request to a provider. */
export interface IRun {
  id: string;
  chat: string;
  pair: string;
  attempt: number;
  provider: string;
  model: string;
  state: RunState;
  hash: string;
  size: number;
  createdAt: number;
  updatedAt: number;
  events: number;
  end: IOutcome | null;
  /** The run whose partial reply this one goes on from. */
  continues: string | null;
  /** The run whose partial reply this one begins anew; that becomes a version of the pair. */
  replaces: string | null;
  /** How the provider was asked to go on; null for a run that continues none. */
  goesOn: GoesOn | null;
  /** Whether the server began it by itself. */
  automatic: boolean;
  /** The hash that the page made of the bytes it posted. */
  pageHash: string | null;
  landed: boolean;
  dropped: boolean;
  cell: ICodeCell;
  after: string | null;
  turn: ITurnState;
}

/** What the browser says to begin a run. */
export interface INewRun {
  id: string;
  chat: string;
  pair: string;
  cell: ICodeCell;
  after: string | null;
  provider: string;
  body: string;
  /** Whether the pair may have runs already; this one then is its next attempt. */
  resend?: boolean;
  /** Whether the server may retry by itself; on if it is not said. */
  autoRetry?: boolean;
  /** The hash that the page made of `body`. */
  requestHash?: string;
  /** What the draft was like, for events alone. */
  draft?: IDraftCounts;
}

/** How many sections a draft has, by kind, and how many of them were touched. */
export interface IDraftCounts {
  sections?: Partial<Record<string, number>>;
  edited?: number;
  deleted?: number;
  version?: number;
  debugName?: string;
}

/** An event that a page may emit; `docs/events.md` says what each carries. */
export type EventName =
  | 'intercept'
  | 'resume'
  | 'apply'
  | 'fallback'
  | 'parity-mismatch'
  | 'replay'
  | 'start-chatting'
  | 'stale'
  | 'restore';

/** A run whose record in the journal cannot be read, and what can be read of its reply. */
export interface IDamage {
  id: string;
  chat: string;
  pair: string;
  attempt: number;
  why: string;
  text: string;
}

/** The journal itself. */
export interface IJournal {
  file: string;
  version: number;
  bytes: number;
  maxBytes: number;
  maxAgeDays: number;
  damaged: IDamage[];
  /** Damaged journals that were replaced by one with what could be read of them. */
  setAside: { file: string; bytes: number }[];
}

/** A run and the tokens that its provider counted, if it told. */
export interface IAttempt {
  run: IRun;
  usage: Record<string, unknown> | null;
}

/** Every attempt of a pair, first to last. */
export interface IAttempts {
  chat: string;
  pair: string;
  turn: ITurnState;
  attempts: IAttempt[];
}

/** One numbered event of a run: a chunk, or last the end. */
export interface IRunEvent {
  n: number;
  data?: string;
  end?: IOutcome;
  state?: RunState;
}

/** A pair's retry state with its newest run. */
export interface ITurn {
  chat: string;
  pair: string;
  turn: ITurnState;
  run: IRun;
}

/** What the server knows of a chat file. */
export interface IChat {
  chatId: string;
  path: string;
  status: 'new' | 'known' | 'renamed' | 'copy' | 'unclaimed';
  copiedFrom: string | null;
  /** Of `unclaimed`: how many replies this file would get if it were the chat. */
  unlanded: number;
}

/** What else a page says of a file that it opens. */
export interface IOpening {
  /** Where the page had this file open before it moved. */
  from?: string;
  /** The user's answer to `unclaimed`. */
  claim?: 'take' | 'copy';
}

/** A chat that the server was told of or has runs of. */
export interface IKnownChat {
  chatId: string;
  /** Where its file was last seen; null if nobody told. */
  path: string | null;
  /** Whether a file is there. */
  exists: boolean;
}

/** How a provider resumes a partial reply. */
export type Continuation = 'prefill' | 'instruct' | 'restart';

/** Time limits of a provider in seconds. */
export interface ITimeouts {
  connect?: number;
  first_byte?: number;
  between_bytes?: number;
}

/** A provider, without its key. */
export interface IProvider {
  name: string;
  baseUrl: string;
  key: 'set' | 'unset';
  source: 'local' | 'config' | 'environment' | 'user';
  editable: boolean;
  models: string[] | null;
  continuation: Continuation;
  timeouts: ITimeouts;
}

/** What the user may say of a provider. */
export interface IProviderInput {
  baseUrl: string;
  key?: string | null;
  models?: string[] | null;
  continuation?: Continuation;
  timeouts?: ITimeouts;
}

/** A well-known provider to start from. */
export interface IPreset {
  name: string;
  title: string;
  baseUrl: string;
  needsKey: boolean;
}

/** All providers, and what helps to add one. */
export interface IProviderList {
  providers: IProvider[];
  presets: IPreset[];
  keyStore: string;
}

/** The answer to testing a provider's settings. */
export interface IProviderTest {
  ok: boolean;
  models: string[];
  error: IOutcome | null;
  /** What a model was found to do, if that was asked for. */
  probe: IProbe | null;
}

/** What a provider was found to do with one of its models. */
export interface IProbe {
  model: string;
  streaming: boolean;
  tools: boolean;
  /** Whether it goes on from a partial reply at the next character. */
  prefill: boolean;
  continuation: Continuation;
  error: IOutcome | null;
}

/** A model that can be chosen. */
export interface IModelInfo {
  id: string;
  provider: string;
  model: string;
  window: number | null;
}

/** All models, and the providers that could not tell theirs. */
export interface IModelList {
  models: IModelInfo[];
  errors: { provider: string; error: IOutcome }[];
  default: string;
}

/** The embedded model's state. */
export interface ILocal {
  state: 'missing' | 'fetching' | 'ready' | 'starting' | 'running' | 'failed';
  message: string;
  model: string;
  size: number;
  received: number;
}

/** What the browser may say on the stream. */
export type ClientMessage =
  | { subscribe: string; after?: number; batch?: boolean }
  | { unsubscribe: string }
  | { watch: string }
  | { unwatch: string }
  | { watchAll: boolean }
  | { ping: number }
  | { pong: number };

/** What the server may say on the stream. */
export type ServerMessage =
  | { status: IRun }
  | { run: string; event: IRunEvent }
  | { run: string; events: IRunEvent[] }
  | { chat: string; runs: IRun[] }
  | { allRuns: IRun[] }
  | { chat: string; changed: IRun }
  | { error: { code: string; message: string }; run?: string }
  | { ping: number }
  | { pong: number };

/** Whether a run still has its request under way. */
export function isAlive(run: { state: RunState }): boolean {
  return (
    run.state === 'claimed' ||
    run.state === 'sending' ||
    run.state === 'streaming'
  );
}

/** How far a run has come: a state that is told late never takes it back. */
export function progress(run: { state: RunState }): number {
  const order: RunState[] = ['claimed', 'sending', 'streaming'];
  return isAlive(run) ? order.indexOf(run.state) : order.length;
}
