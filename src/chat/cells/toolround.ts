import type { IDisposable } from '@lumino/disposable';

import { trans } from '../../base/words';
import type { Results } from '../../document/continue';
import {
  answersOf,
  callsOf,
  moreOf,
  textOf,
  type IToolRound
} from '../../document/rounds';
import type { StreamingMarkdown } from '../../render/streaming';
import { button, element, setChildren } from '../../ui/dom';
import { LongText } from './longtext';
import { CallView } from './toolcall';

const CLASS = 'jp-Turnbook-round';

/** How many calls of a round are shown before it is expanded. */
const SHOWN_CALLS = 50;

const waitWords = () =>
  trans.__(
    'Turnbook runs no tools: write the result of each call, then continue.'
  );

const goesOnWords = () =>
  trans.__('Continues from here; what came after is kept as a version.');

/** An action in a round. */
export interface IRoundRequest {
  kind: 'write' | 'continue' | 'remove' | 'leave';
  results: Results;
}

/** The state of a round. */
export interface IRoundState {
  /** Whether the turn continues from it. */
  waits: boolean;
  /** Whether it cannot be changed now. */
  locked: boolean;
  /** Whether it was interrupted. */
  partial: boolean;
  /** Whether it is still arriving. */
  live?: boolean;
  /** Whether it is kept out of what is sent; then the turn does not go on from it. */
  unsent?: boolean;
}

/**
 * One round of a turn: what the model said and called, and the results.
 */
export class RoundView implements IDisposable {
  constructor(private _options: RoundView.IOptions) {
    this.node = element('section', CLASS);
    this.node.setAttribute(
      'aria-label',
      trans.__('Tool calls %1', _options.number)
    );
    this._calls = element('div', `${CLASS}-calls`);
    this._rest = new LongText(`${CLASS}-rest`);
    this._rest.name = trans.__('Results without a call');
    this._more = new LongText(`${CLASS}-rest`);
    this._more.name = trans.__('More of the message');
    this._bar = element('div', `${CLASS}-bar`);
    this._hint = element('span', `${CLASS}-hint`);
    this._hint.setAttribute('role', 'status');
    this.node.append(this._calls, this._more.node, this._rest.node, this._bar);
  }

  readonly node: HTMLElement;

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  /** The results that the user changed and that are not in the document. */
  get written(): Results {
    const written = new Map<number, string>();
    this._views.forEach((view, place) => {
      const text = view.written;
      if (text !== null) {
        written.set(place, text);
      }
    });
    return written;
  }

  /** Whether the user is changing results of a round that the turn has already continued from. */
  get isEditing(): boolean {
    return this._isEditing;
  }

  /** Show in its bar, from the next update on, whether it is sent. */
  showEye(eye: HTMLElement): void {
    this._eye = [eye];
  }

  /** Show a round. */
  update(round: IToolRound, state: IRoundState): void {
    this._round = round;
    this._state = state;
    this._draw();
  }

  dispose(): void {
    this._isDisposed = true;
    this._text?.dispose();
    this.node.remove();
  }

  private _draw(): void {
    const { live = false, locked, unsent = false, waits } = this._state;
    const editable = !locked && !live && !unsent && (waits || this._isEditing);
    const calls = callsOf(this._round);
    const { answers, rest } = answersOf(this._round);
    this._drawText();
    const shown = this._showsAll ? calls : calls.slice(0, SHOWN_CALLS);
    this._views.splice(shown.length).forEach(({ node }) => node.remove());
    shown.forEach((call, place) => {
      let view = this._views[place];
      if (!view) {
        view = new CallView(live, event => this._onKey(event));
        this._views.push(view);
        this._calls.append(view.node);
      }
      view.update(call, answers[place], editable);
    });
    this._drawOthers(calls.length - shown.length);
    this._more.text = moreOf(this._round);
    this._more.node.hidden = moreOf(this._round) === '';
    this._rest.text = rest
      .map(
        ({ tool_call_id: id, content }) => `${textOf(id)}: ${textOf(content)}`
      )
      .join('\n');
    this._rest.node.hidden = rest.length === 0;
    this._drawBar(editable);
  }

  /** Show what the model wrote before it called tools. */
  private _drawText(): void {
    const content = textOf(this._round.message?.content ?? '');
    if (content === this._said) {
      return;
    }
    this._said = content;
    this._text?.dispose();
    this._text = null;
    if (content.trim()) {
      this._text = this._options.createText();
      this._text.append(content);
      void this._text.finish();
      this.node.prepend(this._text.node);
    }
  }

  private _drawOthers(count: number): void {
    this._others?.remove();
    this._others = null;
    if (count > 0) {
      this._others = button(
        trans._n('Show %1 more call', 'Show %1 more calls', count),
        'jp-Turnbook-linkButton',
        () => {
          this._showsAll = true;
          this._draw();
        }
      );
      this._calls.append(this._others);
    }
  }

  private _drawBar(editable: boolean): void {
    const { locked, live = false, partial, unsent, waits } = this._state;
    const cut = partial
      ? [element('span', `${CLASS}-cut`, trans.__('This call was cut off.'))]
      : [];
    if (locked || live || unsent || !this._round.message) {
      setChildren(this._bar, [...cut, ...this._eye]);
      return;
    }
    if (!editable) {
      const edit = button(
        trans.__('Edit results'),
        'jp-Turnbook-linkButton',
        () => {
          this._isEditing = true;
          this._draw();
          this._views[0]?.node.querySelector('textarea')?.focus();
        },
        trans.__('Change the results of the tools and continue from there')
      );
      setChildren(this._bar, [...cut, edit, ...this._eye]);
      return;
    }
    this._hint.textContent =
      this._missing || (waits ? waitWords() : goesOnWords());
    const remove = waits
      ? button(
          trans.__('Remove calls'),
          'jp-Turnbook-button',
          () => this._request('remove'),
          trans.__(
            'Take these calls out of the chat; they are kept as a version'
          )
        )
      : button(trans.__('Cancel'), 'jp-Turnbook-button', () => this._cancel());
    const go = button(
      trans.__('Continue'),
      'jp-Turnbook-button jp-mod-primary',
      () => this._continue(),
      trans.__('Send the results to the model (Ctrl+Enter)')
    );
    // Changes are sent or discarded first.
    const eye = this._isEditing ? [] : this._eye;
    setChildren(this._bar, [...cut, this._hint, ...eye, remove, go]);
  }

  private _onKey(event: KeyboardEvent): void {
    // The notebook around it must not handle these keys.
    event.stopPropagation();
    if (event.isComposing) {
      return;
    }
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      this._continue();
    } else if (event.key === 'Escape') {
      event.preventDefault();
      if (this._isEditing) {
        this._cancel();
      }
      this._request('leave');
    }
  }

  /** Missing results are only asked for once. */
  private _continue(): void {
    const missing = this._views.filter(view => view.isOpen);
    const key = missing.map(view => this._views.indexOf(view)).join();
    if (missing.length && key !== this._asked) {
      this._asked = key;
      missing[0].miss();
      this._missing = trans._n(
        'A result is missing, and providers mostly refuse that. Write what is missing, or press Continue again to send it so.',
        '%1 results are missing, and providers mostly refuse that. Write what is missing, or press Continue again to send it so.',
        missing.length
      );
      this._draw();
      return;
    }
    this._missing = '';
    this._request('continue');
  }

  private _cancel(): void {
    this._views.forEach(view => view.reset());
    this._missing = '';
    this._isEditing = false;
    this._draw();
  }

  private _request(kind: IRoundRequest['kind']): void {
    const results = this.written;
    if (kind === 'continue') {
      this._isEditing = false;
    }
    this._options.onRequest({ kind, results });
  }

  private _asked = '';
  private _bar: HTMLElement;
  private _calls: HTMLElement;
  private _eye: readonly HTMLElement[] = [];
  private _hint: HTMLElement;
  private _isDisposed = false;
  private _isEditing = false;
  /** The message about missing results. */
  private _missing = '';
  private _more: LongText;
  private _others: HTMLElement | null = null;
  private _rest: LongText;
  private _round: IToolRound = { message: null, results: [] };
  private _said = '';
  private _showsAll = false;
  private _state: IRoundState = { waits: false, locked: true, partial: false };
  private _text: StreamingMarkdown | null = null;
  private _views: CallView[] = [];
}

/**
 * The namespace for `RoundView` statics.
 */
export namespace RoundView {
  export interface IOptions {
    /** The number of the round in the turn, from 1. */
    number: number;
    /** Creates the view of the model's text. */
    createText: () => StreamingMarkdown;
    onRequest: (request: IRoundRequest) => void;
  }
}
