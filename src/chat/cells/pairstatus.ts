import type { TranslationBundle } from '@jupyterlab/translation';
import type { Message } from '@lumino/messaging';
import { Widget } from '@lumino/widgets';

import { errorText } from '../../document/state';
import type { StreamingMarkdown } from '../../render/streaming';
import type { LiveRun } from '../../runs/live';
import { finishedCalls } from '../../runs/toolcalls';
import { BarrierView } from './barrierview';
import { EditedChip, type IEditedTexts } from './editedchip';
import { EyeButton, type IEyeState } from './eyebutton';
import { LiveReasoning } from './livereasoning';
import { button, element, setChildren } from '../../ui/dom';
import type { IPairMarks, IPairView, PairAction } from './pairview';
import { chip, versionParts } from './statusparts';
import { RoundView } from './toolround';

const CLASS = 'jp-Turnbook-pairStatus';

/** The interval for rendering calls that are arriving. */
const CALLS_MS = 80;

/** The part below a pair's reply: the reply while it streams, then its state. */
export class PairStatus extends Widget {
  constructor(options: PairStatus.IOptions) {
    super();
    this.addClass(CLASS);
    this._options = options;
    this._line = element('div', `${CLASS}-line`);
    this._barrier = new BarrierView(options.trans, options.onAction);
    this.node.append(this._barrier.node, this._line);
  }

  /** Whether a reply is shown here: while it streams, and until the cell's output replaces it. */
  get isShowing(): boolean {
    return this._live !== null || this._stream !== null;
  }

  /** Whether reasoning that arrives is open; null if there is none. */
  get isReasoningOpen(): boolean | null {
    return this._reasoning?.isOpen ?? null;
  }

  /** Open reasoning that arrives, if a place is in it. */
  openReasoning(place: Node): void {
    this._reasoning?.openAt(place);
  }

  /** Show a reply while it grows; null ends that. */
  set live(live: LiveRun | null) {
    if (live === this._live) {
      return;
    }
    if (this._live) {
      this._live.grown.disconnect(this._onGrown, this);
      this._live.called.disconnect(this._onCalled, this);
      this._live.rebuilt.disconnect(this._onRebuilt, this);
    }
    this._live = live;
    if (live) {
      this._drop();
      this._reasoning = new LiveReasoning({
        live,
        opens: this._options.opensReasoning,
        onShown: this._options.onRedrawn
      });
      this.node.prepend(this._reasoning.node);
      live.grown.connect(this._onGrown, this);
      live.called.connect(this._onCalled, this);
      live.rebuilt.connect(this._onRebuilt, this);
      this._onRebuilt();
      this._drawCalls();
    } else {
      // The pair shows what landed before the reply.
      this._reasoning?.dispose();
      this._reasoning = null;
      if (this._round) {
        this._drop();
        this._options.onGone();
      } else if (this._stream) {
        void this._giveWay(this._stream);
      }
    }
  }

  /** Show a state and the marks. */
  display(view: IPairView, marks: IPairMarks): void {
    const { trans } = this._options;
    const isUnsent = marks.eye?.isSent === false;
    const isTouched = marks.isEdited || isUnsent;
    if (isTouched && this._stream && !this._live) {
      // What came is no longer what the cell has.
      this._drop();
      this._options.onGone();
      return;
    }
    this._clock =
      view.thinking && this.isReasoningOpen === null
        ? (this._clock ??
          element('span', `${CLASS}-thinking`, trans.__('thinking…')))
        : null;
    const parts = [
      this._clock,
      view.sentinel &&
        !isUnsent &&
        chip(
          'sentinel',
          view.sentinel,
          trans.__('You stopped this reply. This text lets the model know.')
        ),
      view.cut && chip('cut', view.cut),
      view.canContinue &&
        !isUnsent &&
        marks.shown === null &&
        this._button(
          trans.__('Continue reply'),
          'continue',
          '',
          trans.__('Ask the model to go on where this reply stopped')
        ),
      view.again &&
        chip(
          'again',
          view.again,
          trans.__(
            'The reply was cut off, and the same request was sent again. What had arrived shows until the new reply is longer; then it is kept as a version.'
          )
        ),
      view.joined &&
        chip(
          'joined',
          view.joined,
          trans.__(
            'The reply was cut off and continued in another attempt. The seam is marked where one ends and the next begins.'
          )
        ),
      ...this._error(view),
      marks.isNew &&
        chip(
          'new',
          trans.__('(new)'),
          trans.__('You have not viewed this reply yet')
        ),
      marks.ooc &&
        chip(
          'out',
          trans.__('OUT'),
          trans.__(
            'Does not fit into the model’s window: not sent with the next message'
          )
        ),
      !marks.in &&
        chip(
          'excluded',
          trans.__('marked out'),
          trans.__('Marked as out, for filters')
        ),
      marks.topic &&
        this._button(
          marks.topic,
          'topic',
          'topic',
          trans.__('Show this topic only')
        ),
      marks.isEdited && marks.shown === null && this._editedChip(),
      view.edited > 0 &&
        this._button(
          trans.__('Edited request (%1)', view.edited),
          'request',
          'editedRequest',
          trans.__(
            'The request was edited before it was sent. Click to see the changes.'
          )
        ),
      view.usage && chip('usage', view.usage, view.usageNote),
      marks.shown === null && this._eyeOf(marks.eye),
      ...versionParts(marks, trans, (label, action, modifier, title) =>
        this._button(label, action, modifier, title)
      )
    ];
    this._barrier.show(marks.shown === null ? view.barrier : null);
    setChildren(
      this._line,
      parts.filter((part): part is HTMLElement => part instanceof HTMLElement)
    );
    this._since = view.thinking ? (this._since ?? Date.now()) : null;
    this._tick();
  }

  /** The same chip as long as the cell is drawn, since it may have the focus. */
  private _editedChip(): HTMLElement {
    const { editedTexts, trans } = this._options;
    this._edited ??= new EditedChip(trans, editedTexts);
    return this._edited.node;
  }

  /** The same button likewise. */
  private _eyeOf(state: IEyeState | null): HTMLElement | null {
    const { onEye, trans } = this._options;
    if (!state) {
      return null;
    }
    const names = {
      keep: trans.__('Do not send the reply'),
      send: trans.__('Send the reply')
    };
    this._eye ??= new EyeButton(names, onEye);
    this._eye.update(state);
    return this._eye.node;
  }

  private _error({ error }: IPairView): HTMLElement[] {
    const { isSibling, trans } = this._options;
    if (error && isSibling) {
      // What else can be done concerns the whole pair.
      return [chip('error', errorText(error))];
    }
    return error
      ? [
          chip('error', errorText(error)),
          this._button(
            trans.__('Edit & Resend'),
            'edit',
            '',
            trans.__('Change the message and send it again (e)')
          ),
          this._button(
            trans.__('Delete'),
            'delete',
            '',
            trans.__('Delete this pair (x)')
          )
        ]
      : [];
  }

  private _button(
    label: string,
    action: PairAction,
    modifier: string,
    title: string
  ): HTMLButtonElement {
    const className = modifier ? `${CLASS}-${modifier}` : 'jp-Turnbook-button';
    return button(
      label,
      className,
      () => this._options.onAction(action),
      title
    );
  }

  override dispose(): void {
    if (this.isDisposed) {
      return;
    }
    clearTimeout(this._timer);
    this._barrier.dispose();
    this._edited?.hide();
    this.live = null;
    this._drop();
    super.dispose();
  }

  protected override onAfterShow(msg: Message): void {
    super.onAfterShow(msg);
    this._stream?.catchUp();
  }

  protected override onAfterAttach(msg: Message): void {
    super.onAfterAttach(msg);
    this._tick();
    this._barrier.tick();
  }

  /** Reasoning models are silent for a long time, so count the seconds. */
  private _tick(): void {
    clearTimeout(this._timer);
    if (this._since === null || !this.isAttached) {
      return;
    }
    const { trans } = this._options;
    const seconds = Math.floor((Date.now() - this._since) / 1000);
    this._reasoning?.tick(seconds);
    if (this._clock) {
      this._clock.textContent =
        seconds < 2
          ? trans.__('thinking…')
          : trans.__('thinking… %1 s', seconds);
    }
    this._timer = setTimeout(() => this._tick(), 1000);
  }

  private _onGrown(live: LiveRun, delta: string): void {
    if (!live.outgrown) {
      this._view().append(delta);
    }
  }

  /**
   * Render the reply from the start: its text so far or, until that is longer, the partial reply
   * that it starts over.
   */
  private _onRebuilt(): void {
    this._dropReply();
    const { outgrown = '', text = '' } = this._live ?? {};
    if (outgrown || text) {
      const view = this._view();
      view.node.classList.toggle('jp-mod-outgrown', outgrown !== '');
      view.append(outgrown || text);
    }
    this._options.onRedrawn();
  }

  private _onCalled(): void {
    this._drawing ??= setTimeout(() => this._drawCalls(), CALLS_MS);
  }

  private _drawCalls(): void {
    clearTimeout(this._drawing);
    this._drawing = undefined;
    const live = this._live;
    if (!live?.calls.length) {
      return;
    }
    if (!this._round) {
      this._round = new RoundView({
        number: 1,
        createText: this._options.createStream,
        onRequest: () => undefined
      });
      this.node.insertBefore(this._round.node, this._barrier.node);
    }
    const calls = finishedCalls(live.calls, live.run.id);
    this._round.update(
      { message: { role: 'assistant', tool_calls: calls }, results: [] },
      { waits: false, locked: true, partial: false, live: true }
    );
  }

  /** Disappear once the output shows the reply, so that it is always visible. */
  private async _giveWay(stream: StreamingMarkdown): Promise<void> {
    await Promise.all([stream.finish(), this._options.whenShown()]);
    if (this._stream === stream && this._live === null) {
      this._drop();
      this._options.onGone();
    }
  }

  private _drop(): void {
    this._reasoning?.dispose();
    this._reasoning = null;
    this._dropReply();
  }

  private _dropReply(): void {
    clearTimeout(this._drawing);
    this._drawing = undefined;
    this._round?.dispose();
    this._round = null;
    this._stream?.dispose();
    this._stream = null;
  }

  private _view(): StreamingMarkdown {
    if (!this._stream) {
      this._stream = this._options.createStream();
      this._stream.node.classList.add(`${CLASS}-stream`);
      if (this._reasoning) {
        this._reasoning.node.after(this._stream.node);
      } else {
        this.node.prepend(this._stream.node);
      }
    }
    return this._stream;
  }

  private _barrier: BarrierView;
  private _clock: HTMLElement | null = null;
  private _edited: EditedChip | null = null;
  private _eye: EyeButton | null = null;
  private _drawing: ReturnType<typeof setTimeout> | undefined;
  private _line: HTMLElement;
  private _live: LiveRun | null = null;
  private _options: PairStatus.IOptions;
  private _reasoning: LiveReasoning | null = null;
  private _round: RoundView | null = null;
  private _since: number | null = null;
  private _stream: StreamingMarkdown | null = null;
  private _timer: ReturnType<typeof setTimeout> | undefined;
}

/**
 * The namespace for `PairStatus` statics.
 */
export namespace PairStatus {
  export interface IOptions {
    trans: TranslationBundle;
    /** Whether it shows one of several replies. */
    isSibling?: boolean;
    createStream: () => StreamingMarkdown;
    /** Whether reasoning stays open when the message begins. */
    opensReasoning: () => boolean;
    /** Resolves when the cell's output is rendered. */
    whenShown: () => Promise<void>;
    /** Called when the output has replaced the streamed reply. */
    onGone: () => void;
    /** Called when the streamed reply was rendered from the start. */
    onRedrawn: () => void;
    onAction: (action: PairAction) => void;
    /** Called when the user wants the reply sent, or not. */
    onEye: () => void;
    /** Reads what came and what is shown of an edited reply. */
    editedTexts: () => IEditedTexts;
  }
}
