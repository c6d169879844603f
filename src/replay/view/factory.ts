import { Notification } from '@jupyterlab/apputils';
import type { DocumentRegistry } from '@jupyterlab/docregistry';
import {
  type INotebookModel,
  type NotebookPanel,
  NotebookWidgetFactory
} from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';

import { replaceMethod } from '../../labpatch/contextmethods';
import type { IDiagrams } from '../../render/diagrams';
import { untrustedRenderMime } from '../../render/registry';
import type { ReplayManager } from '../model/manager';
import type { ReplayNotebook } from './notebook';
import { ReplayPanel } from './panel';

/**
 * Creates replay panels. Their documents never come from a content provider, so they are never
 * shared.
 */
export class ReplayWidgetFactory extends NotebookWidgetFactory {
  constructor(options: ReplayWidgetFactory.IOptions) {
    super(options);
    this._options = options;
  }

  protected override createNewWidget(
    context: DocumentRegistry.IContext<INotebookModel>
  ): ReplayPanel {
    const { manager, cap, canEdit, trans } = this._options;
    const content = this.contentFactory.createNotebook({
      rendermime: untrustedRenderMime(
        this.rendermime.clone({ resolver: context.urlResolver }),
        this._options.diagrams
      ),
      contentFactory: this.contentFactory,
      mimeTypeService: this.mimeTypeService,
      editorConfig: this.editorConfig,
      notebookConfig: this.notebookConfig,
      translator: this.translator
    }) as ReplayNotebook;
    const panel = new ReplayPanel({
      context,
      content,
      manager,
      cap,
      canEdit,
      trans
    });
    blockSaving(context, panel, trans);
    return panel;
  }

  private _options: ReplayWidgetFactory.IOptions;
}

/**
 * The namespace for `ReplayWidgetFactory` statics.
 */
export namespace ReplayWidgetFactory {
  export interface IOptions extends NotebookWidgetFactory.IOptions<NotebookPanel> {
    manager: ReplayManager;
    cap: () => number;
    /** Whether the Request panel is enabled. */
    canEdit: () => boolean;
    trans: TranslationBundle;
    /** What draws the diagrams of replies. */
    diagrams: IDiagrams | null;
  }
}

/** Make *Save* explain why nothing is saved, and *Save As* export a record. */
function blockSaving(
  context: DocumentRegistry.IContext<INotebookModel>,
  panel: ReplayPanel,
  trans: TranslationBundle
): void {
  replaceMethod(context, 'save', () => async () => {
    Notification.info(
      trans.__('A replay is read-only: there is nothing to save.'),
      { autoClose: 3000 }
    );
  });
  replaceMethod(context, 'saveAs', () => async () => {
    panel.request('exportRecord');
    return false;
  });
}
