import type { ISharedNotebook } from '@jupyter/ydoc';
import type { TranslationBundle } from '@jupyterlab/translation';

import { Pair } from '../document/pair';
import { readRound } from '../document/rounds';
import { shortTitle } from '../document/title';
import { splitId } from '../runs/models';
import type { ChatSession } from '../session/session';
import { element } from '../ui/dom';
import { barrierText } from './cells/barrier';
import { pairView } from './cells/pairview';

/**
 * Tells screen readers what becomes of a message: that it was sent, and once how its reply ended. A
 * reply that grows is not read aloud.
 */
export class Announcer {
  constructor(private _options: Announcer.IOptions) {
    this.node = element('div', 'jp-Turnbook-announcer');
    this.node.setAttribute('role', 'status');
    const { session, trans } = _options;
    session.sent.connect((_, pair) => {
      this._said.delete(pair);
      this._say(trans.__('Waiting for the reply.'));
    });
    session.landed.connect((_, pair) => {
      this._said.set(pair, '');
      this._update(pair);
    });
    // Whether and when the server tries again is known slightly later.
    session.pairChanged.connect((_, pair) => {
      for (const id of pair ? [pair] : this._said.keys()) {
        this._update(id);
      }
    });
  }

  readonly node: HTMLElement;

  /** Say how a reply ended, if that was seen here and is not said yet. */
  private _update(pair: string): void {
    const { session } = this._options;
    const before = this._said.get(pair);
    if (before === undefined || session.isDisposed || session.live(pair)) {
      return;
    }
    const end = this._end(pair);
    if (end && end.key !== before) {
      this._said.set(pair, end.key);
      this._say(end.text);
    }
  }

  /** How a pair's reply ended; null if that is not known yet. The key is the same for the same end. */
  private _end(id: string): { text: string; key: string } | null {
    const { notebook, session, trans } = this._options;
    const pair = Pair.find(notebook(), id);
    if (!pair?.run) {
      return null;
    }
    const { parts, reply, run } = pair;
    const length = reply?.text.trim() ? reply.text.length : 0;
    const journal = session.journal(id);
    const view = pairView(trans, run, null, journal, '', length);
    const model = shortTitle(splitId(view.model).name);
    if (view.barrier) {
      const { next } = view.barrier;
      return {
        text: barrierText(view.barrier, Date.now(), trans),
        key: JSON.stringify({ ...view.barrier, next: next?.attempt ?? null })
      };
    }
    if (view.state !== 'succeeded') {
      return null;
    }
    const waits = parts.length > 0 && parts.every(readRound);
    const text = waits
      ? trans.__('%1 calls tools and waits for their results.', model)
      : view.cut
        ? trans.__('Reply from %1: %2', model, view.cut)
        : trans.__('The reply from %1 is complete.', model);
    return { text, key: `${run.runId} ${text}` };
  }

  private _say(text: string): void {
    // The same words again are announced only if the text differs.
    this.node.textContent =
      this.node.textContent === text ? `${text}\u00a0` : text;
  }

  /** What was said last of each pair whose reply ended while this page was open. */
  private _said = new Map<string, string>();
}

/**
 * The namespace for `Announcer` statics.
 */
export namespace Announcer {
  export interface IOptions {
    session: ChatSession;
    notebook: () => ISharedNotebook;
    trans: TranslationBundle;
  }
}
