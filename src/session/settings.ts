import type { ISettingRegistry } from '@jupyterlab/settingregistry';
import { Signal, type ISignal } from '@lumino/signaling';

import type { IPrice } from '../base/run';
import { RESPONSE_RESERVE } from '../context/budget';
import { INTERRUPTED } from '../context/gather';
import {
  CHARS_PER_TOKEN,
  charsEstimator,
  gptEstimator,
  IMAGE_TOKENS,
  type IEstimator
} from '../context/tokens';
import type { WindowSetting } from '../context/windows';

/** The plugin id of the settings; `schema/chat.json` describes them. */
export const SETTINGS = 'jupyterlab-turnbook:chat';

/** The user's settings. */
export interface IChatSettings {
  defaultModel: string;
  chatTitle: 'first-message' | 'file-name';
  overBudget: 'mark' | 'confirm';
  tokenizer: 'chars' | 'gpt';
  charsPerToken: number;
  responseReserve: number;
  windows: WindowSetting;
  interruptedSentinel: string;
  imageTokens: number;
  'reasoning.show': 'fold' | 'open';
  prices: Record<string, IPrice>;
  autoEnterViewOnOverflow: boolean;
  autoRetry: boolean;
  'requestEditor.enabled': boolean;
  pauseAndReview: boolean;
  autoApply: boolean;
  'replay.enabled': boolean;
  'replay.persist': boolean;
  'replay.autoSend': boolean;
  'replay.cap': number;
}

/** The default settings. */
export const DEFAULT_SETTINGS: IChatSettings = {
  defaultModel: '',
  chatTitle: 'first-message',
  overBudget: 'mark',
  tokenizer: 'chars',
  charsPerToken: CHARS_PER_TOKEN,
  responseReserve: RESPONSE_RESERVE,
  windows: {},
  interruptedSentinel: INTERRUPTED,
  imageTokens: IMAGE_TOKENS,
  'reasoning.show': 'fold',
  prices: {},
  autoEnterViewOnOverflow: true,
  autoRetry: true,
  'requestEditor.enabled': true,
  pauseAndReview: false,
  autoApply: false,
  'replay.enabled': true,
  'replay.persist': false,
  'replay.autoSend': false,
  'replay.cap': 30
};

/**
 * The settings in force, for all chats of a page.
 */
export class ChatSettings {
  constructor(private _options: ChatSettings.IOptions = {}) {}

  /** Resolves when the user's settings are loaded, or cannot be read. */
  get ready(): Promise<void> {
    return this._ready;
  }

  /** Emitted when a setting changes. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** The settings in force. */
  get current(): IChatSettings {
    return this._current;
  }

  /** The token estimator. */
  get estimator(): IEstimator {
    return this._estimator;
  }

  /** Follow JupyterLab's settings once they are loaded. */
  load(loading: Promise<ISettingRegistry.ISettings>): void {
    this._ready = loading.then(
      settings => this.follow(settings),
      error => console.error('Turnbook: the settings cannot be read', error)
    );
  }

  /** Follow JupyterLab's settings. */
  follow(settings: ISettingRegistry.ISettings): void {
    const take = () => {
      const before = this._current;
      const values = settings.composite as unknown as Partial<IChatSettings>;
      this._current = { ...DEFAULT_SETTINGS, ...values };
      const { tokenizer, charsPerToken, imageTokens } = this._current;
      if (
        tokenizer !== before.tokenizer ||
        charsPerToken !== before.charsPerToken ||
        imageTokens !== before.imageTokens
      ) {
        this._estimator =
          tokenizer === 'gpt'
            ? gptEstimator(
                charsPerToken,
                this._options.loadTokenizer,
                imageTokens
              )
            : charsEstimator(charsPerToken, imageTokens);
      }
      this._changed.emit();
    };
    settings.changed.connect(take);
    take();
  }

  private _changed = new Signal<this, void>(this);
  private _current = DEFAULT_SETTINGS;
  private _estimator = charsEstimator();
  private _ready: Promise<void> = Promise.resolve();
}

/**
 * The namespace for `ChatSettings` statics.
 */
export namespace ChatSettings {
  export interface IOptions {
    /** Loads the tokenizer of `tokenizer: gpt`. */
    loadTokenizer?: () => Promise<(text: string) => number>;
  }
}
