/** The part of JupyterLab's translation bundles that is used here. */
export interface IWords {
  __(text: string, ...values: unknown[]): string;
  _n(one: string, many: string, count: number, ...values: unknown[]): string;
  /** For texts that are not in the source, such as those of a schema. */
  gettext(text: string): string;
}

const english: IWords = {
  __: (text, ...values) => fill(text, values),
  _n: (one, many, count, ...values) =>
    fill(count === 1 ? one : many, [count, ...values]),
  gettext: text => text
};

let spoken = english;

/**
 * The user's language, for rooms that know nothing of JupyterLab. A page has
 * one language; until a plugin sets it, it is English, so call these only
 * when the text is needed, never while a module loads.
 */
export const trans: IWords = {
  __: (text, ...values) => spoken.__(text, ...values),
  _n: (one, many, count, ...values) => spoken._n(one, many, count, ...values),
  gettext: text => spoken.gettext(text)
};

/** Sets the language of the page; returns the one before. */
export function setLanguage(words: IWords): IWords {
  const before = spoken;
  spoken = words;
  return before;
}

function fill(text: string, values: unknown[]): string {
  return text.replace(/%(%|\d+)/g, (found, place: string) =>
    place === '%' ? '%' : String(values[Number(place) - 1] ?? found)
  );
}
