import { EditorView } from '@codemirror/view';
import { nullTranslator } from '@jupyterlab/translation';

import { askOption } from '../optiondialog';

describe('the dialog of an option', () => {
  it('sets what was written last, also before it is drawn', async () => {
    const set = jest.fn();
    const option = {
      name: 'response_format',
      value: { type: 'json_object' }
    } as never;
    const trans = nullTranslator.load('jupyterlab_turnbook');
    const closed = askOption({ set, shown: [] }, option, trans);
    let editor: EditorView | null = null;
    while (!editor) {
      await new Promise(resolve => setTimeout(resolve));
      const content = document.querySelector<HTMLElement>('.cm-content');
      editor = content && EditorView.findFromDOM(content);
    }
    const insert = '{"type": "text"}';
    editor.dispatch({
      changes: { from: 0, to: editor.state.doc.length, insert }
    });
    editor.contentDOM.dispatchEvent(
      new KeyboardEvent('keydown', {
        key: 'Enter',
        ctrlKey: true,
        bubbles: true
      })
    );
    await closed;
    expect(set).toHaveBeenCalledWith('response_format', { type: 'text' });
  });
});
