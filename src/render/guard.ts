import { trans } from '../base/words';
import { blockedImage, mediaLink, type Resolve } from './blocked';
import {
  BIDI_CONTROLS,
  DROPPED,
  isHarmlessStyle,
  judgeLink,
  judgeLoad,
  firstOfSrcset,
  keptClasses,
  KEPT,
  RENAMED
} from './policy';

/** How deep elements may be nested; deeper ones are kept as text. */
const MAX_DEPTH = 60;

/** The elements of formulas: MathJax's own, MathML, and the spans of other typesetters. */
const FORMULA_TAGS =
  /^(?:mjx-[\w-]+|math|m(?:action|enclose|error|fenced|frac|i|multiscripts|n|o|over|padded|phantom|prescripts|root|row|s|space|sqrt|style|sub|subsup|sup|table|td|text|tr|under|underover|labeledtr)|none|semantics|annotation|span|div|a)$/;

/**
 * Build the safe part of a piece of HTML.
 *
 * The HTML is parsed in a separate document, in which nothing loads and nothing runs. Every node of
 * the result is created from the allowlists: whatever the parser made of the input, only those
 * elements and attributes get out.
 */
export function guardHtml(html: string, resolve: Resolve): DocumentFragment {
  const inert = new DOMParser().parseFromString(html, 'text/html');
  const fragment = document.createDocumentFragment();
  new Guard(resolve).copyChildren(inert.body, fragment, 0, false);
  return fragment;
}

class Guard {
  constructor(private _resolve: Resolve) {}

  copyChildren(from: Node, to: Node, depth: number, inCode: boolean): void {
    if (depth > MAX_DEPTH) {
      copyText(from.textContent ?? '', to);
      return;
    }
    for (const child of from.childNodes) {
      if (child.nodeType === Node.TEXT_NODE) {
        copyText(child.nodeValue ?? '', to);
      } else if (child.nodeType === Node.ELEMENT_NODE) {
        this._copyElement(child as Element, to, depth, inCode);
      }
    }
  }

  private _copyElement(
    from: Element,
    to: Node,
    depth: number,
    inCode: boolean
  ): void {
    const tag = from.localName;
    const name = RENAMED.get(tag) ?? tag;
    // The name alone does not distinguish `<a>` from SVG's `<a>`.
    const isHtml = from.namespaceURI === 'http://www.w3.org/1999/xhtml';
    if (!isHtml || DROPPED.has(tag)) {
      return;
    }
    if (tag === 'img') {
      to.appendChild(this._image(from));
    } else if (tag === 'video' || tag === 'audio') {
      this._copyMedia(from, tag, to);
    } else if (tag === 'input') {
      copyInput(from, to);
    } else if (tag === 'a') {
      this.copyChildren(from, to.appendChild(link(from)), depth + 1, inCode);
    } else if (KEPT.has(name)) {
      const element = document.createElement(name);
      copyAttributes(from, element, inCode);
      to.appendChild(element);
      this.copyChildren(from, element, depth + 1, inCode || name === 'pre');
    } else {
      this.copyChildren(from, to, depth + 1, inCode);
    }
  }

  private _image(from: Element): Node {
    const alt = from.getAttribute('alt') ?? '';
    const source =
      from.getAttribute('src') ??
      firstOfSrcset(from.getAttribute('srcset') ?? '');
    const load = judgeLoad(source, document.baseURI);
    if (load.kind === 'inline') {
      const image = document.createElement('img');
      image.alt = alt;
      image.src = load.url;
      return image;
    }
    if (load.kind === 'ask') {
      return blockedImage(load, alt, this._resolve);
    }
    return document.createTextNode(
      alt ? trans.__('[image: %1]', alt) : trans.__('[image]')
    );
  }

  private _copyMedia(from: Element, tag: 'video' | 'audio', to: Node): void {
    const sources = [from, ...from.querySelectorAll('source')]
      .map(element => element.getAttribute('src'))
      .filter((value): value is string => value !== null);
    for (const source of sources.slice(0, 1)) {
      to.appendChild(mediaLink(source, tag));
    }
  }
}

/**
 * Clean up what a typesetter added to a node, which the guard has not seen.
 *
 * @param host - The node that was typeset.
 * @param before - The elements that were in it before.
 */
export function guardTypeset(
  host: HTMLElement,
  before: ReadonlySet<Element>
): void {
  for (const element of host.querySelectorAll('*')) {
    if (before.has(element)) {
      continue;
    }
    if (!FORMULA_TAGS.test(element.localName)) {
      element.remove();
      continue;
    }
    for (const { name, value } of [...element.attributes]) {
      if (!isHarmlessAttribute(name, value)) {
        element.removeAttribute(name);
      }
      const target =
        element.localName === 'a' && name === 'href'
          ? judgeLink(value, document.baseURI)
          : null;
      if (target) {
        aim(element, target);
      }
    }
  }
}

function isHarmlessAttribute(name: string, value: string): boolean {
  if (name === 'style') {
    return isHarmlessStyle(value);
  }
  if (name === 'class') {
    return !/(?:^|\s)(?:jp|lm|cm)-/.test(value);
  }
  return !/^on|^id$|^name$|href|src|action|commandlinker/i.test(name);
}

/** Add text to a node, isolating characters that change its direction. */
export function copyText(text: string, to: Node): void {
  if (!BIDI_CONTROLS.test(text)) {
    to.appendChild(document.createTextNode(text));
    return;
  }
  for (const part of text.split(/([\u202a-\u202e\u2066-\u2069])/)) {
    if (!BIDI_CONTROLS.test(part)) {
      to.appendChild(document.createTextNode(part));
      continue;
    }
    // Isolated, the character has no effect, but it can still be copied.
    const isolate = document.createElement('bdi');
    isolate.className = 'jp-Turnbook-bidi';
    isolate.title = `U+${part.charCodeAt(0).toString(16).toUpperCase()}`;
    isolate.textContent = part;
    to.appendChild(isolate);
  }
}

function copyAttributes(from: Element, to: HTMLElement, inCode: boolean): void {
  for (const name of KEPT.get(to.localName) ?? []) {
    const value = from.getAttribute(name);
    if (value !== null) {
      to.setAttribute(name, value);
    }
  }
  const classes = keptClasses(
    to.localName,
    inCode,
    from.getAttribute('class') ?? ''
  );
  if (classes.length > 0) {
    to.className = classes.join(' ');
  }
  if (to.localName === 'td' || to.localName === 'th') {
    const align =
      from.getAttribute('align') ??
      /text-align:\s*(\w+)/.exec(from.getAttribute('style') ?? '')?.[1] ??
      '';
    if (/^(?:left|center|right)$/.test(align)) {
      to.style.textAlign = align;
    }
  }
}

function copyInput(from: Element, to: Node): void {
  if (from.getAttribute('type') !== 'checkbox') {
    return;
  }
  const box = document.createElement('input');
  box.type = 'checkbox';
  box.disabled = true;
  box.checked = from.hasAttribute('checked');
  to.appendChild(box);
}

function link(from: Element): HTMLElement {
  const href = from.getAttribute('href');
  const target = judgeLink(href ?? '', document.baseURI);
  if (target) {
    const anchor = document.createElement('a');
    aim(anchor, target);
    return anchor;
  }
  const span = document.createElement('span');
  if (href !== null) {
    span.className = 'jp-Turnbook-deadLink';
    span.title = trans.__('This link is not followed: %1', href);
  }
  return span;
}

function aim(anchor: Element, target: { url: string; host: string }): void {
  anchor.setAttribute('href', target.url);
  anchor.setAttribute('target', '_blank');
  anchor.setAttribute('rel', 'noopener noreferrer nofollow');
  anchor.setAttribute('title', `${target.host} — ${target.url}`);
}
