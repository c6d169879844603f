import type { IDisposable } from '@lumino/disposable';

import type { INewRun, IRun, IRunEvent } from '../../src/base/run';
import type { IChatWatcher, IRunListener } from '../../src/runs/listeners';
import { RunSocket } from '../../src/runs/socket';
import type { Wrong } from './wrong';

/** The shipped socket; what it hands on to the page is told to the harness too. */
export class ToldSocket extends RunSocket {
  constructor(private readonly _told: ToldSocket.IOptions) {
    super(_told);
  }

  override send(run: INewRun): Promise<IRun> | null {
    const sent = this._told.sends() ? super.send(run) : null;
    return sent && this._told.sending(run, sent);
  }

  override subscribe(
    run: string,
    after: number,
    listener: IRunListener
  ): IDisposable {
    const { wrong, told, event: tell, complain } = this._told;
    let seen = after;
    const deliver = wrong?.deliver(run, listener) ?? listener.onEvent;
    return super.subscribe(run, after, {
      onStatus: status => {
        told(status);
        listener.onStatus(status);
      },
      onEvent: event => {
        if (event.n !== ++seen) {
          complain(`event ${event.n} came after ${seen - 1}`);
        }
        deliver(event);
        tell(run, event);
      },
      onError: message => {
        complain(`the stream says ${message}`);
        listener.onError(message);
      }
    });
  }

  override watch(chat: string, watcher: IChatWatcher): IDisposable {
    const { told } = this._told;
    return super.watch(chat, {
      onRuns: runs => {
        runs.forEach(told);
        watcher.onRuns(runs);
      },
      onChanged: run => {
        told(run);
        watcher.onChanged(run);
      }
    });
  }
}

export namespace ToldSocket {
  export interface IOptions extends RunSocket.IOptions {
    told: (run: IRun) => void;
    event: (run: string, event: IRunEvent) => void;
    complain: (words: string) => void;
    /** Whether messages go over the socket. */
    sends: () => boolean;
    /** A message is on its way; gives its answer on. */
    sending: (run: INewRun, answer: Promise<IRun>) => Promise<IRun>;
    wrong: Wrong | null;
  }
}
