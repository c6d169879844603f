import { AutoApply } from '../request/autoapply';
import { PauseControl } from '../request/pausecontrol';
import type { ChatSettings } from './settings';

/**
 * The two modes of a chat, Pause & review and Auto-apply: as the user chose here, or else as in the
 * settings.
 */
export class SendModes {
  constructor(options: SendModes.IOptions) {
    this._settings = options.settings;
    this.pause = new PauseControl({ store: options.rules.storage });
    this.rules = new AutoApply(options.rules);
  }

  /** Pause & review: which messages are paused, and the paused one. */
  readonly pause: PauseControl;

  /** Auto-apply: the edits that later requests get too. */
  readonly rules: AutoApply;

  /** Whether the request editor is on; without it, nothing is paused or changed. */
  get isVisible(): boolean {
    return this._settings.current['requestEditor.enabled'];
  }

  /** Whether the next message is paused for review. */
  get isPaused(): boolean {
    return this.isVisible && this.pause.mode !== 'off';
  }

  /** The rules that apply to requests now. */
  get inForce(): AutoApply['inForce'] {
    return this.isVisible ? this.rules.inForce : [];
  }

  /** Apply the settings to chats in which the user did not choose. */
  update(): void {
    // Claims of the file do not count here: it contains where it comes from.
    const { pauseAndReview, autoApply } = this._settings.current;
    this.pause.fallback = pauseAndReview ? 'always' : 'off';
    this.rules.fallback = autoApply;
  }

  /** Keep both off in this chat, unless the user chose here. */
  leaveOff(): void {
    if (!this.pause.isChosen) {
      this.pause.mode = 'off';
    }
    if (!this.rules.isChosen) {
      this.rules.on = false;
    }
  }

  /** Store both under this name: the chat's id, or its path before it has one. */
  async open(name: string): Promise<void> {
    await this.pause.open(name);
    await this.rules.open(name);
  }

  dispose(): void {
    this.pause.dispose();
    this.rules.dispose();
  }

  private _settings: Pick<ChatSettings, 'current'>;
}

/**
 * The namespace for `SendModes` statics.
 */
export namespace SendModes {
  export interface IOptions {
    settings: Pick<ChatSettings, 'current'>;
    /** The options of Auto-apply; Pause & review uses the same storage. */
    rules: AutoApply.IOptions;
  }
}
