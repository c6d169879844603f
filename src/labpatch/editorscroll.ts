import type { CodeEditor } from '@jupyterlab/codeeditor';
import type { Notebook } from '@jupyterlab/notebook';

/** The private observer of a CodeMirror view. */
interface IObserver {
  /** Whether the editor is visible. */
  intersecting: boolean;
  onScrollChanged?(event: Event): void;
}

const patched = new WeakSet<IObserver>();

/**
 * Let an editor handle scroll events only while it is visible. CodeMirror's view 6.35
 * to 6.43.
 *
 * Otherwise every editor measures its position on every scroll event, which makes the browser lay
 * out distant cells that it had skipped. An editor measures anyway when it comes into view.
 * No option turns it off, and no upstream issue about it was found.
 *
 * @returns A function that lets it handle all of them again.
 */
export function ignoreFarScrolling(
  editor: CodeEditor.IEditor | null
): () => void {
  const { editor: view } = (editor ?? {}) as {
    editor?: { observer?: IObserver };
  };
  const observer = view?.observer;
  const onScroll = observer?.onScrollChanged?.bind(observer);
  if (!observer || !onScroll || patched.has(observer)) {
    return () => undefined;
  }
  patched.add(observer);
  observer.onScrollChanged = event => {
    if (observer.intersecting) {
      onScroll(event);
    }
  };
  return () => {
    patched.delete(observer);
    delete observer.onScrollChanged;
  };
}

/** Scroll to a cell of any notebook; the editors out of sight do not measure themselves for that. */
export async function scrollToCell(
  notebook: Notebook,
  index: number
): Promise<void> {
  const ends = notebook.widgets.map(cell => ignoreFarScrolling(cell.editor));
  try {
    await notebook.scrollToItem(index, 'smart');
    // The scroll event comes with the next frame.
    await new Promise(resolve => requestAnimationFrame(resolve));
  } catch (error) {
    // JupyterLab scrolls elsewhere meanwhile.
    console.debug(error);
  } finally {
    ends.forEach(end => end());
  }
}
