/** The budget of a send: the same one is shown, confirmed and sent. */
import { Signal, type ISignal } from '@lumino/signaling';

import type { IBudgetState } from '../context/budget';
import type { RequestDraft } from '../request/draft';
import type { ChatRequests } from '../request/requests';
import type { ContextModel } from '../context/contextmodel';
import { isSent } from '../request/model';
import { countedOptions } from '../request/shownoptions';
import type { Draft } from './draft';
import type { Review } from './review';

/** The budget of one send. */
export interface ISendBudget {
  state: IBudgetState;
  /** Whether a pair is visible and not sent. */
  isOut(id: string): boolean;
}

/** The budget of a pair that is being edited for resending: what is above it, and the new text. */
export function resendBudget(
  context: ContextModel,
  pair: string,
  text: string
): ISendBudget {
  const budget = context.budgetAbove(pair);
  const cell = context.records.find(({ id }) => id === pair)?.cell;
  const attachments = cell?.kind === 'pair' ? cell.attachments : [];
  const state = budget.at(context.count({ text, attachments }));
  return { state, isOut: id => budget.isOut(id, state.boundary) };
}

/** The budget of an edited request: its pairs, and the tokens of its messages. */
export function requestBudget(
  context: ContextModel,
  draft: RequestDraft
): ISendBudget {
  const { base, frame, messages, sections } = draft.request;
  const { limits, pairs } = context.budgetAbove(base.pair);
  const sent = sections.filter(isSent);
  const cells = new Set(sent.map(({ cell }) => cell));
  const included = pairs.filter(id => cells.has(id));
  const count = (kinds: string[]) =>
    sent
      .filter(({ kind }) => kinds.includes(kind))
      .reduce((sum, { message }) => sum + context.tokensOf(message), 0);
  const options = context.count(countedOptions(frame));
  const total = messages.reduce(
    (sum, one) => sum + context.tokensOf(one),
    options
  );
  const system = count(['system', 'context']);
  const message = count(['user']);
  const visible = new Set(pairs);
  return {
    state: {
      ...limits,
      boundary: pairs.length - included.length,
      first: included[0] ?? null,
      included: included.length,
      visible: pairs.length,
      total,
      parts: {
        system,
        options,
        history: total - system - options - message,
        message
      },
      overfull: total + limits.reserve > limits.softCap
    },
    isOut: id => visible.has(id) && !cells.has(id)
  };
}

/** The budget of what would be sent next. */
export class SendBudgets {
  constructor(private _options: SendBudgets.IOptions) {}

  /**
   * The pair that is being edited for resending, and its text; the budget is then that of this
   * send.
   */
  get editing(): { pair: string; text: string } | null {
    return this._editing;
  }
  set editing(editing: { pair: string; text: string } | null) {
    this._editing = editing;
    this._edited.emit();
  }

  /** Emitted when another text is being edited. */
  get edited(): ISignal<this, void> {
    return this._edited;
  }

  /** The budget of what would be sent next. */
  get state(): IBudgetState {
    const { context, draft } = this._options;
    return this.send?.state ?? context.at(draft);
  }

  /**
   * The budget of an edited pair, of a paused message that is not the composer's, or of an edited
   * request; null if it is that of the context.
   */
  get send(): ISendBudget | null {
    const { context, requests, review } = this._options;
    if (this.editing) {
      return resendBudget(context, this.editing.pair, this.editing.text);
    }
    if (review.draft) {
      return requestBudget(context, review.draft);
    }
    return requests.edits ? requestBudget(context, requests.live) : null;
  }

  /** Whether a request may be sent as it is; asks the user if the setting says so. */
  async agrees(draft: RequestDraft): Promise<boolean> {
    const { confirm, context } = this._options;
    return !confirm || confirm(requestBudget(context, draft).state);
  }

  private _edited = new Signal<this, void>(this);
  private _editing: { pair: string; text: string } | null = null;
}

/**
 * The namespace for `SendBudgets` statics.
 */
export namespace SendBudgets {
  export interface IOptions {
    context: ContextModel;
    draft: Pick<Draft, 'attachments' | 'text'>;
    requests: ChatRequests;
    review: Pick<Review, 'draft'>;
    /** Asks whether a request with this budget may be sent. */
    confirm?: (budget: IBudgetState) => Promise<boolean>;
  }
}
