import type { IMermaidManager } from '@jupyterlab/mermaid';
import { Token } from '@lumino/coreutils';

import { trans } from '../base/words';
import { readDiagram, type Refusal, type Theme } from './diagramsource';

/** A drawn diagram. */
export interface IDiagram {
  /** The picture, as a URL that contains it. */
  url: string;
  width: number;
  height: number;
  /** What it shows, in words. */
  name: string;
}

/** Draws the diagrams of replies, and knows which of them are open. */
export interface IDiagrams {
  /**
   * Draw a diagram. It rejects with an error whose text is for the user and whose cause, if it has
   * one, is what Mermaid says.
   */
  draw(source: string): Promise<IDiagram>;

  /** The diagram, if it has been drawn before. */
  drawn(source: string): IDiagram | null;

  /** Whether the user has opened a diagram, so that it stays open when its reply is drawn again. */
  isOpen(source: string): boolean;

  /** Remember that the user has opened or closed a diagram. */
  setOpen(source: string, isOpen: boolean): void;
}

/** The token of what draws diagrams; JupyterLab may have nothing that can. */
export const IDiagrams = new Token<IDiagrams>(
  'jupyterlab-turnbook:IDiagrams',
  'Draws the diagrams of replies.'
);

/** The event of an open diagram that has to be drawn in another theme. */
export const RETHEMED = 'turnbook-rethemed';

/** The class of code blocks that show their diagram. */
export const OPEN_CLASS = 'jp-mod-diagram';

/** How many diagrams are kept. */
const KEPT = 50;

/** The largest picture, in characters of SVG and in pixels of its sides. */
const MAX_SVG = 2_000_000;
const MAX_SIDE = 20_000;

/** The longest error text of Mermaid that is shown. */
const MAX_ERROR = 500;

/** The attribute of the page that says whether its theme is light. */
const LIGHT = 'data-jp-theme-light';

/**
 * Draws diagrams with JupyterLab's Mermaid.
 *
 * The result is only used as an image, in which nothing runs and nothing is loaded.
 */
export class Diagrams implements IDiagrams {
  constructor(private _mermaid: Pick<IMermaidManager, 'renderSvg'>) {
    new MutationObserver(() => {
      const open = document.querySelectorAll(`.${OPEN_CLASS}`);
      open.forEach(node => node.dispatchEvent(new Event(RETHEMED)));
    }).observe(document.body, { attributeFilter: [LIGHT] });
  }

  draw(source: string): Promise<IDiagram> {
    const theme = themeNow();
    const key = keyOf(source, theme);
    let drawing = this._drawing.get(key);
    if (!drawing) {
      drawing = this._draw(source, theme).finally(() =>
        this._drawing.delete(key)
      );
      this._drawing.set(key, drawing);
    }
    return drawing;
  }

  drawn(source: string): IDiagram | null {
    return this._drawn.get(keyOf(source, themeNow())) ?? null;
  }

  isOpen(source: string): boolean {
    return this._open.has(source);
  }

  setOpen(source: string, isOpen: boolean): void {
    if (isOpen) {
      keep(this._open, source, true);
    } else {
      this._open.delete(source);
    }
  }

  private async _draw(source: string, theme: Theme): Promise<IDiagram> {
    const key = keyOf(source, theme);
    const kept = this._drawn.get(key);
    if (kept) {
      return kept;
    }
    const read = readDiagram(source, theme);
    if (read.kind !== 'drawable') {
      throw new Error(refusal(read));
    }
    let svg: string;
    try {
      ({ svg } = await this._mermaid.renderSvg(read.text));
    } catch (reason) {
      const error = new Error(trans.__('This diagram cannot be drawn:'));
      error.cause = errorText(reason);
      throw error;
    }
    const diagram = asDiagram(svg, read.title);
    keep(this._drawn, key, diagram);
    return diagram;
  }

  private _drawing = new Map<string, Promise<IDiagram>>();
  private _drawn = new Map<string, IDiagram>();
  private _open = new Map<string, true>();
}

function themeNow(): Theme {
  return document.body.getAttribute(LIGHT) === 'false' ? 'dark' : 'default';
}

function keyOf(source: string, theme: Theme): string {
  return `${theme} ${source}`;
}

/** Put a value into a map and drop the oldest ones. */
function keep<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= KEPT) {
      return;
    }
    map.delete(oldest);
  }
}

/** The image of an SVG, in its natural size. */
function asDiagram(svg: string, heading: string): IDiagram {
  const { documentElement: root } = new DOMParser().parseFromString(
    svg,
    'image/svg+xml'
  );
  const [, , width, height] = (root.getAttribute('viewBox') ?? '')
    .split(/[\s,]+/)
    .map(Number);
  const isPicture =
    root.localName === 'svg' &&
    svg.length <= MAX_SVG &&
    [width, height].every(side => side > 0 && side <= MAX_SIDE);
  if (!isPicture) {
    throw new Error(refusal({ kind: 'large' }));
  }
  // Without a size of its own, an image would be as wide as its frame.
  root.setAttribute('width', String(width));
  root.setAttribute('height', String(height));
  const own = (name: string) =>
    [...root.children].find(({ localName }) => localName === name)?.textContent;
  const title = own('title') || heading || trans.__('Diagram');
  const description = own('desc');
  const text = new XMLSerializer().serializeToString(root);
  return {
    url: `data:image/svg+xml,${encodeURIComponent(text)}`,
    width: Math.ceil(width),
    height: Math.ceil(height),
    name: description ? `${title}. ${description}` : title
  };
}

function refusal({ kind }: Refusal): string {
  switch (kind) {
    case 'unknown':
      return trans.__('This kind of diagram is not drawn.');
    case 'outside':
      return trans.__(
        'This diagram is not drawn, because it may load something from elsewhere.'
      );
    case 'large':
      return trans.__('This diagram is too large to be drawn.');
  }
}

function errorText(reason: unknown): string {
  const all = reason instanceof Error ? reason.message : String(reason);
  // The rest are names of the grammar.
  const text = all.replace(/\n?Expecting [^]*$/, '');
  return text.length > MAX_ERROR ? `${text.slice(0, MAX_ERROR)}…` : text;
}
