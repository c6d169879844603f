import type { IDocumentManager } from '@jupyterlab/docmanager';
import { FileDialog } from '@jupyterlab/filebrowser';
import type { ITranslator } from '@jupyterlab/translation';

/** Let the user choose files of the server; returns their paths. */
export async function chooseFiles(
  manager: IDocumentManager,
  translator: ITranslator
): Promise<string[]> {
  const { button, value } = await FileDialog.getOpenFiles({
    manager,
    title: translator
      .load('jupyterlab_turnbook')
      .__('Attach files of the server'),
    // Without a selection, the dialog returns the folder that it shows.
    filter: () => ({}),
    translator
  });
  return button.accept
    ? (value ?? [])
        .filter(({ type }) => type !== 'directory')
        .map(({ path }) => path)
    : [];
}
