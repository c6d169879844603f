import {
  type IRenderMimeRegistry,
  MimeModel,
  RenderMimeRegistry
} from '@jupyterlab/rendermime';
import { type IRenderMime } from '@jupyterlab/rendermime-interfaces';
import { type ReadonlyPartialJSONObject } from '@lumino/coreutils';

import { trans } from '../base/words';
import type { IDiagrams } from './diagrams';
import { isAttachmentEntry } from '../document/attachments';
import { REASONING_MIME } from '../document/reasoning';
import { TOOL_MIME } from '../document/rounds';
import { IMAGES, shownData, SHOWN_TYPES, TEXTS } from '../document/shown';
import {
  ATTACHED,
  ImageOutput,
  PlainOutput,
  StepOutput,
  UntrustedMarkdown
} from './renderers';
import { BrowserVisibility, type IVisibility } from './visibility';

/** Stands for all data that a chat does not show. */
const NOT_SHOWN = 'application/vnd.turnbook.not-shown';

/**
 * A renderer registry for model output: it trusts nothing, and knows only a few types.
 *
 * Its parser, sanitizer, typesetter and resolver are those of the registry it is made from; the
 * renderers are its own, and no others can be added.
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
    this.diagrams = options.diagrams ?? null;
  }

  /** What draws diagrams when the user asks for it. */
  readonly diagrams: IDiagrams | null;

  override get mimeTypes(): ReadonlyArray<string> {
    return SHOWN_TYPES;
  }

  /** The type to show of a bundle. There always is one, so that no output disappears silently. */
  override preferredMimeType(bundle: ReadonlyPartialJSONObject): string {
    const shown = shownData(bundle);
    return shown.kind === 'none' ? NOT_SHOWN : shown.type;
  }

  override createRenderer(mimeType: string): IRenderMime.IRenderer {
    return withoutAttachments(this._createRenderer(mimeType));
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
      visibility: this._visibility,
      diagrams: this.diagrams
    });
  }

  override getFactory(
    mimeType: string
  ): IRenderMime.IRendererFactory | undefined {
    return SHOWN_TYPES.includes(mimeType)
      ? {
          safe: true,
          mimeTypes: [mimeType],
          createRenderer: () => this.createRenderer(mimeType)
        }
      : undefined;
  }

  override getRank(mimeType: string): number | undefined {
    const rank = SHOWN_TYPES.indexOf(mimeType);
    return rank < 0 ? undefined : rank;
  }

  /** Does nothing: renderers of other extensions are not used in a chat. */
  override addFactory(): void {
    // See above.
  }

  private _createRenderer(mimeType: string): IRenderMime.IRenderer {
    if (mimeType === 'text/markdown') {
      return new UntrustedMarkdown({
        parts: this,
        visibility: this._visibility
      });
    }
    if (mimeType === TOOL_MIME || mimeType === REASONING_MIME) {
      return new StepOutput();
    }
    if (IMAGES.includes(mimeType)) {
      return new ImageOutput();
    }
    if (TEXTS.includes(mimeType)) {
      return new PlainOutput('jp-Turnbook-text', model => {
        const shown = shownData(model.data);
        return shown.kind === 'text' ? shown.text : '';
      });
    }
    return new PlainOutput('jp-Turnbook-remark', readUnknown);
  }

  private _visibility: IVisibility;
}

/**
 * The namespace for `UntrustedRenderMime` statics.
 */
export namespace UntrustedRenderMime {
  export interface IOptions extends IRenderMimeRegistry.ICloneOptions {
    /** The registry whose parser, sanitizer and typesetter are used. */
    rendermime: IRenderMimeRegistry;

    /** Tells when an output is about to be seen. */
    visibility?: IVisibility;

    /** What draws diagrams. */
    diagrams?: IDiagrams | null;
  }
}

/** Create a registry that renders everything as untrusted, from JupyterLab's own registry. */
export function untrustedRenderMime(
  rendermime: IRenderMimeRegistry,
  diagrams: IDiagrams | null = null
): UntrustedRenderMime {
  return new UntrustedRenderMime({ rendermime, diagrams });
}

const browserVisibility = new BrowserVisibility();

/** A renderer that shows nothing of what the user attached: the pair itself shows that. */
function withoutAttachments(
  renderer: IRenderMime.IRenderer
): IRenderMime.IRenderer {
  const render = renderer.renderModel.bind(renderer);
  renderer.renderModel = async model => {
    const isAttached = isAttachmentEntry(model.metadata);
    renderer.toggleClass(ATTACHED, isAttached);
    if (!isAttached) {
      await render(model);
    }
  };
  return renderer;
}

function readUnknown(model: IRenderMime.IMimeModel): string {
  const types = Object.keys(model.data).join(', ') || trans.__('empty');
  return trans.__(
    'This output (%1) is not shown in a chat. To see it, open the file with the Notebook view.',
    types
  );
}
