import { Signal, type ISignal } from '@lumino/signaling';

import { trans } from '../base/words';
import { errorMessage } from '../base/errors';
import type { IRequestStorage } from '../base/storage';
import type { RequestDraft } from '../request/draft';
import { DraftKeeper } from '../request/keeper';
import { isEditor, type IHeld } from '../request/pause';
import type { PauseControl } from '../request/pausecontrol';
import { LIVE, type ChatRequests } from '../request/requests';
import type { TurnbookAPI } from '../runs/api';
import type { SendModes } from './modes';
import type { Notice } from './notice';
import { isLoaded, type Outgoing } from './outgoing';
import type { Outgoings } from './outgoings';
import type { RefusedText } from './refused';
import { tell } from './tell';

/** The paused message, and its request if that is not the composer's. */
export class Review {
  constructor(private _options: Review.IOptions) {
    this._keeper = new DraftKeeper(_options.storage);
  }

  /** Emitted when the paused request changes. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** Emitted with a message that was paused for review. */
  get held(): ISignal<this, IHeld> {
    return this._held;
  }

  /** Emitted with a paused message that was canceled. */
  get canceled(): ISignal<this, IHeld> {
    return this._canceled;
  }

  /** The paused request, if it is not that of the message being written. */
  get draft(): RequestDraft | null {
    return this._draft;
  }

  /** The request to review: the paused one, or else the selected one. */
  get reviewed(): RequestDraft | null {
    const { requests } = this._options;
    // While the paused one is being built, do not show another one in its place.
    return requests.target === LIVE && this._pause.held?.resend
      ? this._draft
      : requests.current;
  }

  /** Pause a message for review if the mode says so; return whether it is paused. */
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
        trans.__(
          'The paused message would not survive a reload: %1',
          errorMessage(error)
        )
      );
    }
    if (message.resend && !(await this._show(outgoing))) {
      if (this._pause.held === message) {
        await this._pause.cancel();
      }
      return true;
    }
    if (message.resend && this._pause.held !== message) {
      // It was canceled meanwhile, or another one was paused before it, whose edits stay.
      if (!this._pause.held) {
        this.forget();
      }
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

  /** Cancel the paused message: return it to the composer, or to its pair's editor. */
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
    try {
      await this._pause.cancel();
    } finally {
      this._canceled.emit(held);
    }
  }

  /** Drop the paused request, because it was sent. */
  forget(): void {
    this._draft?.changed.disconnect(this._onChanged, this);
    this._draft = null;
    this._outgoing = null;
    this._stored = undefined;
    this._changed.emit();
    void this._keeper.clear();
  }

  /** To be called when the document, the filter, the model or the composer changed. */
  refresh(): void {
    const { held } = this._pause;
    const outgoing = this._outgoing;
    if (held && this._draft && !held.payload && outgoing?.gone() === null) {
      // The draft stays the same and gets what the document says now.
      outgoing.draft();
    }
  }

  /**
   * Store edits under this name. A pair that was paused for resending when the page closed is
   * paused again, with its edits.
   */
  async open(name: string): Promise<void> {
    this._opening = this._open(name);
    await this._opening;
  }

  /**
   * Whether the paused request is there to be seen. One that could not be shown when the chat was
   * opened is shown now, with its edits, and is to be resumed again.
   */
  async isShown(outgoing: Outgoing): Promise<boolean> {
    await this._opening;
    const { held } = this._pause;
    if (!held?.resend || this._draft) {
      return true;
    }
    if (this._isShowing) {
      return false;
    }
    if ((await this._show(outgoing, this._stored)) && this._pause.held) {
      this._options.notice.say(
        trans.__('Look at the paused request, then resume it.')
      );
    }
    return false;
  }

  /** Store edits now. */
  flush(): Promise<void> {
    return this._keeper.flush();
  }

  dispose(): void {
    void this._keeper.flush();
    Signal.clearData(this);
  }

  private async _open(name: string): Promise<void> {
    const { held } = this._pause;
    const state = await this._keeper.open(
      `held:${name}`,
      () => held?.pair ?? ''
    );
    if (held?.resend && !this._draft) {
      this._stored = state ?? undefined;
      await this._show(this._options.outgoings.again(held), this._stored);
    }
  }

  /** Build the paused request; return whether that succeeded. */
  private async _show(
    outgoing: Outgoing,
    state?: Uint8Array
  ): Promise<boolean> {
    this._isShowing = true;
    let isThere = false;
    try {
      isThere = await isLoaded(outgoing);
    } finally {
      this._isShowing = false;
    }
    const draft = isThere ? outgoing.draft(state) : null;
    this._draft = draft;
    this._outgoing = outgoing;
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
  private _isShowing = false;
  private _keeper: DraftKeeper;
  private _opening: Promise<void> | null = null;
  /** What is paused, if it is not the message being written. */
  private _outgoing: Outgoing | null = null;
  /** The edits that were stored when the chat was opened. */
  private _stored: Uint8Array | undefined;
}

/**
 * The namespace for `Review` statics.
 */
export namespace Review {
  export interface IOptions {
    api: Pick<TurnbookAPI, 'emitEvent'>;
    modes: SendModes;
    notice: Notice;
    outgoings: Pick<Outgoings, 'again'>;
    refused: RefusedText;
    requests: ChatRequests;
    /** Storage for edits of the paused request. */
    storage: IRequestStorage;
  }
}
