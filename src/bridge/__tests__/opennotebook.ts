import { NBTestUtils } from '@jupyterlab/notebook/lib/testutils';
import type { NotebookPanel } from '@jupyterlab/notebook';

/** An open notebook with these sources; those that start with `#` are Markdown. */
export async function openNotebook(
  name: string,
  sources: string[]
): Promise<NotebookPanel> {
  const context = await NBTestUtils.createMockContext();
  await context.initialize(true);
  const panel = NBTestUtils.createNotebookPanel(context);
  context.model.fromJSON({
    nbformat: 4,
    nbformat_minor: 5,
    metadata: { language_info: { name: 'python' } },
    cells: sources.map((source, n) =>
      source.startsWith('#')
        ? { cell_type: 'markdown', id: `c${n}`, metadata: {}, source }
        : {
            cell_type: 'code',
            id: `c${n}`,
            metadata: {},
            execution_count: null,
            source,
            outputs: source.startsWith('print')
              ? [{ output_type: 'stream', name: 'stdout', text: 'out' }]
              : []
          }
    )
  } as never);
  for (const key of ['path', 'localPath']) {
    Object.defineProperty(context, key, { value: name });
  }
  await context.ready;
  return panel;
}
