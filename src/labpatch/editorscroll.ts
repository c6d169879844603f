import type { CodeEditor } from '@jupyterlab/codeeditor';

/** The private observer of a CodeMirror view. */
interface IObserver {
  /** Whether the editor is visible. */
  intersecting: boolean;
  onScrollChanged?(event: Event): void;
}

/**
 * Let an editor handle scroll events only while it is visible. CodeMirror's view 6.35
 * to 6.43.
 *
 * Otherwise every editor measures its position on every scroll event, which makes the browser lay
 * out distant cells that it had skipped. An editor measures anyway when it comes into view.
 * No option turns it off, and no upstream issue about it was found.
 */
export function ignoreFarScrolling(editor: CodeEditor.IEditor | null): void {
  const { editor: view } = (editor ?? {}) as {
    editor?: { observer?: IObserver };
  };
  const observer = view?.observer;
  const onScroll = observer?.onScrollChanged?.bind(observer);
  if (observer && onScroll) {
    observer.onScrollChanged = event => {
      if (observer.intersecting) {
        onScroll(event);
      }
    };
  }
}
