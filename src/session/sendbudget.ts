/**
 * How a send stands to the model's window: one budget for what is shown, asked about and sent.
 */
import type { IBudgetState } from '../context/budget';
import type { RequestDraft } from '../request/draft';
import type { ContextModel } from '../context/contextmodel';
import { isSent } from '../request/model';

/** The budget of one send. */
export interface ISendBudget {
  state: IBudgetState;
  /** Whether a pair is visible and not sent. */
  isOut(id: string): boolean;
}

/** The budget of a pair that is being edited to be sent again: what is above it, and the new text. */
export function resendBudget(
  context: ContextModel,
  pair: string,
  text: string
): ISendBudget {
  const budget = context.budgetAbove(pair);
  const state = budget.at(context.count(text));
  return { state, isOut: id => budget.isOut(id, state.boundary) };
}

/** The budget of a request with its edits: the pairs that it has, and the tokens of its messages. */
export function requestBudget(
  context: ContextModel,
  draft: RequestDraft
): ISendBudget {
  const { base, messages, sections } = draft.request;
  const { limits, pairs } = context.budgetAbove(base.pair);
  const sent = sections.filter(isSent);
  const cells = new Set(sent.map(({ cell }) => cell));
  const included = pairs.filter(id => cells.has(id));
  const count = (kinds: string[]) =>
    sent
      .filter(({ kind }) => kinds.includes(kind))
      .reduce((sum, { message }) => sum + context.tokensOf(message), 0);
  const total = messages.reduce((sum, one) => sum + context.tokensOf(one), 0);
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
      parts: { system, history: total - system - message, message },
      overfull: total + limits.reserve > limits.softCap
    },
    isOut: id => visible.has(id) && !cells.has(id)
  };
}
