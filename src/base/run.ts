/**
 * The shapes of the server's API, by the names that the browser uses.
 *
 * `api.ts` has them from `jupyterlab_turnbook/openapi.yaml`, with what each field means.
 */
import { VALUES, type components } from './api';

type Schemas = components['schemas'];

/** Where a run stands. */
export type RunState = Schemas['RunState'];

/** The kind of an error, which decides what helps against it. */
export type ErrorType = Schemas['ErrorType'];

/** What a message of a request is to the user. */
export type SectionKind = Schemas['SectionKind'];

/** An event that a page may emit; `docs/events.md` says what each carries. */
export type EventName = Schemas['EventName'];

/** How the provider was asked to go on. */
export type GoesOn = Schemas['GoesOn'];

/** How a provider resumes a partial reply. */
export type Continuation = Schemas['Continuation'];

/** How a run ended. */
export type IOutcome = Schemas['Outcome'];

/** One attempt: one request to a provider. */
export type IRun = Schemas['Run'];

/** What the browser says to begin a run. */
export type INewRun = Schemas['NewRun'];

/** How many sections a draft has, by kind, and how many of them were touched. */
export type IDraftCounts = Schemas['DraftCounts'];

/** The journal itself. */
export type IJournal = Schemas['Journal'];

/** A run and the tokens that its provider counted, if it told. */
export type IAttempt = Schemas['Attempt'];

/** Every attempt of a pair, first to last. */
export type IAttempts = Schemas['Attempts'];

/** One numbered event of a run: a chunk, or last the end. */
export type IRunEvent = Schemas['Event'];

/** A pair's retry state with its newest run. */
export type ITurn = Schemas['Turn'];

/** What the server knows of a chat file. */
export type IChat = Schemas['Chat'];

/** What else a page says of a file that it opens. */
export type IOpening = Omit<Schemas['Opening'], 'path'>;

/** A chat that the server was told of or has runs of. */
export type IKnownChat = Schemas['KnownChat'];

/** A provider, without its key. */
export type IProvider = Schemas['Provider'];

/** What the user may say of a provider. */
export type IProviderInput = Schemas['ProviderInput'];

/** A well-known provider to start from. */
export type IPreset = Schemas['Preset'];

/** All providers, and what helps to add one. */
export type IProviderList = Schemas['ProviderList'];

/** The answer to testing a provider's settings. */
export type IProviderTest = Schemas['ProviderTest'];

/** What a provider was found to do with one of its models. */
export type IProbe = Schemas['Probe'];

/** A model that can be chosen. */
export type IModelInfo = Schemas['Model'];

/** All models, and the providers that could not tell theirs. */
export type IModelList = Schemas['ModelList'];

/** The embedded model's state. */
export type ILocal = Schemas['Local'];

/** What the browser may say on the stream. */
export type ClientMessage = Schemas['ClientMessage'];

/** What the server may say on the stream. */
export type ServerMessage = Schemas['ServerMessage'];

/** Every kind of error. */
export const ERROR_TYPES: readonly ErrorType[] = VALUES.ErrorType;

/** The states of a run whose request is under way, in their order. */
const ALIVE: readonly RunState[] = ['claimed', 'sending', 'streaming'];

/** Whether a run still has its request under way. */
export function isAlive(run: { state: RunState }): boolean {
  return ALIVE.includes(run.state);
}

/** How far a run has come: a state that is told late never takes it back. */
export function progress(run: { state: RunState }): number {
  return isAlive(run) ? ALIVE.indexOf(run.state) : ALIVE.length;
}
