import { ChatSettings } from '../../session/settings';

/** The settings in force, as replays ask for them. */
export class ReplaySettings extends ChatSettings {
  /** Whether requests can be replayed: replays are part of the request editor. */
  get enabled(): boolean {
    return this.canEdit && this.current['replay.enabled'];
  }

  /** Whether there is a Request panel. */
  get canEdit(): boolean {
    return this.current['requestEditor.enabled'];
  }

  /** Whether replays survive a reload. */
  get persist(): boolean {
    return this.current['replay.persist'];
  }

  /** Whether the payload is sent when chatting starts. */
  get autoSend(): boolean {
    return this.current['replay.autoSend'];
  }

  /** How many sections are shown at first. */
  get cap(): number {
    return Math.max(1, this.current['replay.cap']);
  }
}
