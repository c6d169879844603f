import { trans } from '../base/words';

/** What a reply may contain on the page, as plain rules without a DOM. */

/**
 * What happens to a URL in a reply.
 *
 * `inline` can be shown at once because it contains its own data, `ask` would make a request and
 * waits for a click, and `refuse` is never used.
 */
export type Load =
  | { kind: 'inline'; url: string }
  | { kind: 'ask'; url: string; from: string; local: boolean }
  | { kind: 'refuse' };

/** What happens to a link in a reply: its URL and host, or null if it is not followed. */
export type Link = { url: string; host: string } | null;

const INLINE_IMAGE =
  /^data:image\/(?:png|jpeg|gif|webp);base64,[a-z0-9+/=\s]*$/i;

/** Decide about an image or anything else that the page would load. */
export function judgeLoad(raw: string, base: string): Load {
  const text = clean(raw);
  if (INLINE_IMAGE.test(text)) {
    return { kind: 'inline', url: text };
  }
  const url = parse(text, base);
  if (!url || !isWeb(url)) {
    return { kind: 'refuse' };
  }
  const local = url.origin === new URL(base).origin;
  // The request goes to the server where the user is logged in, so the path matters more than the
  // host.
  const from = local
    ? trans.__('this server: %1%2', url.pathname, url.search)
    : url.host;
  return {
    kind: 'ask',
    url: local && !/^[a-z][a-z0-9+.-]*:/i.test(text) ? text : url.href,
    from,
    local
  };
}

/**
 * Decide about a link.
 *
 * Relative links and links to the page's own origin are not followed: they could act on JupyterLab.
 */
export function judgeLink(raw: string, base: string): Link {
  const text = clean(raw);
  if (!/^(?:https?:|mailto:|\/\/)/i.test(text)) {
    return null;
  }
  const url = parse(text, base);
  if (!url) {
    return null;
  }
  if (url.protocol === 'mailto:') {
    return { url: url.href, host: url.pathname };
  }
  if (!isWeb(url) || url.origin === new URL(base).origin) {
    return null;
  }
  return { url: url.href, host: url.host };
}

/** The first URL in a `srcset`. */
export function firstOfSrcset(srcset: string): string {
  return clean(srcset).split(/[\s,]/)[0];
}

/**
 * The classes that an element keeps: the language of a code block, and the token classes of
 * CodeMirror's highlighter. Any other class would let a reply imitate parts of JupyterLab.
 */
export function keptClasses(
  tag: string,
  inCode: boolean,
  value: string
): string[] {
  const names = value.split(/\s+/);
  if (tag === 'code') {
    return names.filter(name => /^language-[\w+#.-]{1,40}$/.test(name));
  }
  if (tag === 'span' && inCode) {
    return names.filter(name => /^\u037c[0-9a-z]{1,4}$/i.test(name));
  }
  return [];
}

/** Elements that are kept, with the attributes that are kept unchanged. */
export const KEPT: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    abbr: ['title'],
    ol: ['start', 'type', 'reversed'],
    li: ['value'],
    td: ['colspan', 'rowspan'],
    th: ['colspan', 'rowspan', 'scope'],
    col: ['span'],
    colgroup: ['span'],
    details: ['open'],
    time: ['datetime'],
    bdo: ['dir'],
    ...Object.fromEntries(
      (
        'address b bdi blockquote br caption cite code dd del dfn div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr ' +
        'i ins kbd mark p pre q rp rt ruby s samp small span strong sub summary sup table tbody tfoot thead tr u ul ' +
        'var wbr'
      )
        .split(' ')
        .map(tag => [tag, []])
    )
  })
);

/** Elements that are kept under another name. */
export const RENAMED: ReadonlyMap<string, string> = new Map(
  Object.entries({
    article: 'div',
    aside: 'div',
    center: 'div',
    dir: 'ul',
    fieldset: 'div',
    footer: 'div',
    form: 'div',
    header: 'div',
    hgroup: 'div',
    main: 'div',
    menu: 'ul',
    nav: 'div',
    search: 'div',
    section: 'div',
    strike: 's',
    tt: 'code'
  })
);

/**
 * Elements that are removed with their content; of all others that are not kept, the content stays.
 */
export const DROPPED: ReadonlySet<string> = new Set(
  (
    'applet base canvas datalist dialog embed fencedframe frame frameset head iframe link map math meta meter ' +
    'noembed noframes noscript object option param plaintext portal progress script select slot ' +
    'source style svg template textarea title track xmp'
  ).split(' ')
);

/** Whether a typesetter's style stays inside its formula and loads nothing. */
export function isHarmlessStyle(style: string): boolean {
  return !/url\(|image|\\|@|position\s*:\s*(?:fixed|absolute|sticky)|z-index|content\s*:/i.test(
    style
  );
}

/** Characters that change the direction of the text after them. */
export const BIDI_CONTROLS = /[\u202a-\u202e\u2066-\u2069]/;

// Browsers drop these from URLs before they look at the scheme.
function clean(raw: string): string {
  const text = raw.replace(/[\t\n\r]/g, '');
  const start = text.search(/[^\p{Cc} ]/u);
  return start < 0 ? '' : text.slice(start).trim();
}

function parse(text: string, base: string): URL | null {
  try {
    return text === '' ? null : new URL(text, base);
  } catch {
    // An exception is how `URL` reports an invalid URL.
    return null;
  }
}

function isWeb(url: URL): boolean {
  return url.protocol === 'http:' || url.protocol === 'https:';
}
