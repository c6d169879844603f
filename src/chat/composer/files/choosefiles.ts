import type { IDocumentManager } from '@jupyterlab/docmanager';
import { FileDialog } from '@jupyterlab/filebrowser';
import type { ITranslator } from '@jupyterlab/translation';

/**
 * Let the user choose files of the server; returns their paths.
 *
 * @param folder - Where the user starts to look.
 */
export async function chooseFiles(
  manager: IDocumentManager,
  translator: ITranslator,
  folder: string
): Promise<string[]> {
  const { button, value } = await FileDialog.getOpenFiles({
    manager,
    defaultPath: folder,
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
