import { Signal, type ISignal } from '@lumino/signaling';

import { errorWords } from '../base/errors';
import type { IRequestStorage } from '../base/storage';
import type { RequestDraft } from '../request/draft';
import { DraftKeeper } from '../request/keeper';
import { isEditor, type IHeld } from '../request/pause';
import type { PauseControl } from '../request/pausecontrol';
import { LIVE, type ChatRequests } from '../request/requests';
import type { TurnbookAPI } from '../runs/api';
import type { SendModes } from './modes';
import type { Notice } from './notice';
import type { Outgoing, Outgoings } from './outgoing';
import type { RefusedText } from './refused';
import { tell } from './tell';

/** The send that waits for the user's word, and its request where that is not the composer's. */
export class Review {
  constructor(private _options: Review.IOptions) {
    this._keeper = new DraftKeeper(_options.storage);
  }

  /** Emitted when the request that waits changed. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** Emitted with a message that was stopped for review. */
  get held(): ISignal<this, IHeld> {
    return this._held;
  }

  /** Emitted with a message that waited and was taken back. */
  get canceled(): ISignal<this, IHeld> {
    return this._canceled;
  }

  /** The request that waits, if it is not that of the message being written. */
  get draft(): RequestDraft | null {
    return this._draft;
  }

  /** The request to be reviewed: the one that waits, or else the one that is looked at. */
  get reviewed(): RequestDraft | null {
    const { requests } = this._options;
    // While that one is being made, no other must stand for it.
    return requests.target === LIVE && this._pause.held?.resend
      ? this._draft
      : requests.current;
  }

  /** Stop a send for review if the user wants that; answers whether it waits. */
  async hold(outgoing: Outgoing): Promise<boolean> {
    const { api, modes, notice, requests } = this._options;
    const message = outgoing.held;
    if (!modes.isVisible) {
      return false;
    }
    try {
      if (!(await this._pause.hold(message))) {
        return false;
      }
    } catch (error) {
      notice.say(
        `The paused message would not survive a reload: ${errorWords(error)}`
      );
    }
    if (message.resend && !(await this._show(outgoing))) {
      await this._pause.cancel();
      return true;
    }
    requests.target = LIVE;
    const draft = this._draft ?? requests.live;
    draft.takeVersion('pause');
    tell(api, 'intercept', draft);
    this._held.emit(message);
    await requests.flush();
    return true;
  }

  /** Take the message that waits back: into the composer, or into its pair's editor. */
  async cancel(): Promise<void> {
    const { refused, requests } = this._options;
    const { held } = this._pause;
    if (!held) {
      return;
    }
    if (held.resend) {
      if (isEditor(held)) {
        refused.keep(held.pair, held.text);
      }
      this.forget();
      requests.cancelResend(held.pair);
    }
    await this._pause.cancel();
    this._canceled.emit(held);
  }

  /** What waited has left. */
  forget(): void {
    this._draft?.changed.disconnect(this._onChanged, this);
    this._draft = null;
    this._changed.emit();
    void this._keeper.clear();
  }

  /** The document, the filter or the composer changed. */
  refresh(): void {
    const { held } = this._pause;
    if (held && this._draft && !held.payload) {
      this._options.requests.resend(held.pair, held.text);
    }
  }

  /**
   * Keep edits under this name. A pair that was to be sent again when the page went away waits
   * again, with its edits.
   */
  async open(name: string): Promise<void> {
    const { held } = this._pause;
    const state = await this._keeper.open(
      `held:${name}`,
      () => held?.pair ?? ''
    );
    if (held?.resend && !this._draft) {
      await this._show(this._options.outgoings.again(held), state ?? undefined);
    }
  }

  /** Store edits now. */
  flush(): Promise<void> {
    return this._keeper.flush();
  }

  dispose(): void {
    void this._keeper.flush();
    Signal.clearData(this);
  }

  /** Make the request that waits; answers whether that could be done. */
  private async _show(
    outgoing: Outgoing,
    state?: Uint8Array
  ): Promise<boolean> {
    const isLoaded = !outgoing.load || (await outgoing.load());
    const draft = isLoaded ? outgoing.draft(state) : null;
    this._draft = draft;
    draft?.changed.connect(this._onChanged, this);
    this._changed.emit();
    return draft !== null;
  }

  private _onChanged(draft: RequestDraft): void {
    this._keeper.keep(draft);
    this._changed.emit();
  }

  private get _pause(): PauseControl {
    return this._options.modes.pause;
  }

  private _canceled = new Signal<this, IHeld>(this);
  private _changed = new Signal<this, void>(this);
  private _draft: RequestDraft | null = null;
  private _held = new Signal<this, IHeld>(this);
  private _keeper: DraftKeeper;
}

/**
 * The namespace for `Review` statics.
 */
export namespace Review {
  /** What it needs. */
  export interface IOptions {
    api: Pick<TurnbookAPI, 'emitEvent'>;
    modes: SendModes;
    notice: Notice;
    outgoings: Pick<Outgoings, 'again'>;
    refused: RefusedText;
    requests: ChatRequests;
    /** Where edits of what waits are kept. */
    storage: IRequestStorage;
  }
}
