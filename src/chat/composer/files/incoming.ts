/** Files that come by paste and by drag and drop. */
import { browserFile, type IReadable } from './readfile';

/** What JupyterLab's file browser says is dragged: paths. */
export const CONTENTS_MIME = 'application/x-jupyter-icontents';

/** The files on a clipboard; none if what was copied is text with a picture of it. */
export function pastedFiles(clipboard: DataTransfer | null): IReadable[] {
  const { types = [], files = [] } = clipboard ?? {};
  // Office programs add a picture to the text that was copied.
  const isText = types.includes('text/plain') && types.includes('text/html');
  return isText ? [] : [...files].map(browserFile);
}

/** Where files can be dropped. */
export interface IDropTarget {
  /** Whether nothing can be dropped now. */
  isLocked: () => boolean;
  onFiles: (files: IReadable[]) => void;
  /** Called with the paths of files that come from the file browser. */
  onPaths: (paths: string[]) => void;
}

/** Let files be dropped on a node, from the computer and from JupyterLab's file browser. */
export function acceptDrops(node: HTMLElement, target: IDropTarget): void {
  const mark = (isOver: boolean) =>
    node.classList.toggle('jp-mod-dropping', isOver);
  const isFiles = (event: DragEvent) =>
    event.dataTransfer?.types.includes('Files') === true;
  node.addEventListener('dragover', event => {
    if (isFiles(event)) {
      // Otherwise the browser would open the file in place of the page, also while nothing can be dropped.
      event.preventDefault();
      event.dataTransfer!.dropEffect = target.isLocked() ? 'none' : 'copy';
      mark(!target.isLocked());
    }
  });
  node.addEventListener('dragleave', event => {
    const to = event.relatedTarget;
    mark(to instanceof Node && node.contains(to));
  });
  node.addEventListener('drop', event => {
    mark(false);
    if (!isFiles(event)) {
      return;
    }
    event.preventDefault();
    if (!target.isLocked()) {
      target.onFiles([...event.dataTransfer!.files].map(browserFile));
    }
  });
  acceptLabDrops(node, {
    mime: CONTENTS_MIME,
    isLocked: target.isLocked,
    onDrop: data => target.onPaths(data as string[])
  });
}

/** Let something of JupyterLab be dropped on a node, whatever in it would take it. */
export function acceptLabDrops(node: HTMLElement, target: ILabTarget): void {
  const { accepts = () => true, action, mark = node, mime } = target;
  for (const type of [
    'lm-dragenter',
    'lm-dragover',
    'lm-dragleave',
    'lm-drop'
  ]) {
    const take = (raw: Event) => {
      const event = raw as unknown as ILabDrag;
      if (
        !event.mimeData.hasData(mime) ||
        target.isLocked() ||
        !accepts(event.mimeData.getData(mime), raw.target as Element)
      ) {
        return;
      }
      event.preventDefault();
      event.stopPropagation();
      event.dropAction = action ?? event.proposedAction;
      mark.classList.toggle(
        'jp-mod-dropping',
        type === 'lm-dragenter' || type === 'lm-dragover'
      );
      if (type === 'lm-drop') {
        target.onDrop(event.mimeData.getData(mime));
      }
    };
    node.addEventListener(type, take, true);
  }
}

/** Where something of JupyterLab can be dropped. */
export interface ILabTarget {
  /** The type of what is dragged. */
  mime: string;
  /** What happens to it; by default what the drag proposes. */
  action?: string;
  /** What shows that it can be dropped; by default the node. */
  mark?: HTMLElement;
  isLocked: () => boolean;
  /** Whether this is taken here; by default, all is. */
  accepts?: (data: unknown, target: Element) => boolean;
  onDrop: (data: unknown) => void;
}

/** A drag event of Lumino. */
interface ILabDrag extends Event {
  dropAction: string;
  readonly proposedAction: string;
  readonly mimeData: {
    hasData(type: string): boolean;
    getData(type: string): unknown;
  };
}
