import { EditorView } from '@codemirror/view';

import { keepEditorStyles } from '../editorstyles';

describe('keepEditorStyles', () => {
  it('writes the same style sheet once, and lets new rules through', async () => {
    let written = 0;
    new EditorView({ parent: document.body });
    keepEditorStyles();
    const observer = new MutationObserver(list => {
      written += list.length;
    });
    observer.observe(document.head, { childList: true, subtree: true });
    const settled = () => new Promise(resolve => setTimeout(resolve));

    new EditorView({ parent: document.body });
    keepEditorStyles();
    new EditorView({ parent: document.body });
    await settled();
    expect(written).toBe(0);

    const theme = EditorView.theme({ '&': { outlineOffset: '13px' } });
    new EditorView({ parent: document.body, extensions: theme });
    await settled();
    expect(written).toBe(1);
    expect(document.head.innerHTML).toContain('13px');
    expect(document.querySelector('style')!.textContent).toContain('13px');
    observer.disconnect();
  });
});
