import type { IOutput } from '@jupyterlab/nbformat';
import type { Widget } from '@lumino/widgets';

import { isStep, readReply } from '../../document/reply';
import { shownOutput } from '../../document/shown';
import type { StreamingMarkdown } from '../../render/streaming';
import { TurnSteps, type IStepsState, type IToolRequest } from './turnsteps';

/** Shows the tool rounds and the reasoning of a pair, which few pairs have. */
export class PairSteps {
  constructor(private _options: PairSteps.IOptions) {}

  /** Show the steps among a pair's outputs. */
  show(
    outputs: readonly IOutput[],
    state: Omit<IStepsState, 'hasReply'>
  ): void {
    if (!this._view && outputs.some(isStep)) {
      const { createText, insert, onEye, onRequest } = this._options;
      this._view = new TurnSteps(createText, onEye);
      this._view.requested.connect((_, request) => onRequest(request));
      insert(this._view);
    }
    const hasReply = readReply(outputs) !== null;
    this._view?.display(outputs, { ...state, hasReply });
  }

  /** Open the reasoning in which a place is. */
  openReasoning(place: Node): void {
    this._view?.openReasoning(place);
  }

  private _view: TurnSteps | null = null;
}

/**
 * The namespace for `PairSteps` statics.
 */
export namespace PairSteps {
  export interface IOptions {
    createText: () => StreamingMarkdown;
    insert: (view: Widget) => void;
    onRequest: (request: IToolRequest) => void;
    /** Called with the index of an output when the user wants it sent, or not. */
    onEye: (place: number) => void;
  }
}

/** Whether there is nothing to show among outputs but what comes before a reply. */
export function isWithoutReply(outputs: readonly IOutput[]): boolean {
  return (
    outputs.length > 0 &&
    outputs.every(output => {
      const { kind } = shownOutput(output);
      return kind === 'attachment' || kind === 'round' || kind === 'reasoning';
    })
  );
}
