import type { ILabShell, IRouter } from '@jupyterlab/application';
import { PageConfig, URLExt } from '@jupyterlab/coreutils';

import { DRIVE } from './drive';

/**
 * Keep replays out of the page's URL.
 *
 * JupyterLab puts the path of the current document there and opens it with the file browser after a
 * reload. This drive has no file browser, so JupyterLab would show an error dialog. The layout
 * restores the tabs anyway.
 */
export function keepAddress(shell: ILabShell, router: IRouter): void {
  shell.currentPathChanged.connect((_, { newValue }) => {
    if (newValue.startsWith(`${DRIVE}:`)) {
      // After JupyterLab has set it.
      queueMicrotask(() => {
        PageConfig.setOption('treePath', '');
        const { pathname } = URLExt.parse(PageConfig.getUrl({ treePath: '' }));
        router.navigate(pathname, { skipRouting: true });
      });
    }
  });
}
