/** What `@` in the composer offers, from this extension and from others. */
import { Token } from '@lumino/coreutils';
import { DisposableDelegate, type IDisposable } from '@lumino/disposable';
import type { ISignal } from '@lumino/signaling';

import type { IAttachment } from '../../../document/attachments';
import type { ReferenceKind } from '../../../document/references';
import type { IChatPanel } from '../../tokens';

/** Something that can be referred to. */
export interface IReferenceItem {
  /** What it is called in the list. */
  label: string;
  /** More about it, such as its first line. */
  detail?: string;
  kind: ReferenceKind;
  /** Read it as it is now; rejects with an error whose message says why that is not possible. */
  freeze(): Promise<IAttachment[]>;
}

/** Finds things that a message can refer to. */
export interface IReferenceProvider {
  /** Unique among all providers; starts with the name of the plugin. */
  id: string;
  /** The heading of its items. */
  label: string;
  /** Emitted when the current search would find more. */
  changed?: ISignal<unknown, unknown>;
  /**
   * Find what matches a query, best first.
   *
   * @param query - What the user typed after `@`; empty at first.
   * @param limit - How many items are shown at most.
   * @param signal - Aborted when the result is not needed any more.
   * @param chat - The chat in which the user types.
   * @param report - Called with what could not be searched and why; it is shown beside what was
   * found. If nothing could be searched, reject instead.
   */
  find(
    query: string,
    limit: number,
    signal: AbortSignal,
    chat: IChatPanel,
    report?: (problem: string) => void
  ): Promise<IReferenceItem[]>;
  /**
   * Freeze something that another extension describes in its own way.
   *
   * @returns null if this provider does not know that way. Rejects with an error whose message says
   * why it cannot be read.
   */
  accept?(described: unknown): Promise<IAttachment[]> | null;
}

/** The sources of what `@` in the composer offers. */
export interface IReferenceProviders {
  /** The providers, in the order in which they were added. */
  readonly list: readonly IReferenceProvider[];

  /** Add a provider until the result is disposed. */
  add(provider: IReferenceProvider): IDisposable;

  /**
   * Freeze something that another extension describes, for `IChatPanel.attach`.
   *
   * Attachments of Jupyter Chat and Jupyter AI are known: `{type: 'file', value: path}` and
   * `{type: 'notebook', value: path, cells: [{id}]}`, with their selections.
   */
  accept(described: unknown): Promise<IAttachment[]>;
}

/** The token of the providers. */
export const IReferenceProviders = new Token<IReferenceProviders>(
  'jupyterlab-turnbook:IReferenceProviders',
  'Adds to what `@` in the composer of a chat offers. What the user chooses is frozen, shown in the message and sent with it.'
);

/** The providers that plugins added. */
export class ReferenceProviders implements IReferenceProviders {
  get list(): readonly IReferenceProvider[] {
    return this._list;
  }

  add(provider: IReferenceProvider): IDisposable {
    const { id } = provider;
    if (this._list.some(one => one.id === id)) {
      throw new Error(
        `There is a reference provider ${id} already. Dispose of it first, or choose another id.`
      );
    }
    this._list = [...this._list, provider];
    return new DisposableDelegate(() => {
      this._list = this._list.filter(one => one !== provider);
    });
  }

  async accept(described: unknown): Promise<IAttachment[]> {
    for (const provider of this._list) {
      const found = provider.accept?.(described);
      if (found) {
        return found;
      }
    }
    throw new Error(
      'No reference provider knows what this is. Describe it as an attachment of Jupyter Chat, or freeze it with referenceAttachment().'
    );
  }

  private _list: readonly IReferenceProvider[] = [];
}
