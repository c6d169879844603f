/** What the user enters about a rerun, and what it means. Pure. */
import type { IRerunWish, RerunSource } from '../base/run';

/** What the fields of the dialog have. */
export interface IRerunForm {
  readonly models: readonly string[];
  readonly repeats: number;
  /** Options, one in each line. */
  readonly options: string;
  readonly maxRequests: string;
  readonly maxCost: string;
  /** The results notebook; empty means that the server names one. */
  readonly out: string;
}

/** The form at first. */
export const EMPTY_FORM: IRerunForm = {
  models: [],
  repeats: 1,
  options: '',
  maxRequests: '',
  maxCost: '',
  out: ''
};

/** A field that cannot be read. */
export type BadField = 'maxRequests' | 'maxCost';

/** The fields that cannot be read. */
export function badFields(form: IRerunForm): readonly BadField[] {
  const requests = requestsIn(form.maxRequests);
  const cost = costIn(form.maxCost);
  return [
    ...(requests === null || (Number.isSafeInteger(requests) && requests >= 1)
      ? []
      : (['maxRequests'] as const)),
    ...(cost === null || cost >= 0 ? [] : (['maxCost'] as const))
  ];
}

/** What the server is asked for; call it only if no field is bad. */
export function wishOf(
  form: IRerunForm,
  source: RerunSource,
  prices: IRerunWish['prices']
): IRerunWish {
  const out = form.out.trim().replace(/^\/+/, '');
  return {
    source,
    models: [...form.models],
    repeats: form.repeats,
    set: form.options
      .split('\n')
      .map(line => line.trim())
      .filter(line => line !== ''),
    prices,
    maxRequests: requestsIn(form.maxRequests),
    maxCost: costIn(form.maxCost),
    ...(out ? { out: /\.ipynb$/i.test(out) ? out : `${out}.ipynb` } : {})
  };
}

/** A whole number; null if nothing was entered, NaN if it is something else. */
function requestsIn(text: string): number | null {
  const trimmed = text.trim();
  return trimmed === '' ? null : /^\d+$/.test(trimmed) ? Number(trimmed) : NaN;
}

/**
 * A number with or without a fraction; null if nothing was entered, NaN if it is something else.
 *
 * What may be a thousand to one user and one to another is neither.
 */
function costIn(text: string): number | null {
  const trimmed = text.trim();
  const isCost =
    /^(\d+[.,]?\d*|[.,]\d+)$/.test(trimmed) &&
    !/^0*[1-9]\d*[.,]\d{3}$/.test(trimmed);
  return trimmed === ''
    ? null
    : isCost
      ? Number(trimmed.replace(',', '.'))
      : NaN;
}
