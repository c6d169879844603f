import { ServerConnection } from '@jupyterlab/services';

import type { INewRun, IRun, ServerMessage } from '../base/run';
import { ApiError, type TurnbookAPI } from './api';

/** The longest message that goes over the socket, in characters; the server takes 10 MiB. */
const LONGEST = 1024 * 1024;

type Refused = Extract<ServerMessage, { refused: unknown }>;

interface IWaiting {
  resolve: (run: IRun) => void;
  reject: (error: Error) => void;
  timer: ReturnType<typeof setTimeout>;
}

/**
 * The messages that were sent over the socket and have no answer yet, by the ids of their runs.
 */
export class SocketSends {
  /** @param silent - Called when no answer comes in time: the connection may be dead. */
  constructor(private _silent: () => void) {}

  /** Send a run in this way; null if it is too long. Rejects with a network error if no answer comes. */
  send(
    run: INewRun,
    write: (text: string) => void,
    patience: number
  ): Promise<IRun> | null {
    const text = JSON.stringify({ send: run });
    if (text.length > LONGEST) {
      return null;
    }
    this._end(run.id)?.reject(lost());
    const answer = new Promise<IRun>((resolve, reject) => {
      const timer = setTimeout(() => {
        this._end(run.id)?.reject(lost());
        this._silent();
      }, patience);
      this._waiting.set(run.id, { resolve, reject, timer });
    });
    write(text);
    return answer;
  }

  /** The server has claimed a run. */
  onSent(run: IRun): void {
    this._end(run.id)?.resolve(run);
  }

  /** The server has refused a run. */
  onRefused({ run, httpStatus, refused }: Refused): void {
    const { code, message } = refused;
    this._end(run)?.reject(
      new ApiError(httpStatus, code, message, refused.run ?? null)
    );
  }

  /** The connection is lost, and with it all answers. */
  lose(): void {
    for (const id of [...this._waiting.keys()]) {
      this._end(id)?.reject(lost());
    }
  }

  private _end(id: string): IWaiting | undefined {
    const waiting = this._waiting.get(id);
    clearTimeout(waiting?.timer);
    this._waiting.delete(id);
    return waiting;
  }

  private readonly _waiting = new Map<string, IWaiting>();
}

/**
 * Ask for a run over the socket, which is faster, or else with a request of its own.
 *
 * The id is the page's, so asking for the same run both ways is safe.
 */
export async function createRun(
  api: Pick<TurnbookAPI, 'createRun'>,
  socket: { send(run: INewRun): Promise<IRun> | null },
  run: INewRun
): Promise<IRun> {
  const asked = socket.send(run);
  if (asked) {
    try {
      return await asked;
    } catch (error) {
      if (!(error instanceof ServerConnection.NetworkError)) {
        throw error;
      }
    }
  }
  return api.createRun(run);
}

function lost(): Error {
  return new ServerConnection.NetworkError(
    new TypeError('No answer came over the socket.')
  );
}
