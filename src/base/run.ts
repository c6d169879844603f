/**
 * The API types under the names that the browser uses.
 *
 * `api.ts` is generated from `jupyterlab_turnbook/openapi.yaml` and documents each field.
 */
import { VALUES, type components } from './api';

type Schemas = components['schemas'];

/** The state of a run. */
export type RunState = Schemas['RunState'];

/** The kind of an error; it decides what the user can do about it. */
export type ErrorType = Schemas['ErrorType'];

/** The role of a message in a request, from the user's view. */
export type SectionKind = Schemas['SectionKind'];

/** An event that a page may emit; `docs/events.md` says what each carries. */
export type EventName = Schemas['EventName'];

/** How the provider was asked to continue. */
export type GoesOn = Schemas['GoesOn'];

/** How a provider resumes a partial reply. */
export type Continuation = Schemas['Continuation'];

/** Of which turns the model's reasoning is sent back to a provider. */
export type ReasoningRule = Schemas['Reasoning'];

/** US dollars for a million tokens. */
export type IPrice = Schemas['Price'];

/** How a run ended. */
export type IOutcome = Schemas['Outcome'];

/** One attempt: one request to a provider. */
export type IRun = Schemas['Run'];
/** What came over the wire for a run. */
export type IResponse = Schemas['Response'];

/** What the browser posts to start a run. */
export type INewRun = Schemas['NewRun'];

/** How many sections a draft has, by kind, and how many of them were edited. */
export type IDraftCounts = Schemas['DraftCounts'];

/** The journal itself. */
export type IJournal = Schemas['Journal'];

/** What the runs of a model took on one day. */
export type IDayUsage = Schemas['DayUsage'];

/** A run and its token counts, if the provider reported them. */
export type IAttempt = Schemas['Attempt'];

/** Every attempt of a pair, first to last. */
export type IAttempts = Schemas['Attempts'];

/** One numbered event of a run: a chunk or, as the last one, the end. */
export type IRunEvent = Schemas['Event'];

/** A pair's retry state with its newest run. */
export type ITurn = Schemas['Turn'];

/** What the server knows of a chat file. */
export type IChat = Schemas['Chat'];

/** What a page reports about a file it opens, besides the path. */
export type IOpening = Omit<Schemas['Opening'], 'path'>;

/** What a path of the server leads to. */
export type IFileCheck = Schemas['FileCheck'];

/** How the server would read a notebook. */
export type IReading = Schemas['Reading'];

/** A chat that the server knows a file or runs of. */
export type IKnownChat = Schemas['KnownChat'];

/** A provider, without its key. */
export type IProvider = Schemas['Provider'];

/** The settings of a provider that the user can edit. */
export type IProviderInput = Schemas['ProviderInput'];

/** A well-known provider to start from. */
export type IPreset = Schemas['Preset'];

/** All providers, and what is needed to add one. */
export type IProviderList = Schemas['ProviderList'];

/** The result of testing a provider's settings. */
export type IProviderTest = Schemas['ProviderTest'];

/** Something that a model may be able to do. */
export type Check = Schemas['Check'];

/** Whether a model can do it. */
export type IProviderCheck = Schemas['ProviderCheck'];

/** A model server on the machine of the Jupyter server that is not a provider yet. */
export type ILoopbackServer = Schemas['LoopbackServer'];

/** A model that can be chosen. */
export type IModelInfo = Schemas['Model'];

/** All models, and the providers whose models could not be listed. */
export type IModelList = Schemas['ModelList'];

/** The embedded model's state. */
export type ILocal = Schemas['Local'];

/** A model that was downloaded or can be. */
export type ILocalModel = Schemas['LocalModel'];

/** The models that were downloaded or can be, and where. */
export type ILocalModels = Schemas['LocalModels'];

/** What the user wants to rerun, and how. */
export type IRerunWish = Schemas['RerunWish'];

/** Where the records of a rerun come from. */
export type RerunSource = Schemas['RerunSource'];

/** What a rerun would send. */
export type IRerunPreview = Schemas['RerunPreview'];

/** A rerun, and how far it is. */
export type IRerun = Schemas['Rerun'];

/** What the browser may send on the stream. */
export type ClientMessage = Schemas['ClientMessage'];

/** What the server may send on the stream. */
export type ServerMessage = Schemas['ServerMessage'];

/** Every kind of error. */
export const ERROR_TYPES: readonly ErrorType[] = VALUES.ErrorType;

/** What can be checked, in order. */
export const CHECKS: readonly Check[] = VALUES.Check;

/** The states of a run in progress, in order. */
const ALIVE: readonly RunState[] = ['claimed', 'sending', 'streaming'];

/** Whether a run is still in progress. */
export function isAlive(run: { state: RunState }): boolean {
  return ALIVE.includes(run.state);
}

/** Names what a run is an attempt at: its pair or, of several replies to that, one of them. */
export function turnKey({
  pair,
  sibling = 0
}: Pick<IRun, 'pair' | 'sibling'>): string {
  return sibling ? `${pair}#${sibling}` : pair;
}

/** How far a run has come; used to ignore states that arrive late. */
export function progress(run: { state: RunState }): number {
  return isAlive(run) ? ALIVE.indexOf(run.state) : ALIVE.length;
}
