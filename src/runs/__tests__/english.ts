import type { TranslationBundle } from '@jupyterlab/translation';

const fill = (text: string, ...values: unknown[]) =>
  text.replace(/%(\d)/g, (_, n) => String(values[Number(n) - 1]));

/** English as it is written in the source, without loading JupyterLab. */
export const english = {
  __: fill,
  _n: (one: string, many: string, n: number, ...values: unknown[]) =>
    fill(n === 1 ? one : many, n, ...values)
} as TranslationBundle;
