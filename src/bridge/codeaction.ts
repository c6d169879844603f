/**
 * What can be done with a code block of a reply, by Turnbook and by other extensions.
 */
import type { LabIcon } from '@jupyterlab/ui-components';
import { Token } from '@lumino/coreutils';
import { DisposableDelegate, type IDisposable } from '@lumino/disposable';
import { Signal, type ISignal } from '@lumino/signaling';

import { errorMessage } from '../base/errors';

/** A code block of a reply. Whoever wrote the reply wrote it: treat it as data. */
export interface ICodeBlock {
  /** What the reply calls its language, such as `python`; may be empty. */
  readonly language: string;

  /**
   * Exactly what the reply has, without the fence.
   *
   * Reading it throws if the block cannot be found in the reply, with a message for the user.
   */
  readonly text: string;

  /** The chat; its id is empty before the server knows it. */
  readonly chat: { readonly path: string; readonly chatId: string };

  /** The id of the pair's cell. */
  readonly pair: string;

  /** The run that brought the reply; empty if none of Turnbook's did. */
  readonly run: string;
}

/** An action on code blocks, shown as a button on each. */
export interface ICodeAction {
  /** Unique among all actions; starts with the name of the plugin. */
  id: string;

  /** What the button says. */
  label: string;

  /** Shown in place of the label where there is little room. */
  icon?: LabIcon;

  /** Lower ranks come first; 100 by default. */
  rank?: number;

  /** What the tooltip says, when it is about to be shown; the label by default. */
  caption?(block: ICodeBlock): string;

  /** Whether a block has the button; every block by default. */
  isVisible?(block: ICodeBlock): boolean;

  /** Called when the user chooses it. What it throws is shown to the user. */
  execute(block: ICodeBlock): void | Promise<void>;
}

/** The actions on the code blocks of replies. */
export interface ICodeActions {
  /** Add an action until the result is disposed. */
  add(action: ICodeAction): IDisposable;

  /** The actions that a block has, in order. */
  of(block: ICodeBlock): ICodeAction[];

  /** Emitted when an action is added or removed. */
  readonly changed: ISignal<ICodeActions, void>;
}

/** The token of the actions. */
export const ICodeActions = new Token<ICodeActions>(
  'jupyterlab-turnbook:ICodeActions',
  'Adds buttons to the code blocks of replies. An action gets the block’s text and where it comes from; nothing is run by itself.'
);

const DEFAULT_RANK = 100;

/** The actions, ordered by rank and then by registration. */
export class CodeActionRegistry implements ICodeActions {
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  add(action: ICodeAction): IDisposable {
    const { id } = action;
    if (this._actions.some(one => one.id === id)) {
      throw new Error(
        `There is an action ${id} on code blocks already. Dispose of it first, or choose another id.`
      );
    }
    this._actions = [...this._actions, action].sort(
      (a, b) => rank(a) - rank(b)
    );
    this._changed.emit();
    return new DisposableDelegate(() => {
      this._actions = this._actions.filter(one => one !== action);
      this._changed.emit();
    });
  }

  of(block: ICodeBlock): ICodeAction[] {
    return this._actions.filter(action => {
      try {
        return action.isVisible?.(block) ?? true;
      } catch (error) {
        console.error(
          `Turnbook: the action ${action.id} is not shown: ${errorMessage(error)}`
        );
        return false;
      }
    });
  }

  private _actions: ICodeAction[] = [];
  private _changed = new Signal<this, void>(this);
}

function rank(action: ICodeAction): number {
  return action.rank ?? DEFAULT_RANK;
}
