import { URLExt } from '@jupyterlab/coreutils';
import { ServerConnection } from '@jupyterlab/services';

import { trans } from '../base/words';
import type {
  Check,
  EventName,
  IFileCheck,
  IAttempts,
  IChat,
  IDayUsage,
  IJournal,
  IKnownChat,
  ILocal,
  ILocalModels,
  IModelList,
  INewRun,
  IOpening,
  ILoopbackServer,
  IProvider,
  IProviderCheck,
  IProviderInput,
  IProviderList,
  IProviderTest,
  IReading,
  IRerun,
  IRerunPreview,
  IRerunWish,
  IResponse,
  IRun,
  IRunEvent,
  ITurn
} from '../base/run';

const ROOT = 'turnbook/api';

/**
 * An error response of the server.
 *
 * `code` says what happened, for programs; `message` says what to do, for the user.
 */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly run: IRun | null = null
  ) {
    super(message);
    this.name = 'ApiError';
  }
}

/**
 * The server's routes as functions.
 */
export class TurnbookAPI {
  constructor(options: TurnbookAPI.IOptions = {}) {
    this.serverSettings =
      options.serverSettings ?? ServerConnection.makeSettings();
  }

  readonly serverSettings: ServerConnection.ISettings;

  /** The server's clock minus this browser's, in milliseconds, accurate to about a second. */
  get skew(): number {
    return this._skew;
  }

  /** The URL of the stream socket. */
  get streamUrl(): string {
    const { wsUrl, token, appendToken } = this.serverSettings;
    const url = URLExt.join(wsUrl, ROOT, 'stream');
    return appendToken && token
      ? `${url}?token=${encodeURIComponent(token)}`
      : url;
  }

  async listRuns(
    query: { chat?: string; state?: string; open?: boolean } = {}
  ): Promise<IRun[]> {
    const { chat, state, open } = query;
    const params = {
      ...(chat === undefined ? {} : { chat }),
      ...(state === undefined ? {} : { state }),
      ...(open === undefined ? {} : { open: open ? '1' : '0' })
    };
    const answer = await this._json<{ runs: IRun[] }>(
      'GET',
      ['runs'],
      undefined,
      params
    );
    return answer.runs;
  }

  createRun(run: INewRun): Promise<IRun> {
    return this._json('POST', ['runs'], run);
  }

  getRun(id: string, after = 0): Promise<{ run: IRun; events: IRunEvent[] }> {
    return this._json('GET', ['runs', id], undefined, { after: `${after}` });
  }

  /** Stop a run of a chat; a run of another chat is not found. */
  stopRun(chat: string, id: string): Promise<IRun> {
    return this._json('DELETE', ['runs', id], undefined, { chat });
  }

  /** The exact bytes that a run put on the wire. */
  async getRequest(id: string): Promise<Uint8Array> {
    const response = await this._request('GET', ['runs', id, 'request']);
    return new Uint8Array(await whole(response.arrayBuffer()));
  }

  /** What came over the wire for a run, event by event. */
  getResponse(id: string): Promise<IResponse> {
    return this._json('GET', ['runs', id, 'response']);
  }

  /** The body of a run's response as it came; rejects unless the response is `exact`. */
  async getResponseBytes(id: string): Promise<Uint8Array> {
    const path = ['runs', id, 'response', 'bytes'];
    const response = await this._request('GET', path);
    return new Uint8Array(await whole(response.arrayBuffer()));
  }

  /** The cell of a run with all its outputs, which `run.cell` lacks if `run.cellCut` is set. */
  getCell(id: string): Promise<IRun['cell']> {
    return this._json('GET', ['runs', id, 'cell']);
  }

  /** Report that a saved notebook has the reply of a run. */
  landRun(chat: string, id: string): Promise<IRun> {
    return this._json('PUT', ['runs', id, 'landed'], undefined, { chat });
  }

  /** Report that the pair of a run was deleted, or is back. */
  dropRun(chat: string, id: string, dropped = true): Promise<IRun> {
    return this._json('PUT', ['runs', id, 'dropped'], { dropped }, { chat });
  }

  /** All attempts at a pair's reply. */
  getTurn(chat: string, pair: string): Promise<IAttempts> {
    return this._json('GET', ['turns', chat, pair]);
  }

  retryTurn(
    chat: string,
    pair: string,
    wish: { auto?: boolean; now?: boolean }
  ): Promise<ITurn> {
    return this._json('PUT', ['turns', chat, pair, 'retry'], wish);
  }

  /**
   * What the runs of all chats took, by day and model.
   *
   * @param starts - When each day begins, ascending; the last one has no end.
   */
  async getUsage(starts: readonly number[]): Promise<IDayUsage[]> {
    const theirs = starts.map(start => Math.round(start + this._skew));
    const { days } = await this._json<{ days: IDayUsage[] }>(
      'GET',
      ['usage'],
      undefined,
      { starts: theirs.join(',') }
    );
    return days.map(day => ({
      ...day,
      start: starts[theirs.indexOf(day.start)]
    }));
  }

  getJournal(): Promise<IJournal> {
    return this._json('GET', ['journal']);
  }

  async emitEvent(
    name: EventName,
    data: Record<string, unknown>
  ): Promise<void> {
    await this._request('POST', ['events'], { name, data });
  }

  /** The chats that the server knows, and whether their files exist. */
  async listChats(): Promise<IKnownChat[]> {
    const answer = await this._json<{ chats: IKnownChat[] }>('GET', ['chats']);
    return answer.chats;
  }

  openChat(chatId: string, path: string, more: IOpening = {}): Promise<IChat> {
    return this._json('PUT', ['chats', chatId], { path, ...more });
  }

  listProviders(): Promise<IProviderList> {
    return this._json('GET', ['providers']);
  }

  putProvider(name: string, input: IProviderInput): Promise<IProvider> {
    return this._json('PUT', ['providers', name], input);
  }

  async deleteProvider(name: string): Promise<void> {
    await this._request('DELETE', ['providers', name]);
  }

  /** List the models for these settings. */
  testProvider(name: string, input: IProviderInput): Promise<IProviderTest> {
    return this._json('POST', ['providers', name, 'test'], input);
  }

  /**
   * Find out whether a model can do something, with these settings; it costs a few tokens. The
   * provider is left alone when the signal is aborted.
   */
  checkProvider(
    name: string,
    input: IProviderInput,
    model: string,
    check: Check,
    signal: AbortSignal
  ): Promise<IProviderCheck> {
    const body = { ...input, model, check };
    return this._json('POST', ['providers', name, 'check'], body, {}, signal);
  }

  /** Model servers on the machine of the Jupyter server that are not providers yet. */
  async listLoopback(): Promise<ILoopbackServer[]> {
    const answer = await this._json<{ servers: ILoopbackServer[] }>('GET', [
      'loopback'
    ]);
    return answer.servers;
  }

  /** Whether a message may refer to a file of the server. */
  checkFile(path: string): Promise<IFileCheck> {
    return this._json('GET', ['files'], undefined, { path });
  }

  /** How the server would read a notebook. */
  getReading(path: string): Promise<IReading> {
    return this._json('GET', ['files', 'reading'], undefined, { path });
  }

  listModels(refresh = false): Promise<IModelList> {
    return this._json('GET', ['models'], undefined, {
      refresh: refresh ? '1' : '0'
    });
  }

  getLocal(): Promise<ILocal> {
    return this._json('GET', ['local']);
  }

  fetchLocal(): Promise<ILocal> {
    return this._json('POST', ['local', 'fetch']);
  }

  cancelFetchLocal(): Promise<ILocal> {
    return this._json('DELETE', ['local', 'fetch']);
  }

  /** The models that were downloaded or can be; the hub is not asked. */
  listLocalModels(): Promise<ILocalModels> {
    return this._json('GET', ['local', 'models']);
  }

  /** Start or continue a download. */
  downloadLocalModel(name: string): Promise<ILocalModels> {
    return this._json('POST', ['local', 'models', name, 'download']);
  }

  /** Stop a download; what arrived is kept. */
  stopDownload(name: string): Promise<ILocalModels> {
    return this._json('DELETE', ['local', 'models', name, 'download']);
  }

  /** Delete a model, or what its download has left. */
  removeLocalModel(name: string): Promise<ILocalModels> {
    return this._json('DELETE', ['local', 'models', name]);
  }

  /** The reruns of this server, newest first. */
  async listReruns(): Promise<IRerun[]> {
    const answer = await this._json<{ reruns: IRerun[] }>('GET', ['reruns']);
    return answer.reruns;
  }

  /** What a rerun would send; nothing is sent. */
  previewRerun(wish: IRerunWish, signal?: AbortSignal): Promise<IRerunPreview> {
    return this._json('POST', ['reruns', 'preview'], wish, {}, signal);
  }

  /** Start a rerun; the same id again starts nothing. */
  startRerun(id: string, wish: IRerunWish, plan: string): Promise<IRerun> {
    return this._json('PUT', ['reruns', id], { wish, plan });
  }

  /** Send what is missing of a rerun; with `again`, also what may have been answered. */
  continueRerun(id: string, again = false): Promise<IRerun> {
    return this._json('POST', ['reruns', id, 'run'], { again });
  }

  /** Stop a rerun; with `now`, what is under way is not waited for. */
  stopRerun(id: string, now = false): Promise<IRerun> {
    return this._json('DELETE', ['reruns', id, 'run'], undefined, {
      now: now ? '1' : '0'
    });
  }

  /** Remove a rerun from the list; its files stay. */
  async forgetRerun(id: string): Promise<void> {
    await this._request('DELETE', ['reruns', id]);
  }

  private async _json<T>(
    method: string,
    path: string[],
    body?: unknown,
    query: Record<string, string> = {},
    signal?: AbortSignal
  ): Promise<T> {
    const response = await this._request(method, path, body, query, signal);
    return (await whole(response.json())) as T;
  }

  private async _request(
    method: string,
    path: string[],
    body?: unknown,
    query: Record<string, string> = {},
    signal?: AbortSignal
  ): Promise<Response> {
    const url =
      URLExt.join(
        this.serverSettings.baseUrl,
        ROOT,
        ...path.map(encodeURIComponent)
      ) + URLExt.objectToQueryString(query);
    const response = await ServerConnection.makeRequest(
      url,
      {
        method,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(signal ? { signal } : {})
      },
      this.serverSettings
    );
    const date = Date.parse(response.headers.get('Date') ?? '');
    if (!Number.isNaN(date)) {
      // The Date header has no fraction of a second.
      this._skew = date + 500 - Date.now();
    }
    if (!response.ok) {
      throw await toError(response);
    }
    return response;
  }

  private _skew = 0;
}

/**
 * The namespace for `TurnbookAPI` statics.
 */
export namespace TurnbookAPI {
  export interface IOptions {
    serverSettings?: ServerConnection.ISettings;
  }
}

/** Read an answer; one that breaks off in the middle is none, and may be asked for again. */
async function whole<T>(reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    // Whatever else goes wrong is the connection; browsers call it by several names.
    const isRead = (error as Error).name === 'SyntaxError';
    throw isRead ? error : new ServerConnection.NetworkError(error as Error);
  }
}

async function toError(response: Response): Promise<ApiError> {
  const text = await whole(response.text());
  let answer: { code?: unknown; message?: unknown; run?: unknown } = {};
  try {
    answer = JSON.parse(text) ?? {};
  } catch (error) {
    // A proxy or another extension responded in its own format; the status must do.
    console.warn(`Turnbook: ${response.status} with an unreadable body`, error);
  }
  return new ApiError(
    response.status,
    typeof answer.code === 'string' ? answer.code : `${response.status}`,
    typeof answer.message === 'string' && answer.message
      ? answer.message
      : trans.__(
          'The Jupyter server answered %1 %2.',
          response.status,
          response.statusText
        ),
    (answer.run as IRun | undefined) ?? null
  );
}
