import type { TranslationBundle } from '@jupyterlab/translation';
import { Panel, Widget } from '@lumino/widgets';

import type { ISibling } from '../../document/siblings';
import type { StreamingMarkdown } from '../../render/streaming';
import { splitId } from '../../runs/models';
import { button, element, setChildren } from '../../ui/dom';
import type { IEyeState } from './eyebutton';
import type { IPairFacts } from './pairfacts';
import type { PairAction } from './pairview';
import { SiblingColumn, type SiblingAction } from './siblingcolumn';
import type { IToolRequest } from './turnsteps';

const CLASS = 'jp-Turnbook-siblings';

/** Below this width, in pixels, two columns do not fit, and there are tabs instead. */
const TABS_WIDTH = 736;

/** An action on one of several replies to a message. */
export interface ISiblingRequest {
  index: number;
  action: Exclude<SiblingAction, 'maximise'>;
}

/** What can be done with several replies. */
interface ISiblingsState {
  /** Why no other one can be chosen now; empty if one can. */
  obstacle: string;
  /** Whether the chosen one is sent; null if that cannot be said now. */
  eye: IEyeState | null;
}

/** Shows several replies to one message side by side, which few pairs have. */
export class PairSiblings {
  constructor(private _options: PairSiblings.IOptions) {}

  /** Whether there are several replies. */
  get isShown(): boolean {
    return this._view !== null;
  }

  /** The number of the reply that has the focus, or that is maximised; null if there is none. */
  get current(): number | null {
    return this._view?.current ?? null;
  }

  /** Bring the reply to the front in which a place is, and open its reasoning if it is there. */
  reveal(place: Node): void {
    this._view?.reveal(place);
  }

  /** Show the replies to a pair, if there are several. */
  show(siblings: ISibling[], facts: IPairFacts, state: ISiblingsState): void {
    if (siblings.length && !this._view) {
      this._view = new SiblingsView(this._options);
      this._options.insert(this._view);
    } else if (!siblings.length) {
      this._view?.dispose();
      this._view = null;
    }
    this._view?.display(siblings, facts, state);
  }

  private _view: SiblingsView | null = null;
}

/** The namespace for `PairSiblings` statics. */
export namespace PairSiblings {
  export interface IOptions {
    trans: () => TranslationBundle;
    createStream: () => StreamingMarkdown;
    insert: (view: Widget) => void;
    onRequest: (request: ISiblingRequest) => void;
    /** Called when the user wants something with all of them. */
    onAction: (action: PairAction) => void;
    /** Called when the user wants the chosen one to be sent or not. */
    onEye: () => void;
    onTools: (request: IToolRequest) => void;
  }
}

let views = 0;

/** Columns that scroll sideways or, where there is little room, tabs. */
class SiblingsView extends Panel {
  constructor(private _options: PairSiblings.IOptions) {
    super();
    this.addClass(CLASS);
    const trans = _options.trans();
    this._tabs.setAttribute('role', 'tablist');
    this._tabs.setAttribute('aria-label', trans.__('Replies'));
    this._tabs.addEventListener('keydown', event => this._onTabKey(event));
    this._columns.addClass(`${CLASS}-columns`);
    this._columns.node.addEventListener('focusin', event => {
      const column = (event.target as Element).closest<HTMLElement>(
        '[data-turnbook-sibling]'
      );
      this._tab = Number(column?.dataset.turnbookSibling ?? this._tab);
    });
    this.addWidget(new Widget({ node: this._tabs }));
    this.addWidget(this._columns);
    this.addWidget(new Widget({ node: this._bar }));
    this._showBar(trans);
    this._observer = new ResizeObserver(() => this._fit());
    this._observer.observe(this.node);
  }

  /** The number of the reply that has the focus, or that is maximised; null if there is none. */
  get current(): number | null {
    const focused = document.activeElement?.closest<HTMLElement>(
      '[data-turnbook-sibling]'
    );
    return focused && this.node.contains(focused)
      ? Number(focused.dataset.turnbookSibling)
      : this._large;
  }

  display(
    siblings: ISibling[],
    facts: IPairFacts,
    state: ISiblingsState
  ): void {
    const known = new Set(siblings.map(({ index }) => index));
    for (const [index, column] of this._known) {
      if (!known.has(index)) {
        column.dispose();
        this._known.delete(index);
      }
    }
    if (this._large !== null && !known.has(this._large)) {
      this._large = null;
    }
    const chosen = siblings.find(({ place }) => place === null)!.index;
    if (chosen !== this._chosen) {
      // The user sees what they choose by key, and what undo chooses.
      this._chosen = this._tab = chosen;
      this._large = this._large === null ? null : chosen;
    } else if (!known.has(this._tab)) {
      this._tab = chosen;
    }
    this._last = { siblings, facts, state };
    siblings.forEach((sibling, place) => {
      const { index } = sibling;
      const column = this._known.get(index) ?? this._add(index, place);
      column.display({
        sibling,
        number: place + 1,
        count: siblings.length,
        isMaximised: this._large === index,
        facts,
        obstacle: state.obstacle,
        eye: sibling.place === null ? state.eye : null,
        ...facts.turnOf(index)
      });
    });
    this._showTabs(siblings);
    this._fit();
  }

  /** Bring the reply to the front in which a place is. */
  reveal(place: Node): void {
    for (const [index, column] of this._known) {
      if (column.node.contains(place)) {
        if (column.isHidden) {
          this._select(index);
        }
        column.openReasoning(place);
        column.node.scrollIntoView({ block: 'nearest', inline: 'nearest' });
      }
    }
  }

  override dispose(): void {
    this._observer.disconnect();
    super.dispose();
  }

  private _add(index: number, place: number): SiblingColumn {
    const { createStream, onAction, onEye, onRequest, onTools, trans } =
      this._options;
    const column = new SiblingColumn({
      trans: trans(),
      id: `${this._id}-${index}`,
      createStream,
      onEye,
      onTools,
      onAction: action => {
        if (action === 'maximise') {
          this._large = this._large === index ? null : index;
          this._tab = index;
          this._again();
        } else if (['choose', 'stop', 'retry', 'stop-retry'].includes(action)) {
          onRequest({ index, action });
        } else {
          onAction(action as PairAction);
        }
      }
    });
    this._known.set(index, column);
    this._columns.insertWidget(place, column);
    return column;
  }

  private _again(): void {
    if (this._last) {
      const { siblings, facts, state } = this._last;
      this.display(siblings, facts, state);
    }
  }

  private _showTabs(siblings: readonly ISibling[]): void {
    const trans = this._options.trans();
    const tabs = siblings.map(({ index, info, place }, at) => {
      const { name } = splitId(info.model);
      const tab = button(
        `${at + 1} ${name}${place === null ? ' ✓' : ''}`,
        `${CLASS}-tab`,
        () => this._select(index),
        place === null ? trans.__('%1, chosen', info.model) : info.model
      );
      tab.setAttribute('role', 'tab');
      tab.setAttribute('aria-controls', `${this._id}-${index}`);
      tab.setAttribute('aria-selected', `${index === this._tab}`);
      tab.tabIndex = index === this._tab ? 0 : -1;
      return tab;
    });
    setChildren(this._tabs, tabs);
  }

  private _select(index: number): void {
    this._tab = index;
    this._large = null;
    this._again();
  }

  private _onTabKey(event: KeyboardEvent): void {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const indices = [...this._known.keys()].sort((a, b) => a - b);
    if (step) {
      event.preventDefault();
      event.stopPropagation();
      const at = indices.indexOf(this._tab) + step + indices.length;
      this._select(indices[at % indices.length]);
      this._tabs.querySelector<HTMLElement>('[aria-selected="true"]')?.focus();
    }
  }

  /** What concerns all of them. */
  private _showBar(trans: TranslationBundle): void {
    const { onAction } = this._options;
    const add = (label: string, action: PairAction, title: string) =>
      button(label, 'jp-Turnbook-button', () => onAction(action), title);
    this._bar.append(
      add(
        trans.__('Compare replies'),
        'compare',
        trans.__('Show the differences between these replies')
      ),
      add(
        trans.__('Regenerate'),
        'regenerate',
        trans.__('Ask all these models again; these replies stay as versions')
      ),
      add(
        trans.__('Regenerate with…'),
        'regenerate-with',
        trans.__('Ask other models too, with the same request')
      ),
      add(
        trans.__('Combine these replies'),
        'combine',
        trans.__(
          'Put these replies into the composer, with an instruction that you can edit; nothing is sent'
        )
      )
    );
  }

  private _fit(): void {
    const width = this.node.clientWidth;
    // In a tab behind another nothing has a size.
    if (width) {
      this._isNarrow = width < TABS_WIDTH;
    }
    this.toggleClass('jp-mod-tabs', this._isNarrow);
    this.toggleClass('jp-mod-maximised', this._large !== null);
    const only = this._large ?? (this._isNarrow ? this._tab : null);
    for (const [index, column] of this._known) {
      column.setHidden(only !== null && index !== only);
    }
  }

  private _chosen: number | null = null;
  private readonly _bar = element('div', `${CLASS}-bar`);
  private readonly _columns = new Panel();
  private readonly _id = `jp-Turnbook-siblings-${views++}`;
  private _isNarrow = false;
  private readonly _known = new Map<number, SiblingColumn>();
  /** The reply that is maximised. */
  private _large: number | null = null;
  private _last: {
    siblings: ISibling[];
    facts: IPairFacts;
    state: ISiblingsState;
  } | null = null;
  private readonly _observer: ResizeObserver;
  /** The reply whose tab is selected. */
  private _tab = 0;
  private readonly _tabs = element('div', `${CLASS}-tabs`);
}
