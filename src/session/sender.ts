import type { ISharedNotebook } from '@jupyter/ydoc';
import { Signal, type ISignal } from '@lumino/signaling';

import { trans } from '../base/words';
import { errorMessage } from '../base/errors';
import type { INewRun, IRun } from '../base/run';
import type { ContextModel } from '../context/contextmodel';
import { ensurePair, findPair } from '../document/landing';
import { catchUpResend } from '../document/sentagain';
import { readSibling } from '../document/siblingmark';
import { Pair } from '../document/pair';
import { beginSiblings } from '../document/siblings';
import type { RequestDraft } from '../request/draft';
import type { IHeld } from '../request/pause';
import type { PauseControl } from '../request/pausecontrol';
import { refusal } from '../request/problems';
import type { ChatRequests } from '../request/requests';
import { ApiError, type TurnbookAPI } from '../runs/api';
import type { ITimes } from '../runs/times';
import type { ChatAbout } from './about';
import type { CanceledRuns } from './canceled';
import type { RunClaims } from './claims';
import type { Draft } from './draft';
import type { ChatFile } from './file';
import type { RunFollower } from './follower';
import type { SendModes } from './modes';
import type { Notice } from './notice';
import type { Outbox } from './outbox';
import { isLoaded, type IPlaced, type Outgoing } from './outgoing';
import type { Outgoings } from './outgoings';
import type { OwnRuns } from './ownruns';
import type { FilePermit } from './permit';
import { Posting } from './posting';
import { prepare, type IPrepared } from './prepare';
import type { Review } from './review';
import type { ChatSettings } from './settings';
import { askedModels, siblingRuns, type IAsked } from './siblinggroup';
import { tell } from './tell';

/** The message when another reply of the chat is in progress. */
const busyWords = () =>
  trans.__(
    'A reply in this chat is still in progress, perhaps in another tab. Nothing was sent; wait for it or stop it.'
  );

/**
 * Sends messages: new, edited, continued turns, or exact bytes.
 *
 * The pair is in the document before the server knows it; it is removed if it is refused.
 */
export class Sender {
  constructor(private _options: Sender.IOptions) {}

  /** Emitted when sending starts or ends. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** Emitted with a pair that this page is sending, once its cell exists. */
  get sent(): ISignal<this, string> {
    return this._sent;
  }

  /** Emitted with a pair once the server has responded to it, or it is not sent after all. */
  get posted(): ISignal<this, string> {
    return this._posted;
  }

  /** The pair that this page sent last; null before the first. */
  get lastSent(): string | null {
    return this._lastSent;
  }

  /** The request that the server has not responded to yet. */
  get posting(): Posting | null {
    return this._posting;
  }

  /**
   * The run of this chat that is in progress, from any page. While there is one, nothing can be
   * sent.
   */
  get busy(): IRun | null {
    return this._posting?.run ?? this._options.runs.busy;
  }

  /** Why nothing can be sent now, as a text for the user; null if it can. */
  get obstacle(): string | null {
    return this.busy ? busyWords() : null;
  }

  /** Send something, or pause it for review. */
  async send(make: () => Outgoing | null): Promise<void> {
    const { notice, permit, review, runs } = this._options;
    await this._options.known();
    runs.landEnded();
    const outgoing = make();
    const isLocked = this.busy || this._pause.held;
    if (!outgoing || (outgoing.isQuiet && isLocked)) {
      return;
    }
    if (this._isDisposed) {
      return this._refuse(outgoing);
    }
    if (this._pause.mode !== 'off') {
      outgoing.write();
    }
    if (isLocked) {
      outgoing.keep();
      const paused = trans.__(
        'A message is paused: resume it or cancel it first.'
      );
      notice.say(this.obstacle ?? `${paused} ${outgoing.kept}`.trim());
    } else if (!(await permit.mayLeave(outgoing))) {
      outgoing.keep();
    } else if (await review.hold(outgoing)) {
      outgoing.write();
    } else {
      await this._leave(outgoing);
    }
  }

  /** Send the paused message, exactly as the Request panel shows it. */
  async resume(): Promise<void> {
    if (this._isResuming) {
      return;
    }
    this._isResuming = true;
    try {
      await this._resume();
    } finally {
      this._isResuming = false;
    }
  }

  /** The file was read again, and cannot contain a pair that the server does not know yet. */
  putBack(): void {
    const { file, notebook } = this._options;
    const pending = this._posting?.unsaved;
    if (pending) {
      file.repeatable(() => {
        ensurePair(notebook, pending.cell, pending.after);
        catchUpResend(notebook, pending.cell);
      });
    }
  }

  dispose(): void {
    this._isDisposed = true;
    this._posting?.dispose();
    Signal.clearData(this);
  }

  private async _resume(): Promise<void> {
    const { agrees, api, notice, outgoings, permit, requests, review } =
      this._options;
    const { _pause: pause } = this;
    await this._options.known();
    const { held } = pause;
    const outgoing = held && outgoings.again(held);
    const isStuck = () => pause.held !== held || this.busy || this._isDisposed;
    if (!outgoing || isStuck() || !(await review.isShown(outgoing))) {
      return;
    }
    if (!(await permit.mayLeave(outgoing))) {
      if (pause.held === held && !this._isDisposed) {
        // With *Keep local*, the models of the file are not asked any more.
        await pause.putBack(outgoings.asPaused(held));
      }
      return;
    }
    // While it is paused: a page that ends meanwhile, or a server that is away, costs nothing.
    if (isStuck() || !(await isLoaded(outgoing))) {
      return;
    }
    const draft = review.draft ?? requests.live;
    if (isStuck() || !this._prepare(draft, outgoing)) {
      return;
    }
    if (!(await agrees(draft)) || pause.held !== held || this._isDisposed) {
      return;
    }
    try {
      await pause.resume();
    } catch (error) {
      const why = errorMessage(error);
      notice.say(trans.__('The message stays paused: %1', why));
      return;
    }
    tell(api, 'resume', draft, { kind: 'send' });
    await this._leave(outgoing, held);
    if (pause.held !== held) {
      review.forget();
    }
  }

  /** Send something; what was paused is loaded, and the user has agreed to its request. */
  private async _leave(outgoing: Outgoing, was?: IHeld): Promise<void> {
    const { about, requests } = this._options;
    const refuse = (words?: string) => this._refuse(outgoing, was, words);
    const gone = outgoing.gone();
    if (gone !== null) {
      return refuse(gone);
    }
    if ((!was && !(await this._isAgreed(outgoing))) || this._isDisposed) {
      return refuse();
    }
    const obstacle = outgoing.gone() ?? this.obstacle;
    if (obstacle !== null) {
      return refuse(obstacle);
    }
    const draft = outgoing.draft();
    const prepared = draft && this._prepare(draft, outgoing);
    if (!draft || !prepared) {
      return refuse();
    }
    let asked: IAsked[];
    try {
      asked = askedModels(prepared, outgoing.models, outgoing.firstSibling());
    } catch (error) {
      return refuse(trans.__('Nothing was sent: %1', errorMessage(error)));
    }
    const placed = this._place(outgoing, asked);
    const takeBackEdits = requests.leave(placed.pair, draft);
    outgoing.left();
    if (outgoing.models.length) {
      about.ensure();
      // What the user chose needs no question when the replies are asked for again.
      about.agree({ models: outgoing.models });
    }
    await this._submit(prepared, asked, placed, takeBackEdits);
  }

  /** Whether something is loaded, and the user agrees to its request. */
  private async _isAgreed(outgoing: Outgoing): Promise<boolean> {
    if (!(await isLoaded(outgoing)) || this._isDisposed) {
      return false;
    }
    const asked = outgoing.draft();
    return asked !== null && this._options.agrees(asked);
  }

  /** Put a message into the document, with versions for the other replies that it asks for. */
  private _place(outgoing: Outgoing, [first, ...others]: IAsked[]): IPlaced {
    const { file, notebook } = this._options;
    const placed = outgoing.place(first.info);
    const pair = Pair.find(notebook, placed.pair);
    if (!others.length || !pair) {
      return placed;
    }
    const { attempt, context, createdAt } = placed.info;
    const infos = others.map(({ info }, number) => ({
      ...info,
      context,
      createdAt,
      attempt: attempt + 1 + number
    }));
    const undo = file.repeatable(() => beginSiblings(notebook, pair, infos));
    return {
      ...placed,
      cell: pair.toJSON(),
      takeBack: () => {
        undo();
        placed.takeBack();
      }
    };
  }

  /** Keep what is not sent; what was paused is paused again, with its edits. */
  private async _refuse(
    outgoing: Outgoing,
    was?: IHeld,
    words?: string
  ): Promise<void> {
    if (was && !this._pause.held) {
      await this._pause.putBack(was);
    } else {
      outgoing.keep();
    }
    if (words !== undefined) {
      this._options.notice.say(words);
    }
  }

  /** The bytes and the metadata of a request; null if it cannot be sent. */
  private _prepare(draft: RequestDraft, outgoing: Outgoing): IPrepared | null {
    const { about, context, notebook, notice } = this._options;
    const wrong = refusal(draft.request);
    if (wrong) {
      notice.say(trans.__('Nothing was sent: %1', wrong.message));
      return null;
    }
    if (about.asksFor(outgoing)) {
      // The file was changed from elsewhere while the user was being asked.
      notice.say(
        trans.__(
          'Nothing was sent: the model or the options of this chat have changed. Send again.'
        )
      );
      return null;
    }
    return prepare(draft, notebook, context);
  }

  /** Send a request that is in the document; remove it again if it is refused. */
  private async _submit(
    request: IPrepared,
    asked: readonly IAsked[],
    placed: IPlaced,
    takeBackEdits: () => void
  ): Promise<void> {
    const { about, draft, notice, own } = this._options;
    const chat = about.ensure().chatId;
    notice.text = null;
    this._lastSent = placed.pair;
    asked.forEach(({ info }) => own.add(info.runId));
    const siblings = asked.map(({ info: { sibling = 0 } }) => sibling);
    const posting = new Posting({ ...this._options, chat, placed, siblings });
    this._posting = posting;
    this._sent.emit(placed.pair);
    this._changed.emit();
    try {
      await this._post(posting, request, asked, placed);
      draft.forget(placed.pair);
    } catch (error) {
      if (posting.isLeft) {
        return;
      }
      if (posting.isGivenUp) {
        // It may be under way still.
        const ids = asked.map(({ info }) => info.runId);
        this._options.canceled.add(ids, placed.isOld);
      }
      placed.takeBack();
      takeBackEdits();
      notice.text = refusedWords(error);
    } finally {
      posting.end();
      this._posting = null;
      this._changed.emit();
      this._posted.emit(placed.pair);
    }
  }

  private async _post(
    posting: Posting,
    request: IPrepared,
    [first, ...others]: readonly IAsked[],
    { pair, cell, after, info, resend }: IPlaced
  ): Promise<void> {
    const { about, claims, modes, notebook, requests, runs, settings } =
      this._options;
    // Whatever the file names later was not sent with.
    const { model } = about;
    // A copy has another id by now, and an unconfirmed id may be that of another file.
    const confirmed = await this._options.chat();
    if (confirmed === null) {
      throw new Error(
        trans.__(
          'The server does not know this file yet; try again in a moment.'
        )
      );
    }
    const answers = await posting.post({
      id: info.runId,
      chat: confirmed,
      pair,
      cell,
      after,
      provider: first.provider,
      body: first.body,
      requestHash: info.requestHash,
      draft: request.draft,
      resend,
      autoRetry: settings.current.autoRetry,
      ...readSibling(info),
      ...siblingRuns(others)
    });
    about.recent.use(model);
    requests.heard(answers[0], info.requestHash);
    modes.rules.keepSent(request.edited);
    for (const run of answers) {
      if (findPair(notebook, pair)) {
        runs.follow(run);
      } else {
        // Deleted while it was being sent: the journal keeps what arrived, and nothing restores it
        // automatically.
        await claims.drop(run.id);
      }
    }
  }

  private get _pause(): PauseControl {
    return this._options.modes.pause;
  }

  private _changed = new Signal<this, void>(this);
  /** Whether the chat was closed: nothing that is not in the document is sent any more. */
  private _isDisposed = false;
  private _isResuming = false;
  private _lastSent: string | null = null;
  private _posted = new Signal<this, string>(this);
  private _posting: Posting | null = null;
  private _sent = new Signal<this, string>(this);
}

/**
 * The namespace for `Sender` statics.
 */
export namespace Sender {
  export interface IOptions {
    about: Pick<ChatAbout, 'agree' | 'asksFor' | 'ensure' | 'model' | 'recent'>;
    api: Pick<TurnbookAPI, 'emitEvent'>;
    canceled: Pick<CanceledRuns, 'add'>;
    claims: RunClaims;
    context: ContextModel;
    /** Asks the server for a run. */
    create: (run: INewRun) => Promise<IRun>;
    draft: Pick<Draft, 'forget'>;
    file: ChatFile;
    modes: SendModes;
    notebook: ISharedNotebook;
    notice: Notice;
    outbox: Outbox;
    outgoings: Pick<Outgoings, 'again' | 'asPaused'>;
    own: OwnRuns;
    permit: FilePermit;
    requests: ChatRequests;
    review: Review;
    runs: RunFollower;
    settings: ChatSettings;
    times?: ITimes;
    /** Whether a request may be sent as it is; asks the user if the setting says so. */
    agrees: (draft: RequestDraft) => Promise<boolean>;
    /** Resolves with this file's chat once it is known; null if the file is not a chat. */
    chat: () => Promise<string | null>;
    /**
     * Resolves when everything that determines a request is known: sent earlier, it would be a
     * different one.
     */
    known: () => Promise<void>;
  }
}

function refusedWords(error: unknown): string {
  if (error instanceof ApiError && error.code === 'chat-busy') {
    return busyWords();
  }
  return trans.__('Nothing was sent: %1', errorMessage(error));
}
