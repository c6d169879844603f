import type { IDocumentManager } from '@jupyterlab/docmanager';
import {
  ABCWidgetFactory,
  DocumentWidget,
  type DocumentRegistry,
  type IDocumentWidget
} from '@jupyterlab/docregistry';
import type { INotebookModel } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';
import { DockPanel, Widget } from '@lumino/widgets';

import { errorMessage } from '../base/errors';
import { markSeen, markUnseen } from '../base/unseen';
import type { ILate } from './late';

/** How to open the view behind each tab that waits for one. */
const behind = new WeakMap<Widget, () => Promise<IDocumentWidget | null>>();

/** The views that were opened in the place of such tabs. */
const views = new WeakMap<Widget, IDocumentWidget>();

/**
 * The view of a document. In the place of a tab that waits for one, the view is opened first, also
 * if that failed before; null if the tab was closed meanwhile. Rejects if it cannot be loaded.
 */
export async function viewOf<T extends IDocumentWidget>(
  widget: T | null
): Promise<T | null> {
  const open = widget && behind.get(widget);
  return open ? ((await open()) as T | null) : widget;
}

type Context = DocumentRegistry.IContext<INotebookModel>;
type Factory = DocumentRegistry.WidgetFactory;

/**
 * A widget factory whose code is loaded with the first document.
 *
 * JupyterLab wants a widget at once. Until the code is there, that is a tab with JupyterLab's
 * spinner, in whose place the document is then opened.
 */
export class Door extends ABCWidgetFactory<IDocumentWidget, INotebookModel> {
  constructor(private _options: Door.IOptions) {
    super(_options);
  }

  /** The content provider of notebooks, if these documents are shared as they are. */
  override get contentProviderId(): string | undefined {
    return this._options?.contentProvider?.();
  }

  /** What makes the toolbars of its widgets. */
  get toolbar(): Door.IOptions['toolbar'] {
    return this._options.toolbar;
  }

  /** The door with this name. */
  static of(registry: DocumentRegistry, name: string): Door {
    return registry.getWidgetFactory(name) as unknown as Door;
  }

  /** Let this factory create the widgets from now on. */
  open(factory: Factory): void {
    this._factory = factory;
  }

  override createNew(
    context: Context,
    source?: IDocumentWidget
  ): IDocumentWidget {
    this._options.opening?.(context);
    // What the commands of a view need is connected when all of it is there.
    const factory = this._options.late.isLoaded ? this._factory : null;
    return (
      (factory?.createNew(context, source) as IDocumentWidget) ??
      super.createNew(context, source)
    );
  }

  protected override createNewWidget(context: Context): IDocumentWidget {
    const { trans } = this._options;
    if (!context.isReady) {
      markUnseen(context);
    }
    const loaded = this._load().catch(error => {
      throw new Error(
        trans.__(
          'The view could not be loaded (%1). Close this tab and open the file again; if that does not help, reload the page.',
          errorMessage(error)
        )
      );
    });
    const widget = new DocumentWidget({
      content: new Widget(),
      context,
      reveal: loaded
    });
    Promise.all([loaded, context.ready]).then(
      () => this._replaceSoon(widget),
      // The tab says so.
      error => console.error('Turnbook: the view could not be loaded', error)
    );
    behind.set(widget, async () => {
      await this._load();
      await context.ready;
      return this._replace(widget);
    });
    return widget;
  }

  private async _load(): Promise<void> {
    const { late, trans } = this._options;
    await late.load();
    if (!this._factory) {
      throw new Error(
        trans.__('its plugin is disabled or could not be started')
      );
    }
  }

  private _replaceSoon(widget: DocumentWidget<Widget, INotebookModel>): void {
    if (
      !widget.isDisposed &&
      this._options.isCurrent(widget) &&
      isWritingElsewhere(widget.node)
    ) {
      // The palette closes when another widget becomes the current one.
      const again = () => void setTimeout(() => this._replaceSoon(widget));
      document.addEventListener('focusout', again, { once: true });
      return;
    }
    this._replace(widget);
  }

  /** Open the view in the place of the tab that waits for it; null if the tab is gone. */
  private _replace(
    widget: DocumentWidget<Widget, INotebookModel>
  ): IDocumentWidget | null {
    const known = views.get(widget);
    if (known || widget.isDisposed) {
      return known ?? null;
    }
    const { documents, isCurrent } = this._options;
    const { context, parent } = widget;
    const opened = documents.open(context.path, this.name, undefined, {
      ref: widget.id,
      mode: 'tab-after',
      activate: isCurrent(widget)
    });
    markSeen(context);
    if (opened) {
      views.set(widget, opened);
      if (widget.isVisible && parent instanceof DockPanel) {
        parent.selectWidget(opened);
      }
    }
    widget.dispose();
    return opened ?? null;
  }

  private _factory: Factory | null = null;
}

/**
 * The namespace for `Door` statics.
 */
export namespace Door {
  export interface IOptions extends DocumentRegistry.IWidgetFactoryOptions<IDocumentWidget> {
    documents: Pick<IDocumentManager, 'open'>;
    late: ILate;
    /** Whether a widget is the one in front. */
    isCurrent: (widget: Widget) => boolean;
    /** Whose contents are shared; see `contentProviderId`. */
    contentProvider?: () => string | undefined;
    /** Called with the context of each new widget, before its file is read if that is not done. */
    opening?: (context: DocumentRegistry.Context) => void;
    /** The toolbar factory of the widgets, but not of the tab that waits for them. */
    toolbar?: DocumentRegistry.IWidgetFactoryOptions['toolbarFactory'];
    trans: TranslationBundle;
  }
}

/** Whether the user has moved on to write something elsewhere, for example in the palette. */
function isWritingElsewhere(node: HTMLElement): boolean {
  const active = document.activeElement;
  return (
    active !== null &&
    !node.contains(active) &&
    active.matches('input, textarea, select, [contenteditable="true"]')
  );
}
