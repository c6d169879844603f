/** Validation of a provider's name and URL, with messages for the user. */
import type { TranslationBundle } from '@jupyterlab/translation';

/** The names that the server accepts; the same pattern as in openapi.yaml. */
export const NAME_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Why this cannot be the name of a new provider; null if it can. */
export function nameProblem(
  name: string,
  taken: readonly string[],
  trans: TranslationBundle
): string | null {
  if (!name) {
    return trans.__('Give the provider a name, for example “openai”.');
  }
  if (!NAME_PATTERN.test(name)) {
    return trans.__(
      'Use at most 64 letters, digits, dots, dashes and underscores, starting with a letter or digit.'
    );
  }
  if (taken.includes(name)) {
    return trans.__(
      'There already is a provider “%1”. Edit that one, or choose another name.',
      name
    );
  }
  return null;
}

/** Why this cannot be a base URL; null if it can. */
export function urlProblem(
  text: string,
  trans: TranslationBundle
): string | null {
  if (!text) {
    return trans.__(
      'Enter the address of the API, for example http://localhost:11434/v1.'
    );
  }
  const url = parse(text);
  if (!url || !/^https?:\/\/[^/]/i.test(text)) {
    return trans.__(
      'This is not a web address. It begins with http:// or https://.'
    );
  }
  if (url.username || url.password) {
    return trans.__(
      'Leave user name and password out of the address; put the key into the API key field.'
    );
  }
  if (url.search || url.hash) {
    return trans.__('Leave out what follows “?” or “#”.');
  }
  if (/\/chat\/completions\/*$/.test(url.pathname)) {
    return trans.__(
      'Leave out “/chat/completions”; Turnbook adds it to the base URL.'
    );
  }
  return null;
}

/** Whether a key sent to this URL could be intercepted. */
export function isExposed(text: string): boolean {
  const url = parse(text);
  return (
    url?.protocol === 'http:' &&
    !/^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname)
  );
}

/**
 * The canonical form of a URL, as the server compares them: lower-case host, no default port, no
 * trailing slash.
 */
export function canonical(text: string): string {
  const address = text.trim();
  return (parse(address)?.href ?? address).replace(/\/+$/, '');
}

function parse(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    // Not every supported browser has another way to detect an invalid URL.
    return null;
  }
}
