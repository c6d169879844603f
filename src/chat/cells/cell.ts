import type { CellModel, CodeCell } from '@jupyterlab/cells';
import { Signal, type ISignal } from '@lumino/signaling';

import type { IMapChange } from '@jupyter/ydoc';
import type { IOutput } from '@jupyterlab/nbformat';

import { isCutOff } from '../../document/cutoff';
import { isUnderWay } from '../../document/lifecycle';
import { isReplayed } from '../../document/lock';
import { isOwnKey, type IRunInfo } from '../../document/metadata';
import {
  awaitsReply,
  pastVersion,
  pastVersions,
  siblingsOf
} from '../../document/siblings';
import { isStep, soleReply } from '../../document/reply';
import { shownText } from '../../document/shown';
import { ignoreFarScrolling } from '../../labpatch/editorscroll';
import { followOutputs } from '../../labpatch/outputsync';
import {
  RENDERING,
  whenRendered,
  type IRendering
} from '../../render/renderers';
import type { LiveRun } from '../../runs/live';
import { splitId } from '../../runs/models';
import { StructuredReply } from '../structured/structuredreply';
import { AttachedFiles } from './attachmentsview';
import { pairWords } from './cellname';
import { headOf } from './fold';
import { KeptMessages } from './keptview';
import { OpenEditor, type Edited } from './openeditor';
import { PairEditor } from './paireditor';
import { knowing, UNKNOWN, type IPairFacts } from './pairfacts';
import { PairStatus } from './pairstatus';
import { PairCellBase } from './paircellbase';
import { PairFolds, type FoldedPart } from './pairfolds';
import { isWithoutReply, PairSteps } from './pairsteps';
import { PairSiblings, type ISiblingRequest } from './pairsiblings';
import { liveFacts, pairView, wholeView, type PairAction } from './pairview';
import { PastVersion } from './pastversion';
import { ReplyEditor } from './replyeditor';
import {
  chooseObstacle,
  editedTexts,
  eyeObstacle,
  replyMarks,
  toggleEye
} from './replymarks';
import { markPairSeams } from './seams';
import { Speaker } from './speaker';
import type { IToolRequest } from './turnsteps';

/** How long a streamed reply stays until the output that replaces it is drawn. */
const LANDING_MS = 3000;

/**
 * A message pair: the user's text as the cell's source, the reply as its output.
 */
export class PairCell extends PairCellBase {
  constructor(options: CodeCell.IOptions) {
    super({ ...options, placeholder: true });
    this.addClass('jp-Turnbook-pair');
  }

  /** The reply's text; while it streams, the part that has arrived. */
  get reply(): string {
    const live = this._live && (this._live.outgrown || this._live.text);
    return live ?? this.pair.reply?.text ?? '';
  }

  /** The texts that are visible when the cell is drawn, by which its height is estimated. */
  get visibleTexts(): string[] {
    const texts = [this.model.sharedModel.getSource(), this.reply];
    return this._live ? texts : texts.map(headOf);
  }

  /** Whether a long part can be folded. */
  get canFold(): boolean {
    return this._folds?.canFold ?? false;
  }

  /** Fold its long parts, or unfold them. */
  toggleFold(): void {
    this._folds?.toggle();
  }

  /** Show all of a part; without one, of the whole pair. */
  unfold(part?: FoldedPart): void {
    this._folds?.unfold(part);
  }

  /** Open what a place of the cell is in: reasoning, a text, one of several replies. */
  reveal(place: Node): void {
    this._siblings.reveal(place);
    this._steps.openReasoning(place);
    this._status?.openReasoning(place);
    this._structured.openAt(place);
  }

  /** Emitted when the user requests an action from within the cell. */
  get actionRequested(): ISignal<this, PairAction> {
    return this._actionRequested;
  }

  /** Emitted when the user requests an action in a tool round. */
  get toolsRequested(): ISignal<this, IToolRequest> {
    return this._toolsRequested;
  }

  /** What the user is editing in it; null if nothing. */
  get edited(): Edited | null {
    return this._editing.edited;
  }
  get isEditing(): boolean {
    return this.edited !== null;
  }

  /** The run whose reply streams into this cell. */
  get live(): LiveRun | null {
    return this._live;
  }
  set live(live: LiveRun | null) {
    if (this._live === live) {
      return;
    }
    this._live?.stateChanged.disconnect(this._refresh, this);
    this._live?.grown.disconnect(this._onFirst, this);
    this._live?.called.disconnect(this._onFirst, this);
    this._live = live;
    live?.stateChanged.connect(this._refresh, this);
    live?.grown.connect(this._onFirst, this);
    live?.called.connect(this._onFirst, this);
    this._refresh();
  }

  /** Update what this page knows beyond the document; omitted facts stay the same. */
  know(facts: Partial<IPairFacts>): void {
    const next = knowing(this._facts, facts);
    if (next === this._facts && !this._siblings.isShown) {
      return;
    }
    this._facts = next;
    this._refresh();
  }

  /** Whether the pair is over budget: dimmed and not sent. */
  set ooc(ooc: boolean) {
    if (this._ooc !== ooc) {
      this._ooc = ooc;
      this._refresh();
    }
  }

  /** Emitted when the user requests an action on one of several replies. */
  get siblingRequested(): ISignal<this, ISiblingRequest> {
    return this._siblingRequested;
  }

  /** The number of the reply, of several, that has the focus; null if there is none. */
  get currentSibling(): number | null {
    return this._siblings.current;
  }

  /** The earlier version that is shown; null for the current one. */
  get shownVersion(): number | null {
    return this._shown;
  }
  set shownVersion(index: number | null) {
    this._shown = index;
    this._past?.dispose();
    this._past = null;
    const version = index === null ? undefined : pastVersion(this.pair, index);
    if (version) {
      this._past = new PastVersion(version, () => this.createStream());
      this.insert(this._past);
    } else {
      this._shown = null;
    }
    this._refresh();
  }

  /**
   * Let the user edit the message; resolves with the new text, or null if they canceled.
   *
   * @param options - Options of the editor; by default it starts with the pair's text.
   */
  edit(options: Partial<PairEditor.IOptions> = {}): Promise<string | null> {
    this.shownVersion = null;
    const text = this.model.sharedModel.getSource();
    const editor = new PairEditor({ text, ...options });
    return this._editing.ask('message', editor, options.onLost);
  }

  /**
   * Let the user edit the reply; resolves with the new text, or null if they canceled.
   *
   * @param onLost - Called with the text if the editor is closed without a decision.
   */
  editReply(
    options: ReplyEditor.IOptions,
    onLost: (text: string) => void
  ): Promise<string | null> {
    this.shownVersion = null;
    this.unfold('reply');
    return this._editing.ask('reply', new ReplyEditor(options), onLost);
  }

  override dispose(): void {
    if (this.isDisposed) {
      return;
    }
    this.live = null;
    this._folds = null;
    this._status = null;
    Signal.clearData(this);
    super.dispose();
  }

  protected override initializeDOM(): void {
    if (!this.placeholder) {
      return;
    }
    followOutputs(this, () => this.pair.parts);
    super.initializeDOM();
    ignoreFarScrolling(this.editor);
    this.node.dataset.turnbookPair = this.model.id;
    const status = (this._status = new PairStatus({
      trans: this.trans,
      createStream: () => this.createStream(),
      opensReasoning: () => this._facts.opensReasoning,
      whenShown: () => whenRendered(this.outputArea.node, LANDING_MS),
      onGone: () => this._refresh(),
      onRedrawn: () => this._refresh(),
      onAction: action => this._actionRequested.emit(action),
      onEye: () => toggleEye(this.pair),
      editedTexts: () => editedTexts(this.pair)
    }));
    this.insert(status, 1);
    this._insertSpeakers();
    this._folds = new PairFolds({
      trans: this.trans,
      node: part =>
        (part === 'message' ? this.inputArea! : this.outputArea).parent!.node,
      insert: (fold, below) => this.insertAt(below, fold, 1)
    });
    this.outputArea.node.addEventListener(RENDERING, event => {
      const { detail } = event as CustomEvent<IRendering>;
      markPairSeams(detail, this.pair, this.trans);
    });
    // JupyterLab has set another name.
    this.outputArea.outputLengthChanged.connect(() => this.cellName.write());
    this.model.contentChanged.connect(this._refresh, this);
    this._refresh();
  }

  protected override onMetadataChanged(
    model: CellModel,
    args: IMapChange
  ): void {
    super.onMetadataChanged(model, args);
    if (isOwnKey(args.key)) {
      this._refresh();
    }
  }

  /** Say who speaks, before the message and before the reply. */
  private _insertSpeakers(): void {
    const user = new Speaker('user');
    user.say(this.trans.__('You'));
    this.insertBefore(this.inputArea!, user);
    this._speaker = new Speaker('model');
    this.insertBefore(this.inputArea!, this._speaker, 1);
  }

  /** Remove *thinking…* when the first text arrives. */
  private _onFirst(live: LiveRun): void {
    live.grown.disconnect(this._onFirst, this);
    live.called.disconnect(this._onFirst, this);
    this._refresh();
  }

  private _refresh(): void {
    // A long chat has thousands of pairs, and those that are not drawn show nothing.
    if (this.isDisposed || !this._status) {
      return;
    }
    const { pair } = this;
    const { cell, run: info, marks, parts } = pair;
    const turn = info?.group ? this._facts.turnOf(info.sibling!) : null;
    if (turn && turn.live !== this._live) {
      // Another reply is chosen.
      this.live = turn.live;
      return;
    }
    const { journal, sentinel, isNew, opensReasoning } = {
      ...this._facts,
      ...turn
    };
    const { isPosting, locked } = this._facts;
    const isLocked = locked && isReplayed(cell);
    const siblings = siblingsOf(pair);
    const isBusyGroup = awaitsReply(pair, siblings);
    this._status.live = siblings.length ? null : this._live;
    this.toggleClass('jp-mod-siblings', siblings.length > 0);
    const length = this._length(info);
    const one = pairView(
      this.trans,
      info,
      this._live && liveFacts(this._live),
      journal,
      length ? sentinel : '',
      length,
      this._facts.priceOf,
      parts
    );
    const view = siblings.length ? wholeView(one, isBusyGroup) : one;
    const { dataset } = this.node;
    dataset.turnbookState = view.state;
    this.node.toggleAttribute('data-turnbook-ooc', this._ooc);
    this.toggleClass('jp-mod-live', this._status.isShowing);
    this.toggleClass('jp-mod-past', this._past !== null);
    this.toggleClass('jp-mod-spare', this.isSpare);
    this.readOnly = info !== null || isLocked;
    this.setPrompt('★'.repeat(marks.star));
    const { name, provider } = splitId(view.model);
    const { length: count } = siblings;
    if (count) {
      this._speaker?.say(this.trans._n('%1 reply', '%1 replies', count));
    } else {
      this._speaker?.say(name, provider, view.model);
    }
    const message = cell.getSource();
    const { reply } = this;
    const { state } = view;
    const isBusy = isUnderWay(state);
    const obstacle = eyeObstacle(isLocked, isBusy, this.trans);
    const said = replyMarks(parts, obstacle, this.trans);
    const eye = isBusy ? null : said.eye;
    this.cellName.say(pairWords({ message, reply, model: name, state }));
    this._siblings.show(siblings, this._facts, {
      obstacle: chooseObstacle(
        { isLocked, isEditing: this.isEditing, isPosting },
        this.trans
      ),
      eye
    });
    this._status.display(view, {
      ...marks,
      ooc: this._ooc,
      isNew,
      versions: pastVersions(pair).length,
      isSeveral: count > 0 && this._shown === null,
      shown: this._shown,
      ...said,
      // That of several replies is with the chosen one.
      eye: count ? null : eye
    });
    this.toggleClass('jp-mod-replyUnsent', said.eye?.isSent === false);
    this._attached.show(parts, {
      obstacle,
      changed: this._facts.changedReferences
    });
    this.toggleClass('jp-mod-withoutReply', isWithoutReply(parts));
    this._steps.show(parts, {
      locked: isBusy,
      live: this._live !== null && !this._live.hasEnded,
      opensReasoning: this._status.isReasoningOpen ?? opensReasoning,
      eyeObstacle: obstacle
    });
    this._kept.show(cell);
    const isHere = !this._status.isShowing && !this._past;
    this.toggleClass(
      'jp-mod-structured',
      this._structured.show(isHere ? info : null, soleReply(parts))
    );
    this._showFolds(parts);
  }

  /** Fold long texts; not those that the user has just sent, or seen arrive. */
  private _showFolds(outputs: IOutput[]): void {
    this._isRead ||= this._live !== null;
    if (this._live) {
      this._folds?.unfold();
    }
    this._folds?.show(
      {
        message: this.model.sharedModel.getSource(),
        reply: shownText(outputs.filter(output => !isStep(output)))
      },
      this._isRead
    );
  }

  /** The length of an incomplete reply; if it is empty, no sentinel is sent. */
  private _length(info: IRunInfo | null): number {
    const { reply } = this;
    const isPart = this._live ? !!reply.trim() : isCutOff(info, reply);
    return isPart ? reply.length : 0;
  }

  private _actionRequested = new Signal<this, PairAction>(this);
  private _attached = new AttachedFiles(
    view => this.insertBefore(this.inputArea!, view),
    place => toggleEye(this.pair, place)
  );
  private _editing = new OpenEditor(this, editor => this.insert(editor));
  private _facts = UNKNOWN;
  private _folds: PairFolds | null = null;
  private _isRead = false;
  private _kept = new KeptMessages(view => this.insert(view));
  private _live: LiveRun | null = null;
  private _ooc = false;
  private _past: PastVersion | null = null;
  private _shown: number | null = null;
  private _siblingRequested = new Signal<this, ISiblingRequest>(this);
  private _siblings = new PairSiblings({
    trans: () => this.trans,
    createStream: () => this.createStream(),
    insert: view => this.insertBefore(this.outputArea, view),
    onRequest: request => this._siblingRequested.emit(request),
    onAction: action => this._actionRequested.emit(action),
    onEye: () => toggleEye(this.pair),
    onTools: request => this._toolsRequested.emit(request)
  });
  private _speaker: Speaker | null = null;
  private _status: PairStatus | null = null;
  private _steps = new PairSteps({
    createText: () => this.createStream(),
    insert: view => this.insertBefore(this.outputArea, view),
    onRequest: request => this._toolsRequested.emit(request),
    onEye: place => toggleEye(this.pair, place)
  });
  private _structured = new StructuredReply(view =>
    this.insertBefore(this.outputArea, view, 1)
  );
  private _toolsRequested = new Signal<this, IToolRequest>(this);
}
