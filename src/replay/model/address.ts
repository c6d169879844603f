import type { ILabShell, IRouter } from '@jupyterlab/application';
import { PageConfig, URLExt } from '@jupyterlab/coreutils';

import { DRIVE } from './drive';

/**
 * Keep replays out of the page's address.
 *
 * JupyterLab puts the path of the current document there and opens it with the file browser after
 * a reload; there is no file browser for this drive, and it would say so in a dialog. The layout
 * brings the tabs back by itself.
 */
export function keepAddress(shell: ILabShell, router: IRouter): void {
  shell.currentPathChanged.connect((_, { newValue }) => {
    if (newValue.startsWith(`${DRIVE}:`)) {
      // After JupyterLab has done it.
      queueMicrotask(() => {
        PageConfig.setOption('treePath', '');
        const { pathname } = URLExt.parse(PageConfig.getUrl({ treePath: '' }));
        router.navigate(pathname, { skipRouting: true });
      });
    }
  });
}
