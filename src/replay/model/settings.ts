import { ChatSettings } from '../../session/settings';

/** The settings that concern replays. */
export class ReplaySettings extends ChatSettings {
  /** Whether requests can be replayed; replays are part of the request editor. */
  get enabled(): boolean {
    return this.canEdit && this.current['replay.enabled'];
  }

  /** Whether the Request panel is enabled. */
  get canEdit(): boolean {
    return this.current['requestEditor.enabled'];
  }

  /** Whether replays are stored across a reload. */
  get persist(): boolean {
    return this.current['replay.persist'];
  }

  /** Whether *Start chatting* sends the payload at once. */
  get autoSend(): boolean {
    return this.current['replay.autoSend'];
  }

  /** How many sections are shown at first. */
  get cap(): number {
    return Math.max(1, this.current['replay.cap']);
  }
}
