import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { Notification } from '@jupyterlab/apputils';
import { ITranslator, type TranslationBundle } from '@jupyterlab/translation';

import { lacks, type ILack } from '../labpatch/support';

const SHOWN = 'turnbook:lacks';

/** Says what does not work in the JupyterLab that runs. */
export const supportPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyterlab-turnbook:support',
  description: 'Says what does not work in this version of JupyterLab.',
  autoStart: true,
  requires: [ITranslator],
  activate: (app: JupyterFrontEnd, translator: ITranslator): void => {
    const trans = translator.load('jupyterlab_turnbook');
    reportLacks(lacks(trans), `${app.name} ${app.version}`, trans);
  }
};

/** Write what does not work to the console, and show once what the user would miss. */
export function reportLacks(
  found: readonly ILack[],
  host: string,
  trans: TranslationBundle
): void {
  const line = (part: readonly ILack[]) =>
    [trans.__('Turnbook in %1:', host), ...part.map(({ text }) => text)].join(
      ' '
    );
  if (found.length) {
    console.info(line(found));
  }
  const missed = found.filter(({ isMissed }) => isMissed);
  if (missed.length && localStorage.getItem(SHOWN) !== line(missed)) {
    localStorage.setItem(SHOWN, line(missed));
    Notification.warning(line(missed), { autoClose: false });
  }
}
