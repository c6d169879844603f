import type { IOutput } from '@jupyterlab/nbformat';
import type { Message } from '@lumino/messaging';
import { Signal, type ISignal } from '@lumino/signaling';
import { Widget } from '@lumino/widgets';

import { trans } from '../../base/words';
import { unsentPlaces } from '../../document/parts';
import {
  readReasoning,
  reasoningText,
  type IReasoning
} from '../../document/reasoning';
import { isPartial } from '../../document/reply';
import { readRound, type IToolRound } from '../../document/rounds';
import type { StreamingMarkdown } from '../../render/streaming';
import { element } from '../../ui/dom';
import { EyeButton, type IEyeNames } from './eyebutton';
import { ReasoningView } from './reasoningview';
import { RoundView, type IRoundRequest } from './toolround';

/** An action in one of a pair's rounds. */
export interface IToolRequest extends IRoundRequest {
  /** The index of the round in the pair. */
  round: number;
}

/** What the steps of a pair depend on besides the document. */
export interface IStepsState {
  /** Whether the pair has a reply after them. */
  hasReply: boolean;
  /** Whether they cannot be changed now. */
  locked: boolean;
  /** Whether another attempt streams, which replaces what was cut off. */
  live?: boolean;
  /** Whether reasoning is open when it is first shown. */
  opensReasoning?: boolean;
  /** Why it cannot be changed now whether a step is sent; empty if it can. */
  eyeObstacle?: string;
}

/**
 * The steps of a pair between its message and its reply: tool rounds and reasoning.
 *
 * They are not rendered as outputs, because JupyterLab recreates an output when it changes, and a
 * result that is being edited must stay under the cursor.
 */
export class TurnSteps extends Widget {
  /**
   * @param _onEye - Called with the index of an output when the user wants its step sent, or not;
   * without it, that cannot be chosen.
   */
  constructor(
    private _createText: () => StreamingMarkdown,
    private _onEye?: (place: number) => void
  ) {
    super();
    this.addClass('jp-Turnbook-rounds');
    this.node.addEventListener('focusout', this);
  }

  /** Emitted when the user requests an action. */
  get requested(): ISignal<this, IToolRequest> {
    return this._requested;
  }

  /** Show the steps among a pair's outputs. */
  display(outputs: readonly IOutput[], state: IStepsState): void {
    const unsent = unsentPlaces(outputs);
    const steps = outputs.flatMap((output, place) =>
      readStep(output, place, state)
    );
    const rounds = steps.filter(({ round }) => round).length;
    this._views.splice(steps.length).forEach(disposeView);
    let number = 0;
    steps.forEach((step, place) => {
      if (this._views[place]?.key !== step.key) {
        this._replace(place, step, number, state);
      }
      const { eye, view } = this._views[place];
      const isSent = !unsent.has(step.place);
      this._views[place].place = step.place;
      view.node.classList.toggle('jp-mod-unsent', !isSent);
      eye?.update({ isSent, obstacle: state.eyeObstacle ?? '' });
      if (step.round && view instanceof RoundView) {
        number++;
        view.update(step.round, {
          waits: number === rounds && !state.hasReply,
          locked: state.locked,
          partial: step.partial,
          unsent: !isSent
        });
      }
    });
    this.setHidden(steps.length === 0);
  }

  /** Open the reasoning in which a place is. */
  openReasoning(place: Node): void {
    for (const { view } of this._views) {
      if (view instanceof ReasoningView) {
        view.openAt(place);
      }
    }
  }

  /** Save results that the user wrote and has not sent. */
  flush(): void {
    const rounds = this._views.flatMap(({ view }) =>
      view instanceof RoundView ? [view] : []
    );
    rounds.forEach((view, round) => {
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
    this._views.forEach(disposeView);
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

  private _replace(
    place: number,
    step: IStep,
    round: number,
    state: IStepsState
  ): void {
    const view = step.reasoning
      ? reasoningView(step.reasoning, state.opensReasoning ?? false)
      : new RoundView({
          number: round + 1,
          createText: this._createText,
          onRequest: request => this._requested.emit({ ...request, round })
        });
    const before = this._views[place];
    if (before) {
      disposeView(before);
    }
    const { key, place: output } = step;
    const shown: IStepView = { key, place: output, view, node: view.node };
    const onEye = this._onEye;
    if (onEye) {
      const names = eyeNames(step, round + 1);
      shown.eye = new EyeButton(names, () => {
        // Results cannot be edited in a round that is not sent.
        this.flush();
        onEye(shown.place);
      });
      if (view instanceof RoundView) {
        view.showEye(shown.eye.node);
      } else {
        shown.node = element('div', 'jp-Turnbook-step');
        shown.node.append(view.node, shown.eye.node);
      }
    }
    this._views[place] = shown;
    this.node.insertBefore(shown.node, this.node.children[place] ?? null);
  }

  private _requested = new Signal<this, IToolRequest>(this);
  private _views: IStepView[] = [];
}

/** A step in the page. */
interface IStepView {
  key: string;
  /** The index of its output. */
  place: number;
  view: RoundView | ReasoningView;
  /** Its element among the steps. */
  node: HTMLElement;
  eye?: EyeButton;
}

interface IStep {
  /** What it is drawn from; it is drawn again if that changes. */
  key: string;
  /** The index of its output. */
  place: number;
  partial: boolean;
  round?: IToolRound;
  reasoning?: IReasoning;
}

function readStep(
  output: IOutput,
  place: number,
  { live }: IStepsState
): IStep[] {
  const partial = isPartial(output);
  const reasoning = readReasoning(output);
  if (reasoning) {
    const key = `reasoning ${JSON.stringify(reasoning)}`;
    const isSeen = reasoningText(reasoning) !== '' && !(live && partial);
    return isSeen ? [{ key, place, partial, reasoning }] : [];
  }
  const round = readRound(output);
  return round
    ? [{ key: JSON.stringify(round.message), place, partial, round }]
    : [];
}

function eyeNames({ reasoning }: IStep, number: number): IEyeNames {
  return reasoning
    ? {
        keep: trans.__('Do not send the reasoning'),
        send: trans.__('Send the reasoning')
      }
    : {
        keep: trans.__('Do not send tool calls %1 and their results', number),
        send: trans.__('Send tool calls %1 and their results', number)
      };
}

function reasoningView(reasoning: IReasoning, isOpen: boolean): ReasoningView {
  const view = new ReasoningView(isOpen);
  view.append(reasoningText(reasoning));
  view.update({ seconds: reasoning.seconds ?? null, live: false });
  return view;
}

function disposeView({ view, node }: IStepView): void {
  if (view instanceof RoundView) {
    view.dispose();
  }
  node.remove();
}
