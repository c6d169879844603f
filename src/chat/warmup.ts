import { CodeEditor, type IEditorServices } from '@jupyterlab/codeeditor';
import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';

/** What JupyterLab writes Markdown cells as. */
const MARKDOWN = 'text/x-ipythongfm';

/**
 * Let JupyterLab load what the first message and the first reply need: the grammar of Markdown, which
 * takes longer than all else of a short chat, and its parser.
 *
 * A page that opens with a chat is idle for a moment before it opens the file.
 */
export function warmUp(
  {
    newInlineEditor
  }: Pick<IEditorServices['factoryService'], 'newInlineEditor'>,
  { markdownParser }: Pick<IRenderMimeRegistry, 'markdownParser'>
): void {
  const model = new CodeEditor.Model({ mimeType: MARKDOWN });
  const host = document.createElement('div');
  newInlineEditor({ host, model }).dispose();
  model.dispose();
  void markdownParser?.render('');
}
