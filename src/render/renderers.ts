import { type IRenderMime } from '@jupyterlab/rendermime-interfaces';
import { PromiseDelegate } from '@lumino/coreutils';
import { type Message } from '@lumino/messaging';
import { Widget } from '@lumino/widgets';

import { trans } from '../base/words';
import {
  type IRenderParts,
  plainText,
  renderMarkdown,
  typeset
} from './pipeline';
import { shownData } from '../document/shown';
import type { IVisibility } from './visibility';

/** The attribute of a Markdown output that is fully rendered. */
const RENDERED = 'data-turnbook-rendered';

/** The class of outputs with what the user attached, which the pair itself shows. */
export const ATTACHED = 'jp-Turnbook-attachedOutput';

/** Markdown outputs that are not rendered, but will be. */
const MISSING = `.jp-Turnbook-markdown[data-mime-type]:not([${RENDERED}], .${ATTACHED})`;

/** The event that asks a Markdown output to render now. */
const WANTED = 'turnbook-wanted';

/** The event of Markdown that is complete and about to be shown; it bubbles. */
export const RENDERING = 'turnbook-rendering';

/** The content that is about to be shown. */
export interface IRendering {
  content: DocumentFragment;
  source: string;
  parts: IRenderParts;
  /** Delay showing it until a promise resolves. */
  until: (mark: Promise<void>) => void;
}

/** Let listeners mark places in the content before a node shows it. */
export async function announce(
  node: HTMLElement,
  content: DocumentFragment,
  source: string,
  parts: IRenderParts
): Promise<void> {
  const marks: Promise<void>[] = [];
  const until = (mark: Promise<void>) => void marks.push(mark);
  const detail: IRendering = { content, source, parts, until };
  node.dispatchEvent(new CustomEvent(RENDERING, { bubbles: true, detail }));
  await Promise.all(marks);
}

/**
 * Shows Markdown from a model once it is about to be seen; until then, its plain text.
 *
 * It ignores the model's trust.
 */
export class UntrustedMarkdown extends Widget implements IRenderMime.IRenderer {
  constructor(options: UntrustedMarkdown.IOptions) {
    super();
    this._parts = options.parts;
    this._visibility = options.visibility;
    this.addClass('jp-RenderedHTMLCommon');
    this.addClass('jp-RenderedMarkdown');
    this.addClass('jp-Turnbook-markdown');
    this.node.dataset.mimeType = 'text/markdown';
    this.node.addEventListener(WANTED, () => this._renderNow());
  }

  /** Resolves when the latest model has been rendered, which happens only when it is seen. */
  get rendered(): Promise<void> {
    return this._rendered.promise;
  }

  /**
   * Set the model to show. The promise does not wait for rendering: a cell off screen counts as
   * ready.
   */
  async renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    const shown = shownData(model.data);
    const source = shown.kind === 'markdown' ? shown.text : '';
    if (this._source === source) {
      return;
    }
    const first = this._source === null;
    this._source = source;
    this._version += 1;
    if (this._isDone) {
      this._rendered = new PromiseDelegate();
      this._isDone = false;
      this.node.removeAttribute(RENDERED);
    }
    if (first) {
      this.addClass('jp-mod-waiting');
      this.node.replaceChildren(plainText(source));
    }
    this._await();
  }

  override dispose(): void {
    this._cancel?.();
    super.dispose();
  }

  protected override onAfterAttach(msg: Message): void {
    super.onAfterAttach(msg);
    this._await();
  }

  protected override onBeforeDetach(msg: Message): void {
    this._cancel?.();
    this._cancel = null;
    super.onBeforeDetach(msg);
  }

  private _await(): void {
    if (!this.isAttached || this._source === null || this._isDone) {
      return;
    }
    this._cancel?.();
    this._cancel = this._visibility.whenNear(this.node, () => {
      this._cancel = null;
      void this._render();
    });
  }

  /** Render without waiting until it is seen. */
  private _renderNow(): void {
    if (this._cancel) {
      this._cancel();
      this._cancel = null;
      void this._render();
    }
  }

  private async _render(): Promise<void> {
    const version = this._version;
    if (this._begun === version) {
      return;
    }
    this._begun = version;
    const content = await renderMarkdown(this._source ?? '', this._parts);
    if (this.isDisposed || version !== this._version) {
      return;
    }
    await announce(this.node, content, this._source ?? '', this._parts);
    if (this.isDisposed || version !== this._version) {
      return;
    }
    this.removeClass('jp-mod-waiting');
    this.node.replaceChildren(content);
    await typeset(this.node, this._parts);
    if (version === this._version) {
      this._isDone = true;
      this.node.setAttribute(RENDERED, '');
      this._rendered.resolve();
    }
  }

  private _parts: IRenderParts;
  private _visibility: IVisibility;
  private _source: string | null = null;
  private _version = 0;
  /** The version that was rendered last, or is being rendered: never twice at a time. */
  private _begun = 0;
  private _isDone = false;
  private _rendered = new PromiseDelegate<void>();
  private _cancel: (() => void) | null = null;
}

/**
 * The namespace for `UntrustedMarkdown` statics.
 */
export namespace UntrustedMarkdown {
  export interface IOptions {
    /** What renders. */
    parts: IRenderParts;

    /** Tells when the widget is about to be seen. */
    visibility: IVisibility;
  }
}

/** Render all Markdown outputs below a node, wherever they are, and wait for that. */
export function renderAll(node: HTMLElement, timeoutMs: number): Promise<void> {
  for (const output of node.querySelectorAll(MISSING)) {
    output.dispatchEvent(new Event(WANTED));
  }
  return whenRendered(node, timeoutMs);
}

/**
 * Wait until all Markdown outputs below a node are rendered, or until the timeout.
 *
 * An output far from the view is rendered only when it comes near, so a timeout is needed.
 */
export function whenRendered(
  node: HTMLElement,
  timeoutMs: number
): Promise<void> {
  const isDone = () => node.querySelector(MISSING) === null;
  if (isDone()) {
    return Promise.resolve();
  }
  return new Promise(resolve => {
    const finish = () => {
      observer.disconnect();
      window.clearTimeout(timer);
      resolve();
    };
    const observer = new MutationObserver(() => {
      if (isDone()) {
        finish();
      }
    });
    observer.observe(node, {
      subtree: true,
      childList: true,
      attributeFilter: [RENDERED]
    });
    const timer = window.setTimeout(finish, timeoutMs);
  });
}

/** Shows an output as its text. */
export class PlainOutput extends Widget implements IRenderMime.IRenderer {
  /**
   * @param read - Gets the text of a model.
   */
  constructor(
    className: string,
    private _read: (model: IRenderMime.IMimeModel) => string
  ) {
    super({ node: document.createElement('pre') });
    this.addClass('jp-RenderedText');
    this.addClass(className);
  }

  /**
   * Show a model.
   */
  async renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    this.node.textContent = this._read(model);
  }
}

/** Stands for a tool round or for reasoning, which the pair itself shows. */
export class StepOutput extends PlainOutput {
  constructor() {
    super('jp-Turnbook-tool', () => '');
  }
}

/** Shows a bitmap that the output itself contains. */
export class ImageOutput extends Widget implements IRenderMime.IRenderer {
  constructor() {
    super();
    this.addClass('jp-RenderedImage');
  }

  /**
   * Show a model.
   */
  async renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    const shown = shownData(model.data);
    const data = shown.kind === 'image' ? shown.data.replace(/\s/g, '') : '';
    if (shown.kind !== 'image' || !/^[a-z0-9+/]*=*$/i.test(data)) {
      this.node.textContent = trans.__(
        'This image is damaged and cannot be shown.'
      );
      return;
    }
    const image = document.createElement('img');
    image.alt = asText(model.data['text/plain']);
    image.src = `data:${shown.type};base64,${data}`;
    this.node.replaceChildren(image);
  }
}

/** The text of an output's data, which in the notebook format is a string or a list of strings. */
export function asText(data: unknown): string {
  if (Array.isArray(data)) {
    return data.map(asText).join('');
  }
  return typeof data === 'string' ? data : '';
}
