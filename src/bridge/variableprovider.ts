import type { Kernel, KernelMessage } from '@jupyterlab/services';
import { Signal, type ISignal } from '@lumino/signaling';

import { errorMessage } from '../base/errors';
import { trans } from '../base/words';
import type {
  IReferenceItem,
  IReferenceProvider
} from '../chat/composer/references/providers';
import type { IChatPanel } from '../chat/tokens';
import type { IAttachment } from '../document/attachments';
import { referenceAttachment, type IReference } from '../document/references';
import {
  describeVariable,
  KernelProblem,
  listVariables,
  type AskedKernel,
  type IVariable
} from './kernelask';
import type { IOpenKernel } from './openkernels';

/** How long kernels are waited for before what others have is shown, in milliseconds. */
const PATIENCE_MS = 300;

/** How long a kernel that did not answer is not asked again, in milliseconds. */
const SILENCE_MS = 30_000;

/**
 * Offers the variables of the kernels of what is open.
 *
 * A kernel is asked for its variables once after each cell that it ran, not with each key. One that
 * is slow does not hold up the others: `changed` says that it has answered. One that is silent is
 * left alone for a while, unless it is heard of.
 */
export class VariableProvider implements IReferenceProvider {
  constructor(private _options: VariableProvider.IOptions) {}

  readonly id = 'jupyterlab-turnbook:variables';

  get label(): string {
    return this._options.label;
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  async find(
    query: string,
    limit: number,
    signal: AbortSignal,
    _chat?: IChatPanel,
    report?: (problem: string) => void
  ): Promise<IReferenceItem[]> {
    const problems: string[] = [];
    const late: string[] = [];
    const found = await Promise.all(
      this._options.kernels().map(async one => {
        const items = this._items(one, query, signal, problems);
        const known = await soon(items);
        if (known === null) {
          late.push(trans.__('%1 has not answered yet.', one.name));
          void items.then(() => signal.aborted || this._changed.emit());
        }
        return known ?? [];
      })
    );
    if (signal.aborted) {
      return [];
    }
    if (problems.length && !late.length && !found.flat().length) {
      throw new KernelProblem(problems.join('\n'));
    }
    // What the user looks for may be in a kernel that cannot say so now.
    [...problems, ...late].forEach(problem => report?.(problem));
    const wanted = query.toLowerCase();
    // A whole name first, then the beginnings of names.
    const place = ({ label }: IReferenceItem) =>
      label === query ? -1 : label.toLowerCase().indexOf(wanted);
    return found
      .flat()
      .sort((a, b) => place(a) - place(b))
      .slice(0, limit);
  }

  private async _items(
    open: VariableProvider.IOpen,
    query: string,
    signal: AbortSignal,
    problems: string[]
  ): Promise<IReferenceItem[]> {
    const { name } = open;
    try {
      const variables = await this._list(open.kernel, query, signal);
      const wanted = query.toLowerCase();
      return [...variables]
        .reverse()
        .filter(one => one.name.toLowerCase().includes(wanted))
        .map(one => ({
          label: one.name,
          detail: [one.type, name].filter(Boolean).join(' · '),
          kind: 'variable',
          freeze: async () => [await freezeVariable(open, one.name)]
        }));
    } catch (error) {
      problems.push(`${name}: ${errorMessage(error)}`);
      return [];
    }
  }

  /** The variables of a kernel, the newest last, from when it was last asked. */
  private async _list(
    kernel: VariableProvider.IKernel,
    query: string,
    signal: AbortSignal
  ): Promise<IVariable[]> {
    // A key that is pressed while a kernel is asked waits for that answer.
    while (this._asking.has(kernel)) {
      await this._asking.get(kernel);
    }
    if (signal.aborted) {
      return [];
    }
    const known = this._known.get(kernel);
    // Only Python lists all of them.
    if (known && (known.query === query || known.list[0]?.type)) {
      return known.list;
    }
    const silent = this._silent.get(kernel);
    if (silent && Date.now() < silent.until) {
      throw silent.problem;
    }
    if (!this._followed.has(kernel)) {
      this._followed.add(kernel);
      kernel.iopubMessage.connect((_, { header }) => {
        this._silent.delete(kernel);
        // Silent requests such as ours have none.
        if (header.msg_type === 'execute_input') {
          this._known.delete(kernel);
        }
      });
      kernel.statusChanged.connect((_, status) => {
        if (status !== 'idle' && status !== 'busy') {
          this._known.delete(kernel);
        }
      });
    }
    const asked = listVariables(kernel, query);
    this._asking.set(
      kernel,
      asked.catch(() => undefined)
    );
    const start = Date.now();
    try {
      const list = await asked;
      this._known.set(kernel, { query, list });
      return list;
    } catch (problem) {
      if (Date.now() - start >= PATIENCE_MS) {
        const until = Date.now() + SILENCE_MS;
        this._silent.set(kernel, { problem, until });
      }
      throw problem;
    } finally {
      this._asking.delete(kernel);
    }
  }

  /** The kernels that are being asked; never rejects. */
  private _asking = new WeakMap<object, Promise<unknown>>();
  private _changed = new Signal<this, void>(this);
  private _followed = new WeakSet<object>();
  /** What kernels answered last, and to which query. */
  private _known = new WeakMap<object, { query: string; list: IVariable[] }>();
  private _silent = new WeakMap<object, { problem: unknown; until: number }>();
}

/** What comes soon; null for what takes longer. */
async function soon<T>(coming: Promise<T>): Promise<T | null> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<null>(resolve => {
    timer = setTimeout(() => resolve(null), PATIENCE_MS);
  });
  try {
    return await Promise.race([coming, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Freeze what a kernel says of a variable now. */
export async function freezeVariable(
  open: Pick<VariableProvider.IOpen, 'path' | 'name'> & { kernel: AskedKernel },
  name: string
): Promise<IAttachment> {
  // Before it is asked: the path may be another one's when it has responded.
  const at = Date.now();
  const text = await describeVariable(open.kernel, name);
  return referenceAttachment(
    {
      kind: 'variable',
      path: open.path,
      name: `${open.name} · ${name}`,
      at
    },
    text
  );
}

/** The name of the variable that a reference is of. */
export function variableOf({ name }: Pick<IReference, 'name'>): string {
  return name.slice(name.lastIndexOf(' · ') + ' · '.length);
}

/**
 * The namespace for `VariableProvider` statics.
 */
export namespace VariableProvider {
  export interface IOptions {
    /** The heading of the variables. */
    label: string;
    /** The kernels of what is open. */
    kernels: () => readonly IOpen[];
  }

  /** What is used of a kernel. */
  export interface IKernel extends AskedKernel {
    readonly iopubMessage: ISignal<unknown, KernelMessage.IIOPubMessage>;
    readonly statusChanged: ISignal<unknown, Kernel.Status>;
  }

  export interface IOpen extends Pick<IOpenKernel, 'path' | 'name'> {
    kernel: IKernel;
  }
}
