import { DisposableDelegate } from '@lumino/disposable';

import type { IPageLife } from '../runs/pagelife';

/** The browser page that JupyterLab runs in. */
export function domPage(): IPageLife {
  return {
    get isHidden() {
      return document.hidden;
    },
    onWake: wake => {
      window.addEventListener('online', wake);
      document.addEventListener('visibilitychange', wake);
      return new DisposableDelegate(() => {
        window.removeEventListener('online', wake);
        document.removeEventListener('visibilitychange', wake);
      });
    }
  };
}
