import {
  type IRenderMimeRegistry,
  MimeModel,
  RenderMimeRegistry
} from '@jupyterlab/rendermime';
import { type IRenderMime } from '@jupyterlab/rendermime-interfaces';
import { type ReadonlyPartialJSONObject } from '@lumino/coreutils';

import { TOOL_MIME } from '../document/reply';
import {
  asText,
  ImageOutput,
  PlainOutput,
  ToolOutput,
  UntrustedMarkdown
} from './renderers';
import { BrowserVisibility, type IVisibility } from './visibility';

const IMAGES = ['image/png', 'image/jpeg', 'image/gif'];

const TEXTS = [
  'text/plain',
  'application/vnd.jupyter.stdout',
  'application/vnd.jupyter.stderr',
  'application/vnd.jupyter.error'
];

/**
 * What a chat shows, the preferred first.
 */
const SHOWN = [TOOL_MIME, 'text/markdown', ...IMAGES, ...TEXTS];

/**
 * Stands for all data that a chat does not show.
 */
const NOT_SHOWN = 'application/vnd.turnbook.not-shown';

/**
 * A renderer registry for what models write: it trusts nothing, and knows a few types only.
 *
 * Its parser, sanitizer, typesetter and resolver are those of the registry it is made from; the renderers are its own, and
 * no other can be added.
 */
export class UntrustedRenderMime extends RenderMimeRegistry {
  constructor(options: UntrustedRenderMime.IOptions) {
    const { rendermime } = options;
    super({
      resolver: options.resolver ?? rendermime.resolver ?? undefined,
      sanitizer: options.sanitizer ?? rendermime.sanitizer,
      linkHandler: options.linkHandler ?? rendermime.linkHandler ?? undefined,
      latexTypesetter:
        options.latexTypesetter ?? rendermime.latexTypesetter ?? undefined,
      markdownParser:
        options.markdownParser ?? rendermime.markdownParser ?? undefined,
      translator: options.translator
    });
    this._visibility = options.visibility ?? browserVisibility;
  }

  override get mimeTypes(): ReadonlyArray<string> {
    return SHOWN;
  }

  /**
   * The type to show of a bundle. There always is one, so that no output vanishes without a word.
   */
  override preferredMimeType(bundle: ReadonlyPartialJSONObject): string {
    return SHOWN.find(type => type in bundle) ?? NOT_SHOWN;
  }

  override createRenderer(mimeType: string): IRenderMime.IRenderer {
    if (mimeType === 'text/markdown') {
      return new UntrustedMarkdown({
        parts: this,
        visibility: this._visibility
      });
    }
    if (mimeType === TOOL_MIME) {
      return new ToolOutput();
    }
    if (IMAGES.includes(mimeType)) {
      return new ImageOutput(mimeType);
    }
    if (TEXTS.includes(mimeType)) {
      return new PlainOutput('jp-Turnbook-text', model =>
        withoutAnsi(asText(model.data[mimeType]))
      );
    }
    return new PlainOutput('jp-Turnbook-note', readUnknown);
  }

  override createModel(options: MimeModel.IOptions = {}): MimeModel {
    return new MimeModel({ ...options, trusted: false });
  }

  override clone(
    options: IRenderMimeRegistry.ICloneOptions = {}
  ): UntrustedRenderMime {
    return new UntrustedRenderMime({
      translator: this.translator,
      ...options,
      rendermime: this,
      visibility: this._visibility
    });
  }

  override getFactory(
    mimeType: string
  ): IRenderMime.IRendererFactory | undefined {
    return SHOWN.includes(mimeType)
      ? {
          safe: true,
          mimeTypes: [mimeType],
          createRenderer: () => this.createRenderer(mimeType)
        }
      : undefined;
  }

  override getRank(mimeType: string): number | undefined {
    const rank = SHOWN.indexOf(mimeType);
    return rank < 0 ? undefined : rank;
  }

  /**
   * Does nothing: renderers of other extensions have no place in a chat.
   */
  override addFactory(): void {
    // See above.
  }

  private _visibility: IVisibility;
}

/**
 * The namespace for `UntrustedRenderMime` statics.
 */
export namespace UntrustedRenderMime {
  /**
   * The options of an `UntrustedRenderMime`.
   */
  export interface IOptions extends IRenderMimeRegistry.ICloneOptions {
    /** The registry whose parser, sanitizer and typesetter are used. */
    rendermime: IRenderMimeRegistry;

    /** What tells that an output is about to be seen. */
    visibility?: IVisibility;
  }
}

/**
 * Make a registry that renders everything as untrusted from JupyterLab's own.
 */
export function untrustedRenderMime(
  rendermime: IRenderMimeRegistry
): UntrustedRenderMime {
  return new UntrustedRenderMime({ rendermime });
}

const browserVisibility = new BrowserVisibility();

function readUnknown(model: IRenderMime.IMimeModel): string {
  const types = Object.keys(model.data).join(', ') || 'empty';
  return `This output (${types}) is not shown in a chat. To see it, open the file with the Notebook view.`;
}

function withoutAnsi(text: string): string {
  // eslint-disable-next-line no-control-regex
  return text.replace(/\u001b\[[0-9;]*[A-Za-z]/g, '');
}
