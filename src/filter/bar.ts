import type { EditorView } from '@codemirror/view';
import {
  nullTranslator,
  type ITranslator,
  type TranslationBundle
} from '@jupyterlab/translation';
import { UUID } from '@lumino/coreutils';
import type { Message } from '@lumino/messaging';
import { Signal, type ISignal } from '@lumino/signaling';
import { Widget } from '@lumino/widgets';

import { fitHeight } from '../base/fit';
import { filterEditor, writeText } from './editor';
import { DELAY } from './language';
import { savedMenu } from './menu';
import { FilterModel } from './model';
import { button, explain, part } from './notice';
import type { Query } from './query';
import type { IFilterStore } from './store';

/** The filter bar above a chat. */
export class FilterBar extends Widget {
  constructor(options: FilterBar.IOptions) {
    super();
    this.addClass('jp-Turnbook-filter');
    this._trans = (options.translator ?? nullTranslator).load(
      'jupyterlab_turnbook'
    );
    const trans = this._trans;
    this.model = new FilterModel(options);
    this.start = part('div', 'start');
    this.slot = part('div', 'slot');
    this.below = part('div', 'below');

    const input = part('div', 'input');
    this._clear = button('clear', '✕', () => this._onClear());
    this._clear.setAttribute('aria-label', trans.__('Clear filter'));
    this._clear.title = trans.__('Clear the filter and show everything');
    this._saved = button('saved', trans.__('Saved ▾'), () => this._openMenu());
    this._saved.classList.add('jp-Turnbook-button');
    this._saved.title = trans.__('Saved and recent filters');
    this._saved.setAttribute('aria-haspopup', 'menu');
    this._notice = part('div', 'notice');
    this._notice.id = `jp-Turnbook-filter-notice-${UUID.uuid4()}`;
    this._notice.setAttribute('role', 'status');

    this._view = filterEditor({
      parent: input,
      vocabulary: {
        topics: options.topics,
        models: options.models,
        saved: () => this.model.saved
      },
      placeholder: trans.__('Filter: words, topic:ml/**, star>=2, age<7d …'),
      attributes: () => this._attributes(),
      onChange: text => this._onChange(text),
      onEnter: () => this._commit(),
      onEscape: () => {
        this._commit();
        this._left.emit();
      },
      onBlur: () => this._commit(),
      onOlder: () => this.model.older(),
      onNewer: () => this.model.newer()
    });

    const row = part('div', 'row');
    input.append(this._clear);
    row.append(this.start, input, this._saved, this.slot);
    this._body.append(row, this._notice, this.below);
    this.node.append(this._body);
    for (const type of ['focusin', 'focusout']) {
      this.node.addEventListener(type, () => this._fold());
    }

    this.model.changed.connect(this._onModel, this);
    this.model.queryChanged.connect(this._onQuery, this);
    this._observer = new ResizeObserver(() => this._fit());
    this._refresh();
  }

  /** The text in the bar and the filter in force. */
  readonly model: FilterModel;

  /** A place for other widgets before the textbox. */
  readonly start: HTMLElement;

  /** A place for other widgets at the right end, such as the context counter. */
  readonly slot: HTMLElement;

  /** A place for other widgets below the textbox. */
  readonly below: HTMLElement;

  /** Emitted when the filter in force changes; null shows everything. */
  get queryChanged(): ISignal<this, Query | null> {
    return this._queryChanged;
  }

  /** Emitted when the bar is folded away or shown again. */
  get folded(): ISignal<this, void> {
    return this._folded;
  }

  /** Whether the bar is folded away while it is empty and not in use. */
  get folds(): boolean {
    return this._folds;
  }
  set folds(folds: boolean) {
    this._folds = folds;
    this._fold();
  }

  /** Emitted when the user moves the focus to the notebook. */
  get left(): ISignal<this, void> {
    return this._left;
  }

  /** The filter in force; null shows everything. */
  get query(): Query | null {
    return this.model.query;
  }

  /** Write a filter and apply it; return false if the text is not a filter. */
  apply(text: string): boolean {
    const good = this.model.show(text);
    this._refresh();
    return good;
  }

  /** Focus the textbox and select its text. */
  focus(): void {
    this._setFolded(false);
    this._view.focus();
    this._view.dispatch({
      selection: { anchor: 0, head: this._view.state.doc.length }
    });
  }

  override dispose(): void {
    if (this.isDisposed) {
      return;
    }
    window.clearTimeout(this._timer);
    this._observer.disconnect();
    this.model.changed.disconnect(this._onModel, this);
    this.model.queryChanged.disconnect(this._onQuery, this);
    this._view.destroy();
    super.dispose();
  }

  protected override onActivateRequest(msg: Message): void {
    this.focus();
  }

  protected override onAfterAttach(msg: Message): void {
    this._observer.observe(this._body);
    this._view.requestMeasure();
  }

  protected override onBeforeDetach(msg: Message): void {
    this._observer.disconnect();
  }

  private _attributes(): Record<string, string> {
    return {
      'aria-label': this._trans.__('Filter'),
      'aria-multiline': 'false',
      'aria-invalid': String(this._wrong),
      'aria-describedby': this._notice.id,
      spellcheck: 'false'
    };
  }

  private _onChange(text: string): void {
    this.model.text = text;
    window.clearTimeout(this._timer);
    this._timer = window.setTimeout(() => {
      this.model.apply();
      this._refresh();
    }, DELAY);
  }

  private _commit(): void {
    if (this.isDisposed) {
      return;
    }
    window.clearTimeout(this._timer);
    this.model.commit();
    this._refresh();
  }

  private _onClear(): void {
    this.model.clear();
    this._refresh();
    this._view.focus();
  }

  private _onModel(): void {
    if (this._view.state.doc.toString() !== this.model.text) {
      writeText(this._view, this.model.text);
    }
    this._clear.hidden = this.model.text === '';
    // Errors appear when the user pauses typing, and disappear as soon as they are fixed.
    if (!this.model.error || this.model.problem) {
      this._refresh();
    }
  }

  private _onQuery(sender: FilterModel, query: Query | null): void {
    this._queryChanged.emit(query);
  }

  private _refresh(): void {
    const { error, problem, query } = this.model;
    this._clear.hidden = this.model.text === '';
    this._fold();
    // Keep the notice while its content is the same: clicking its button blurs the textbox, which
    // leads here, and replacing the button would swallow the click.
    const shown = JSON.stringify([error, problem, query, this.model.text]);
    if (shown !== this._shown) {
      this._shown = shown;
      const use = () => this._acceptSuggestion();
      this._notice.replaceChildren(
        ...(error ? explain(this.model, error, this._trans, use) : []),
        ...(problem ? [part('span', 'problem', problem)] : [])
      );
    }
    this._notice.hidden = !error && !problem;
    if (this._wrong !== (error !== null)) {
      this._wrong = error !== null;
      this.toggleClass('jp-mod-error', this._wrong);
      this._view.dispatch({});
    }
  }

  private _acceptSuggestion(): void {
    this.model.acceptSuggestion();
    this._refresh();
    this._view.focus();
  }

  private _openMenu(): void {
    const menu = savedMenu(this.model, this._trans);
    const { left, bottom } = this._saved.getBoundingClientRect();
    this._saved.setAttribute('aria-expanded', 'true');
    this._hasMenu = true;
    menu.aboutToClose.connect(() => {
      this._hasMenu = false;
      this._saved.setAttribute('aria-expanded', 'false');
      this._view.focus();
    });
    menu.open(left, bottom);
  }

  /** Show the bar, or fold it away once it is known that nothing in it gets the focus. */
  private _fold(): void {
    if (this._isUsed) {
      this._setFolded(false);
      return;
    }
    window.setTimeout(() => {
      if (!this.isDisposed && !this._isUsed) {
        this._setFolded(true);
      }
    });
  }

  private get _isUsed(): boolean {
    return (
      !this._folds ||
      this._hasMenu ||
      this.model.text !== '' ||
      this.model.problem !== null ||
      this.node.contains(document.activeElement)
    );
  }

  private _setFolded(isFolded: boolean): void {
    if (this.isHidden !== isFolded) {
      this.setHidden(isFolded);
      this._folded.emit();
    }
  }

  private _fit(): void {
    const height = this._body.offsetHeight;
    if (height) {
      fitHeight(this, height);
    }
  }

  private _body = part('div', 'body');
  private _clear: HTMLButtonElement;
  private _folded = new Signal<this, void>(this);
  private _folds = false;
  private _hasMenu = false;
  private _left = new Signal<this, void>(this);
  private _notice: HTMLElement;
  private _observer: ResizeObserver;
  private _queryChanged = new Signal<this, Query | null>(this);
  private _saved: HTMLButtonElement;
  private _shown = '';
  private _timer = 0;
  private _trans: TranslationBundle;
  private _view: EditorView;
  private _wrong = false;
}

/**
 * The namespace for `FilterBar` statics.
 */
export namespace FilterBar {
  export interface IOptions {
    /** The topics in the chat, for completion. */
    topics(): readonly string[];
    /** The models in the chat or on offer, for completion. */
    models(): string[];
    store: IFilterStore;
    translator?: ITranslator;
  }
}
