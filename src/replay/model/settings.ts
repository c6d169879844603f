import type { ISettingRegistry } from '@jupyterlab/settingregistry';
import { Signal, type ISignal } from '@lumino/signaling';

/** The user's settings of replays. */
export interface IReplaySettings {
  'requestEditor.enabled': boolean;
  'replay.enabled': boolean;
  'replay.persist': boolean;
  'replay.autoSend': boolean;
  'replay.cap': number;
}

/** The settings of someone who changed none. */
export const DEFAULT_REPLAY_SETTINGS: IReplaySettings = {
  'requestEditor.enabled': true,
  'replay.enabled': true,
  'replay.persist': false,
  'replay.autoSend': false,
  'replay.cap': 30
};

/** The settings of replays that are in force. */
export class ReplaySettings {
  /** Emitted when a setting changed. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** Whether requests can be replayed: replays are part of the request editor. */
  get enabled(): boolean {
    return this.canEdit && this._current['replay.enabled'];
  }

  /** Whether there is a Request panel. */
  get canEdit(): boolean {
    return this._current['requestEditor.enabled'];
  }

  /** Whether replays survive a reload. */
  get persist(): boolean {
    return this._current['replay.persist'];
  }

  /** Whether the payload is sent when chatting starts. */
  get autoSend(): boolean {
    return this._current['replay.autoSend'];
  }

  /** How many sections are shown at first. */
  get cap(): number {
    return Math.max(1, this._current['replay.cap']);
  }

  /** Follow JupyterLab's settings. */
  follow(settings: ISettingRegistry.ISettings): void {
    const take = () => {
      this._current = {
        ...DEFAULT_REPLAY_SETTINGS,
        ...(settings.composite as unknown as Partial<IReplaySettings>)
      };
      this._changed.emit();
    };
    settings.changed.connect(take);
    take();
  }

  private _changed = new Signal<this, void>(this);
  private _current = DEFAULT_REPLAY_SETTINGS;
}
