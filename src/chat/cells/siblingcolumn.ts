import type { TranslationBundle } from '@jupyterlab/translation';
import { Panel, Widget } from '@lumino/widgets';

import { isUnderWay } from '../../document/lifecycle';
import { isStep } from '../../document/reply';
import type { ISibling } from '../../document/siblings';
import type { StreamingMarkdown } from '../../render/streaming';
import type { LiveRun } from '../../runs/live';
import { splitId } from '../../runs/models';
import { button, element, setChildren } from '../../ui/dom';
import { isCutOff } from '../../document/cutoff';
import type { IEyeState } from './eyebutton';
import type { IPairFacts } from './pairfacts';
import { PairStatus } from './pairstatus';
import { liveFacts, pairView, siblingView, type PairAction } from './pairview';
import { TurnSteps, type IToolRequest } from './turnsteps';

const CLASS = 'jp-Turnbook-sibling';

/** What the user can do with one of several replies. */
export type SiblingAction = PairAction | 'choose' | 'stop' | 'maximise';

/** One of several replies to a message, with its state. */
export class SiblingColumn extends Panel {
  constructor(private _options: SiblingColumn.IOptions) {
    super();
    this.addClass(CLASS);
    const { createStream, trans } = _options;
    this.node.setAttribute('role', 'group');
    this.node.id = _options.id;
    this._head = element('div', `${CLASS}-head`);
    this._body = element('div', `${CLASS}-body`);
    this._steps = new TurnSteps(createStream);
    this._steps.requested.connect((_, request) => _options.onTools(request));
    this._status = new PairStatus({
      trans,
      isSibling: true,
      createStream,
      opensReasoning: () => this._shown?.facts.opensReasoning ?? false,
      whenShown: () => this._drawReply(),
      onGone: () => this._refresh(),
      onRedrawn: () => undefined,
      onAction: action => _options.onAction(action),
      onEye: () => _options.onEye(),
      editedTexts: () => ({ received: null, shown: '' })
    });
    this.addWidget(new Widget({ node: this._head }));
    this.addWidget(this._steps);
    this.addWidget(new Widget({ node: this._body }));
    this.addWidget(this._status);
  }

  /** Show a reply as the document has it, with what the page knows about its run. */
  display(shown: ISiblingFacts): void {
    const { live } = shown;
    this._shown = shown;
    if (live !== this._live) {
      this._live?.stateChanged.disconnect(this._refresh, this);
      this._live?.grown.disconnect(this._onFirst, this);
      this._live = live;
      live?.stateChanged.connect(this._refresh, this);
      live?.grown.connect(this._onFirst, this);
      this._status.live = live;
    }
    this._refresh();
  }

  /** Open the reasoning in which a place is. */
  openReasoning(place: Node): void {
    this._steps.openReasoning(place);
    this._status.openReasoning(place);
  }

  override dispose(): void {
    if (this.isDisposed) {
      return;
    }
    this._live?.stateChanged.disconnect(this._refresh, this);
    this._live?.grown.disconnect(this._onFirst, this);
    this._live = null;
    this._text?.dispose();
    super.dispose();
  }

  /** Remove *thinking…* when the first text arrives. */
  private _onFirst(live: LiveRun): void {
    live.grown.disconnect(this._onFirst, this);
    this._refresh();
  }

  private _refresh(): void {
    const { _shown: shown } = this;
    if (this.isDisposed || !shown) {
      return;
    }
    const { trans } = this._options;
    const { sibling, facts, live, number, count } = shown;
    const { info, place, slot } = sibling;
    const text = live ? live.text : (slot.reply?.text ?? '');
    const isPart = live ? !!text.trim() : isCutOff(info, text);
    const length = isPart ? text.length : 0;
    const view = pairView(
      trans,
      info,
      live && liveFacts(live),
      shown.journal,
      length ? facts.sentinel : '',
      length,
      facts.priceOf,
      slot.parts
    );
    const isChosen = place === null;
    const { node } = this;
    node.dataset.turnbookSibling = `${sibling.index}`;
    node.dataset.turnbookState = view.state;
    node.toggleAttribute('data-turnbook-chosen', isChosen);
    node.setAttribute(
      'aria-label',
      isChosen
        ? trans.__('Reply %1 of %2: %3, chosen', number, count, view.model)
        : trans.__('Reply %1 of %2: %3', number, count, view.model)
    );
    this._showHead(shown, view.model, isUnderWay(view.state));
    const { parts } = slot;
    this._steps.display(parts.filter(isStep).length ? parts : [], {
      hasReply: slot.reply !== null,
      locked: !isChosen || isUnderWay(view.state) || facts.locked,
      opensReasoning: facts.opensReasoning
    });
    this.toggleClass('jp-mod-live', this._status.isShowing);
    if (!this._status.isShowing) {
      void this._drawReply();
    }
    this._status.display(siblingView(view, isChosen), {
      topic: '',
      star: 0,
      in: true,
      ooc: false,
      isNew: false,
      versions: 0,
      shown: null,
      isEdited: false,
      eye: shown.eye
    });
  }

  private _showHead(
    { sibling, number, isMaximised, obstacle }: ISiblingFacts,
    model: string,
    isBusy: boolean
  ): void {
    const { onAction, trans } = this._options;
    const { name, provider } = splitId(model);
    const { requestHash } = sibling.info;
    const title = element('span', `${CLASS}-model`, name);
    title.title = model;
    const hash = element('span', `${CLASS}-hash`, requestHash.slice(0, 8));
    hash.title = trans.__('The request of this reply: sha256 %1', requestHash);
    const choose = button(
      trans.__('Choose this reply'),
      'jp-Turnbook-button',
      () => onAction('choose'),
      obstacle ||
        (number < 10
          ? trans.__('Later messages carry this reply (%1)', number)
          : trans.__('Later messages carry this reply'))
    );
    choose.disabled = obstacle !== '';
    const larger = button(
      isMaximised ? '⤡' : '⤢',
      `jp-Turnbook-iconButton ${CLASS}-maximise`,
      () => onAction('maximise'),
      isMaximised ? trans.__('Show all replies') : trans.__('Maximise')
    );
    larger.setAttribute('aria-label', larger.title);
    const actions = element('span', `${CLASS}-actions`);
    if (isBusy) {
      actions.append(
        button(
          trans.__('Stop'),
          'jp-Turnbook-button',
          () => onAction('stop'),
          trans.__('Stop this reply; what has arrived stays')
        )
      );
    }
    actions.append(...(sibling.place === null ? [] : [choose]), larger);
    setChildren(this._head, [
      title,
      element('span', `${CLASS}-provider`, provider),
      ...(sibling.place === null
        ? [element('span', `${CLASS}-chosen`, trans.__('chosen'))]
        : []),
      ...(requestHash ? [hash] : []),
      actions
    ]);
  }

  /** Draw the reply that has landed; resolves when it is visible. */
  private _drawReply(): Promise<void> {
    const text = this._shown?.sibling.slot.reply?.text ?? '';
    if (text !== this._drawn) {
      this._drawn = text;
      this._text?.dispose();
      this._text = null;
      if (text) {
        this._text = this._options.createStream();
        this._body.append(this._text.node);
        this._text.append(text);
        this._ready = this._text.finish();
      }
    }
    return this._ready;
  }

  private readonly _body: HTMLElement;
  private readonly _head: HTMLElement;
  private _drawn = '';
  private _live: LiveRun | null = null;
  private _ready: Promise<void> = Promise.resolve();
  private _shown: ISiblingFacts | null = null;
  private readonly _status: PairStatus;
  private readonly _steps: TurnSteps;
  private _text: StreamingMarkdown | null = null;
}

/** A reply among several, and what is known about it. */
export interface ISiblingFacts {
  sibling: ISibling;
  /** Its place among them, from 1. */
  number: number;
  count: number;
  isMaximised: boolean;
  live: LiveRun | null;
  journal: IPairFacts['journal'];
  facts: IPairFacts;
  /** Why no other reply can be chosen now; empty if one can. */
  obstacle: string;
  /** Whether it is sent, if it is chosen. */
  eye: IEyeState | null;
}

/** The namespace for `SiblingColumn` statics. */
export namespace SiblingColumn {
  export interface IOptions {
    trans: TranslationBundle;
    id: string;
    createStream: () => StreamingMarkdown;
    onAction: (action: SiblingAction) => void;
    /** Called when the user wants it to be sent or not. */
    onEye: () => void;
    /** Called when the user wants something in one of its tool rounds. */
    onTools: (request: IToolRequest) => void;
  }
}
