/**
 * Hide the button *Trusted* of Jupyter Notebook 7.6, on a page that shows a chat or a replay.
 *
 * Its plugin adds the button for every `NotebookPanel`. A reply is untrusted whatever the notebook's
 * trust says, so the button would promise something else. A page of Jupyter Notebook has one
 * document; JupyterLab has no such button. No upstream issue about it was found.
 */
export function hideTrust(): void {
  document.body.classList.add('jp-Turnbook-page');
}
