import { AutoApply } from '../request/autoapply';
import { PauseControl } from '../request/pausecontrol';
import type { ChatSettings } from './settings';

/**
 * The two modes of sending in a chat, Pause & review and Auto-apply: as the user chose here, or else
 * as the settings say.
 */
export class SendModes {
  constructor(options: SendModes.IOptions) {
    this._settings = options.settings;
    this.pause = new PauseControl({ store: options.rules.storage });
    this.rules = new AutoApply(options.rules);
  }

  /** Pause & review: whether sends wait, and the one that does. */
  readonly pause: PauseControl;

  /** Auto-apply: the edits that later requests get too. */
  readonly rules: AutoApply;

  /** Whether requests can be looked at; what cannot be seen is neither paused nor changed. */
  get isVisible(): boolean {
    return this._settings.current['requestEditor.enabled'];
  }

  /** Whether the next send waits for review. */
  get isPaused(): boolean {
    return this.isVisible && this.pause.mode !== 'off';
  }

  /** The rules that requests get now. */
  get inForce(): AutoApply['inForce'] {
    return this.isVisible ? this.rules.inForce : [];
  }

  /** Take what the settings say for chats in which the user did not choose. */
  update(): void {
    // Nothing that a file says of itself counts here: where it comes from is written in it.
    const { pauseAndReview, autoApply } = this._settings.current;
    this.pause.fallback = pauseAndReview ? 'always' : 'off';
    this.rules.fallback = autoApply;
  }

  /** Leave both off in this chat, unless the user has chosen here. */
  leaveOff(): void {
    if (!this.pause.isChosen) {
      this.pause.mode = 'off';
    }
    if (!this.rules.isChosen) {
      this.rules.on = false;
    }
  }

  /** Keep both under this name: the chat's id, or its path before it has one. */
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
  /** What they need. */
  export interface IOptions {
    settings: Pick<ChatSettings, 'current'>;
    /** What Auto-apply needs; its storage is that of Pause & review too. */
    rules: AutoApply.IOptions;
  }
}
