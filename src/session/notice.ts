import { Signal, type ISignal } from '@lumino/signaling';

/** What went wrong last in a chat, in words for the user. */
export class Notice {
  /** The words; null if nothing went wrong. Who sets them has others look at the chat again. */
  text: string | null = null;

  /** Emitted when something was said. */
  get said(): ISignal<this, void> {
    return this._said;
  }

  /** Have the user read this; null takes the last words away. */
  say(text: string | null): void {
    this.text = text;
    this._said.emit();
  }

  private _said = new Signal<this, void>(this);
}
