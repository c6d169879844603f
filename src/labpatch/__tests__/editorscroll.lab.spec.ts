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
    ignoreFarScrolling({ editor: view } as unknown as CodeEditor.IEditor);
    observer.intersecting = false;
    observer.onScrollChanged(new Event('scroll'));
    expect(heard).not.toHaveBeenCalled();
    observer.intersecting = true;
    observer.onScrollChanged(new Event('scroll'));
    expect(heard).toHaveBeenCalledTimes(1);
    view.destroy();
  });
});
