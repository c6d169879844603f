import { ReactWidget, UseSignal } from '@jupyterlab/apputils';
import type { ITranslator, TranslationBundle } from '@jupyterlab/translation';
import type { Message } from '@lumino/messaging';
import { Signal, type ISignal } from '@lumino/signaling';
import * as React from 'react';

import { fitHeight } from '../../base/fit';
import { ModelPicker } from '../../providers/modelpicker';
import type { ModelCatalog } from '../../runs/catalog';
import type { TurnbookAPI } from '../../runs/api';
import { growText } from '../../ui/dom';
import { EditChips } from './editchips';
import { AttachBar, AttachButtons } from './files/attachbar';
import type { Attaching } from './files/attaching';
import { focusLastFile } from './files/attachlist';
import { acceptDrops, pastedFiles } from './files/incoming';
import { LastTimeHint } from './lasttimehint';
import { ComposerNotices } from './notices';
import { OptionChips } from './optionchips';
import { PausedMessage } from './pausedmessage';
import { PauseSwitch } from './pauseswitch';
import type { ReferenceCompletion } from './references/completion';
import type { IReferenceItem } from './references/providers';
import { ReferenceList } from './references/referencelist';
import { SendButtons } from './sendbuttons';
import { TokenEstimate } from './tokenestimate';
import { TopicField } from '../topics/topicfield';
import { Unanswered } from './unanswered';
import type { ChatSession } from '../../session/session';

/** The beginning of a code block; a message with one is written in the font of code. */
const FENCE = /^ {0,3}(```|~~~)/m;

/** The editor for new messages: below the notebook and outside its node, which captures keys. */
export class Composer extends ReactWidget {
  constructor(options: Composer.IOptions) {
    super();
    this.addClass('jp-Turnbook-composer');
    this._options = options;
    this._observer = new ResizeObserver(() => this._fit());
    this.attaching = options.attaching;
    // Each editor in the page listens for it at the document: with many open notebooks, that takes
    // longer than all that a key press does here.
    this.node.addEventListener('selectionchange', event => {
      event.stopPropagation();
      if (event.target === this._textarea) {
        this._complete();
      }
    });
    acceptDrops(this.node, {
      isLocked: () => this.isLocked,
      onFiles: files => void this.attaching.add(files),
      onPaths: paths => void this.attaching.addPaths(paths)
    });
  }

  /** Attaches to the message being written. */
  readonly attaching: Attaching;

  /** Emitted when the user moves the focus to the notebook. */
  get left(): ISignal<this, void> {
    return this._left;
  }

  /** Emitted with a pair that the user wants to see. */
  get pairRequested(): ISignal<this, string> {
    return this._pairRequested;
  }

  /** Whether the message cannot be changed: it is paused, or sent once its files are read. */
  get isLocked(): boolean {
    const { held } = this._options.session.modes.pause;
    const isPaused = held !== null && !held.resend;
    return isPaused || this.attaching.isAwaited;
  }

  /** When a key was last pressed here, in milliseconds since 1970. */
  get lastKey(): number {
    return this._lastKey;
  }

  /** How many tokens would be sent. */
  set tokens(tokens: number) {
    if (tokens !== this._tokens) {
      this._tokens = tokens;
      this._estimated.emit();
    }
  }

  /** Focus the message, now or when it is rendered. */
  focus(): void {
    this._wantsFocus = this._textarea === null;
    this._textarea?.focus();
  }

  /** Let the user choose files of this computer to attach. */
  attach(): void {
    if (!this.isLocked) {
      this._input?.click();
    }
  }

  /** Attach something, and focus the message. */
  take(attach: (attaching: Attaching, isLocked: boolean) => unknown): void {
    attach(this.attaching, this.isLocked);
    this.focus();
  }

  override dispose(): void {
    if (this.isDisposed) {
      return;
    }
    this._observer.disconnect();
    super.dispose();
    this.attaching.cancel();
  }

  protected override onActivateRequest(msg: Message): void {
    this.focus();
  }

  protected override render(): React.ReactElement {
    const { session } = this._options;
    return (
      <UseSignal signal={session.changed}>
        {() => (
          <div
            className="jp-Turnbook-composer-body"
            ref={node => {
              this._observer.disconnect();
              if (node) {
                this._observer.observe(node);
              }
            }}
          >
            <ComposerNotices {...this._options} />
            <PausedMessage
              session={session}
              onCanceled={() => this.focus()}
              trans={this._trans}
            />
            <UseSignal signal={this.attaching.changed}>
              {() => (
                <UseSignal signal={session.draft.changed}>
                  {() => this._message()}
                </UseSignal>
              )}
            </UseSignal>
          </div>
        )}
      </UseSignal>
    );
  }

  private _message(): React.ReactElement {
    const { session, catalog, translator } = this._options;
    const trans = this._trans;
    const { draft } = session;
    const busy = session.busy !== null;
    const isHeld = session.modes.pause.held !== null;
    const isLocked = this.isLocked;
    const { isAwaited } = this.attaching;
    const canSend = !busy && !isHeld && !isAwaited && !draft.isEmpty;
    return (
      <>
        <UseSignal signal={session.context.changed}>
          {() => (
            <Unanswered
              session={session}
              onShow={pair => this._pairRequested.emit(pair)}
              trans={trans}
            />
          )}
        </UseSignal>
        {draft.problem !== null && (
          <div className="jp-Turnbook-notice jp-mod-warning" role="status">
            {draft.problem}
          </div>
        )}
        <div className="jp-Turnbook-composer-card">
          <AttachBar
            attaching={this.attaching}
            context={session.context}
            draft={draft}
            locked={isLocked}
            onRemoved={() => this.focus()}
            trans={trans}
          />
          <textarea
            ref={node => {
              this._textarea = node;
              growText(node);
              if (node && this._wantsFocus) {
                this.focus();
              }
            }}
            className={`jp-Turnbook-composer-text${FENCE.test(draft.text) ? ' jp-mod-code' : ''}`}
            dir="auto"
            aria-label={trans.__('Message')}
            aria-autocomplete="list"
            placeholder={trans.__('Write a message')}
            title={trans.__(
              'Enter sends, Shift+Enter starts a new line, @ refers to something, Esc moves to the cells'
            )}
            rows={1}
            readOnly={isLocked}
            value={draft.text}
            onChange={event => {
              draft.text = event.target.value;
              this._complete();
            }}
            onFocus={() => {
              if (this._options.references.wasLeft) {
                this._complete();
              }
            }}
            onSelect={() => this._complete()}
            onBlur={() => this._options.references.leave()}
            onKeyDown={event => this._onKey(event)}
            onPaste={event => this._onPaste(event)}
          />
          <ReferenceList
            completion={this._options.references}
            anchor={this._anchor}
            onChoose={this._choose}
            trans={trans}
          />
          <div className="jp-Turnbook-composer-bar">
            <ModelPicker
              api={this._options.api}
              catalog={catalog}
              value={session.model}
              recent={() => session.about.recent.list}
              windowOf={model => session.about.windowOf(model)}
              onChange={model => {
                session.model = model;
              }}
              onManage={this._options.manageProviders}
              onLocalModels={this._options.localModels}
              translator={translator}
            />
            <TopicField
              value={session.about.topic}
              topics={this._options.topics()}
              onChange={topic => {
                session.about.topic = topic;
              }}
              translator={translator}
            />
            <OptionChips
              options={session.options}
              openRequest={this._options.openRequest}
              onAsked={() => this.focus()}
              trans={trans}
            />
            <AttachButtons
              attaching={this.attaching}
              locked={isLocked}
              input={node => {
                this._input = node;
              }}
              onAttach={() => this.attach()}
              onBrowse={() => void this._options.browse()}
              trans={trans}
            />
            <button
              type="button"
              className="jp-Turnbook-button"
              title={trans.__(
                'Ask several models, or one several times, and choose among the replies'
              )}
              disabled={!canSend}
              onClick={this._options.askSeveral}
            >
              {trans.__('Ask several')}
            </button>
            <EditChips {...this._options} trans={trans} />
            <span className="jp-Turnbook-composer-end">
              {this._options.requestEditor() && (
                <PauseSwitch pause={session.modes.pause} trans={trans} />
              )}
              <LastTimeHint lastTime={session.lastTime} trans={trans} />
              <UseSignal signal={this._estimated}>
                {() => (
                  <TokenEstimate
                    tokens={this._tokens}
                    {...{ session, trans }}
                  />
                )}
              </UseSignal>
              <SendButtons
                busy={busy}
                isHeld={isHeld}
                canSend={canSend}
                onSend={() => this.send()}
                onStop={() => {
                  void session.stop();
                  this.focus();
                }}
                trans={trans}
              />
            </span>
          </div>
        </div>
      </>
    );
  }

  private _onKey(event: React.KeyboardEvent<HTMLTextAreaElement>): void {
    this._lastKey = Date.now();
    // Safari ends a composition before it reports the Enter that ended it.
    if (event.nativeEvent.isComposing || event.nativeEvent.keyCode === 229) {
      return;
    }
    const { references } = this._options;
    if (references.take(event, this._choose)) {
      event.preventDefault();
    } else if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      this.send();
    } else if (event.key === 'Escape') {
      event.preventDefault();
      this._left.emit();
    } else if (event.key === 'Backspace' && !event.currentTarget.value) {
      focusLastFile(this.node, event);
    }
  }

  /** What `@` offers depends on the text before the cursor. */
  private _complete(): void {
    if (!this._textarea) {
      return;
    }
    const { value, selectionStart, selectionEnd } = this._textarea;
    const isCaret = selectionStart === selectionEnd && !this.isLocked;
    this._options.references.update(isCaret ? value : '', selectionEnd);
  }

  /** Put what was chosen among the attachments, instead of the `@` in the text. */
  private _choose = (item: IReferenceItem): void => {
    const { references, session } = this._options;
    const { mention } = references;
    if (!mention) {
      // The list closed since it was drawn.
      return;
    }
    const { start, end } = mention;
    references.leave();
    this._textarea!.setRangeText('', start, end, 'start');
    session.draft.text = this._textarea!.value;
    void this.attaching.freeze(item);
    this.focus();
  };

  private _onPaste(event: React.ClipboardEvent): void {
    const files = this.isLocked ? [] : pastedFiles(event.clipboardData);
    if (files.length) {
      event.preventDefault();
      void this.attaching.add(files);
    }
  }

  /**
   * Send the message being written.
   *
   * @param models - The models to ask, with repeats; by default, that of the chat.
   */
  send(models?: readonly string[]): void {
    this.attaching.whenAttached(() => this._options.send(models));
    this.focus();
  }

  private _fit(): void {
    // Text that arrived while it was hidden could not be measured.
    growText(this._textarea);
    const body = this.node.firstElementChild as HTMLElement | null;
    const height = body?.offsetHeight ?? 0;
    if (height) {
      fitHeight(this, height);
    }
  }

  private get _trans(): TranslationBundle {
    return this._options.translator.load('jupyterlab_turnbook');
  }

  /** Where the list of references is shown. */
  private _anchor = () => this._textarea;
  private _input: HTMLInputElement | null = null;
  private _estimated = new Signal<this, void>(this);
  private _lastKey = 0;
  private _left = new Signal<this, void>(this);
  private _pairRequested = new Signal<this, string>(this);
  private _observer: ResizeObserver;
  private _options: Composer.IOptions;
  private _tokens = 0;
  private _textarea: HTMLTextAreaElement | null = null;
  private _wantsFocus = false;
}

/**
 * The namespace for `Composer` statics.
 */
export namespace Composer {
  export interface IOptions {
    session: ChatSession;
    attaching: Attaching;
    /** What `@` offers. */
    references: ReferenceCompletion;
    /** Let the user choose files of the server to attach. */
    browse: () => Promise<void>;
    catalog: ModelCatalog;
    api: TurnbookAPI;
    translator: ITranslator;
    manageProviders: () => void;
    localModels: () => void;
    /** The topics of the chat's pairs. */
    topics: () => readonly string[];
    /** Send the message being written, to these models. */
    send: (models?: readonly string[]) => void;
    /** Let the user choose several models to ask. */
    askSeveral: () => void;
    /** Whether editing requests is enabled. */
    requestEditor: () => boolean;
    /** Show the request of the message being written. */
    openRequest: () => void;
  }
}
