import type { CodeEditor } from '@jupyterlab/codeeditor';

/** What of a CodeMirror view watches the page; it has no public name. */
interface IObserver {
  /** Whether the editor can be seen. */
  intersecting: boolean;
  onScrollChanged(event: Event): void;
}

/**
 * Let an editor pay attention to scrolling only while it can be seen.
 *
 * Otherwise each one asks for its place with every scroll event, and the browser has to lay out the
 * cells that it had left aside for being far away. When it comes into view it looks anyway.
 */
export function ignoreFarScrolling(editor: CodeEditor.IEditor | null): void {
  const { editor: view } = (editor ?? {}) as {
    editor?: { observer?: IObserver };
  };
  const observer = view?.observer;
  if (observer) {
    const onScroll = observer.onScrollChanged.bind(observer);
    observer.onScrollChanged = event => {
      if (observer.intersecting) {
        onScroll(event);
      }
    };
  }
}
