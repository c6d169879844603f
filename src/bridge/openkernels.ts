import type { IConsoleTracker } from '@jupyterlab/console';
import { PathExt } from '@jupyterlab/coreutils';
import type { INotebookTracker } from '@jupyterlab/notebook';
import type { Kernel } from '@jupyterlab/services';

/** A kernel whose variables can be referred to. */
export interface IOpenKernel {
  /** The path of its notebook, or of the session of its console. */
  path: string;
  /** What references call it; sent, so not translated. */
  name: string;
  kernel: Kernel.IKernelConnection;
}

/** The kernels of what is open: of notebooks, and of consoles that have their own. */
export class OpenKernels {
  constructor(
    private _notebooks: Pick<INotebookTracker, 'forEach'> | null,
    private _consoles: Pick<IConsoleTracker, 'forEach'> | null
  ) {}

  /** The kernels, each once. */
  get list(): IOpenKernel[] {
    const open = new Map<string, IOpenKernel>();
    const add = (
      path: string,
      name: string,
      kernel?: Kernel.IKernelConnection | null
    ) => {
      if (kernel && !open.has(kernel.id)) {
        open.set(kernel.id, { path, name, kernel });
      }
    };
    this._notebooks?.forEach(({ context }) => {
      const { path, sessionContext } = context;
      add(path, PathExt.basename(path), sessionContext.session?.kernel);
    });
    this._consoles?.forEach(({ sessionContext }) => {
      const { path, name, session } = sessionContext;
      add(path, name, session?.kernel);
    });
    const list = [...open.values()];
    const isTwin = ({ name, path }: IOpenKernel) =>
      list.some(other => other.name === name && other.path !== path);
    return list.map(one => (isTwin(one) ? { ...one, name: one.path } : one));
  }

  /** The kernel of what is open at a path; null if there is none. */
  find(path: string): IOpenKernel | null {
    return this.list.find(one => one.path === path) ?? null;
  }
}
