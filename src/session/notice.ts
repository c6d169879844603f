import { Signal, type ISignal } from '@lumino/signaling';

/** The latest problem of a chat, as a text for the user. */
export class Notice {
  /** The text; null if there is no problem. Setting it does not emit `said`. */
  text: string | null = null;

  /** Emitted when a text was shown or removed by `say`. */
  get said(): ISignal<this, void> {
    return this._said;
  }

  /** Show a text to the user; null removes the last one. */
  say(text: string | null): void {
    this.text = text;
    this._said.emit();
  }

  private _said = new Signal<this, void>(this);
}
