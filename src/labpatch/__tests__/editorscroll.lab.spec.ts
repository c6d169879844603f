import { EditorView } from '@codemirror/view';
import type { CodeEditor } from '@jupyterlab/codeeditor';

import { ignoreFarScrolling } from '../editorscroll';

describe('ignoreFarScrolling', () => {
  it('finds the observer of CodeMirror, which listens only while the editor is visible', () => {
    const view = new EditorView({ parent: document.body });
    const { observer } = view as any;
    expect(typeof observer.intersecting).toBe('boolean');
    const heard = jest.fn();
    expect(observer.onScrollChanged).toBeInstanceOf(Function);
    observer.onScrollChanged = heard;
    const editor = { editor: view } as unknown as CodeEditor.IEditor;
    const end = ignoreFarScrolling(editor);
    const own = observer.onScrollChanged;
    // Twice is once.
    ignoreFarScrolling(editor)();
    expect(observer.onScrollChanged).toBe(own);
    observer.intersecting = false;
    observer.onScrollChanged(new Event('scroll'));
    expect(heard).not.toHaveBeenCalled();
    observer.intersecting = true;
    observer.onScrollChanged(new Event('scroll'));
    expect(heard).toHaveBeenCalledTimes(1);
    end();
    expect(Object.keys(observer)).not.toContain('onScrollChanged');
    view.destroy();
  });
});
