import type { IOutput } from '@jupyterlab/nbformat';
import type { Message } from '@lumino/messaging';
import { Signal, type ISignal } from '@lumino/signaling';
import { Widget } from '@lumino/widgets';

import { isPartial } from '../../document/reply';
import { readRound } from '../../document/rounds';
import type { StreamingMarkdown } from '../../render/streaming';
import { RoundView, type IRoundRequest } from './toolround';

/** An action in one of a pair's rounds. */
export interface IToolRequest extends IRoundRequest {
  /** The index of the round in the pair. */
  round: number;
}

/**
 * The tool rounds of a pair, between its message and its reply.
 *
 * They are not rendered as outputs, because JupyterLab recreates an output when it changes, and a
 * result that is being edited must stay under the cursor.
 */
export class ToolRounds extends Widget {
  constructor(private _createText: () => StreamingMarkdown) {
    super();
    this.addClass('jp-Turnbook-rounds');
    this.node.addEventListener('focusout', this);
  }

  /** Emitted when the user requests an action. */
  get requested(): ISignal<this, IToolRequest> {
    return this._requested;
  }

  /**
   * Show the rounds among a pair's outputs.
   *
   * @param state - Whether the pair has a reply after them, and whether they can be changed now.
   */
  display(
    outputs: readonly IOutput[],
    state: { hasReply: boolean; locked: boolean }
  ): void {
    const rounds = outputs.flatMap(output => {
      const round = readRound(output);
      return round ? [{ round, partial: isPartial(output) }] : [];
    });
    this._views.splice(rounds.length).forEach(({ view }) => view.dispose());
    rounds.forEach(({ round, partial }, place) => {
      const key = JSON.stringify(round.message);
      const isLast = place === rounds.length - 1;
      if (this._views[place]?.key !== key) {
        this._replace(place, key);
      }
      this._views[place].view.update(round, {
        waits: isLast && !state.hasReply,
        locked: state.locked,
        partial
      });
    });
    this.setHidden(rounds.length === 0);
  }

  /** Save results that the user wrote and has not sent. */
  flush(): void {
    this._views.forEach(({ view }, round) => {
      const results = view.written;
      if (results.size && !view.isEditing) {
        this._requested.emit({ kind: 'write', round, results });
      }
    });
  }

  handleEvent(event: Event): void {
    const to = (event as FocusEvent).relatedTarget;
    const stays = to instanceof Node && this.node.contains(to);
    if (event.type === 'beforeunload' || !stays) {
      this.flush();
    }
  }

  override dispose(): void {
    if (this.isDisposed) {
      return;
    }
    this.node.removeEventListener('focusout', this);
    this._views.forEach(({ view }) => view.dispose());
    Signal.clearData(this);
    super.dispose();
  }

  protected override onAfterAttach(msg: Message): void {
    super.onAfterAttach(msg);
    // Before JupyterLab checks for unsaved changes.
    window.addEventListener('beforeunload', this, true);
  }

  protected override onBeforeDetach(msg: Message): void {
    window.removeEventListener('beforeunload', this, true);
    super.onBeforeDetach(msg);
  }

  private _replace(place: number, key: string): void {
    const view = new RoundView({
      number: place + 1,
      createText: this._createText,
      onRequest: request => this._requested.emit({ ...request, round: place })
    });
    this._views[place]?.view.dispose();
    this._views[place] = { key, view };
    this.node.insertBefore(view.node, this.node.children[place] ?? null);
  }

  private _requested = new Signal<this, IToolRequest>(this);
  private _views: { key: string; view: RoundView }[] = [];
}
