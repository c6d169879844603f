import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { IDocumentManager } from '@jupyterlab/docmanager';
import type { TranslationBundle } from '@jupyterlab/translation';
import { UUID } from '@lumino/coreutils';
import { Signal, type ISignal } from '@lumino/signaling';
import * as React from 'react';

import { goToCell } from '../../chat/goto';
import { FACTORY, type IOpenChats } from '../../chat/openchats';
import type { ChatPanel } from '../../chat/panel';
import type { ILineage } from '../../document/metadata';
import type { RequestDraft } from '../../request/draft';
import { chatName } from '../../request/name';
import { LIVE } from '../../request/requests';
import type { IReplays } from '../../requestpanel/slots';
import type { TurnbookAPI } from '../../runs/api';
import { CommandIDs } from '../../ui/commandids';
import { showComparison } from '../../ui/comparison';
import { chatSource, type ChatSource } from '../model/chatsource';
import { replayPath } from '../model/drive';
import type { IReplayEntry } from '../model/entry';
import type { ReplayManager } from '../model/manager';
import { readable } from '../model/originals';
import { recordMarks, sessionTail } from '../model/record';
import type { ReplaySettings } from '../model/settings';
import type { IReplayOrigin } from '../model/source';
import { REPLAY_FACTORY } from '../model/names';
import { openHere } from './openhere';
import type { ReplayAction, ReplayPanel } from './panel';
import { showRecordedResponse } from './recordedresponse';
import { ReplayFiles } from './replayfiles';
import { ReplaysSection } from './replayssection';
import { SourceChats } from './sourcechats';
import { tellNotReplayed, tellStarted } from './toasts';

/** The actions on replays, wherever they are invoked. */
export class Replays implements IReplays {
  constructor(options: Replays.IOptions) {
    this._options = options;
    const { app, manager, settings } = options;
    const { contents } = app.serviceManager;
    const storage = window.localStorage;
    this._files = new ReplayFiles({ ...options, contents, storage });
    this._sources = new SourceChats(options);
    manager.changed.connect(() => this._changed.emit());
    settings.changed.connect(() => this._changed.emit());
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  get enabled(): boolean {
    return this._options.settings.enabled;
  }

  get manager(): ReplayManager {
    return this._options.manager;
  }

  count(chat: ChatPanel): number {
    return this._list(chat).length;
  }

  render(chat: ChatPanel): React.ReactElement {
    return (
      <ReplaysSection
        entries={this._list(chat)}
        trans={this._options.trans}
        isOutdated={key => this.manager.isOutdated(key)}
        onOpen={key => void this.open(key, chat.id)}
        onRestore={key => {
          this.manager.restore(key);
          void this.open(key, chat.id);
        }}
        onExport={key => void this._exportEntry(this.manager.get(key))}
        onCompare={key => void this._compare(this.manager.get(key))}
      />
    );
  }

  /**
   * Replay the request that the panel shows, or that of another turn; errors are shown as
   * notifications.
   */
  async replay(chat: ChatPanel, target?: string): Promise<void> {
    let source: ChatSource;
    try {
      source = await chatSource(chat, target);
    } catch (error) {
      this._tellNotReplayed(chat, error as Error, target);
      return;
    }
    const entry = await this.manager.replay(source);
    if (entry.problem) {
      this._tellNotReplayed(chat, entry.problem, target, source.draft);
    }
    if (entry.current) {
      await this.open(entry.key, chat.id);
    }
  }

  /** Show a replay next to a widget, or where it is already open. */
  async open(key: string, beside: string): Promise<void> {
    const { documents, app } = this._options;
    const widget = openHere(documents, replayPath(key), REPLAY_FACTORY, {
      ref: beside,
      mode: 'tab-after'
    });
    if (widget) {
      app.shell.activateById(widget.id);
      await widget.revealed;
    }
  }

  /** Perform an action of a replay. */
  async act(panel: ReplayPanel, action: ReplayAction): Promise<void> {
    const entry = panel.key === null ? null : this.manager.get(panel.key);
    switch (action) {
      case 'back':
        return this._back(panel, entry?.origin ?? null);
      case 'openEditor':
        return this._openEditor(panel, entry?.origin ?? null);
      case 'startChatting':
        return this.startChatting(panel);
      case 'exportRecord':
        return this._exportEntry(entry);
      case 'rerun':
        await this._options.app.commands.execute(CommandIDs.rerun);
        return;
      case 'showResponse':
        return showRecordedResponse(panel.view.built, this._options.trans);
      case 'restore':
        this.manager.restore(panel.key ?? '');
        return;
      case 'compare':
        return this._compare(entry);
      case 'reset':
        return this._reset(panel, entry);
    }
  }

  /** Start a new chat from a replay, next to its source, and replace the replay's tab. */
  async startChatting(panel: ReplayPanel): Promise<void> {
    const built = panel.view.built;
    const entry = panel.key === null ? null : this.manager.get(panel.key);
    if (!built || entry?.machine.state === 'building') {
      return;
    }
    const { trans, documents, settings } = this._options;
    const { digest } = built.replay.record;
    const from = entry?.origin ?? { chatId: digest, path: panel.context.path };
    const source = from.path;
    const fork = UUID.uuid4();
    const path = await this._files.fork(from, fork, built.replay);
    if (path === null) {
      return;
    }
    if (entry) {
      this.manager.startChatting(entry.key, fork);
    }
    const widget = openHere(documents, path, FACTORY, {
      ref: panel.id,
      mode: 'tab-after'
    }) as unknown as ChatPanel | null;
    if (widget) {
      panel.dispose();
    }
    if (settings.autoSend) {
      // The file decides whether it can be sent at once.
      await widget?.context.ready;
    }
    tellStarted({
      tail: sessionTail(built.replay),
      name: entry?.origin.name ?? chatName(source),
      isSending:
        settings.autoSend &&
        widget?.session.modes.isPaused === false &&
        widget.session.about.asks === null,
      trans
    });
    if (widget) {
      this._options.app.shell.activateById(widget.id);
      if (settings.autoSend) {
        const { record } = built.replay;
        await widget.session.sendPayload(record.payload, recordMarks(record));
      }
      // The settings for all chats apply to what is sent at once, but not to what the user writes.
      widget.session.modes.leaveOff();
    }
  }

  /** Export the record of a replay. */
  async exportRecord(panel: ReplayPanel): Promise<void> {
    await this.act(panel, 'exportRecord');
  }

  private _list(chat: ChatPanel): IReplayEntry[] {
    const { path } = chat.context;
    return this.manager
      .list(chat.session.info?.chatId ?? path)
      .filter(({ machine }) => machine.state !== 'idle');
  }

  private _tellNotReplayed(
    chat: ChatPanel,
    problem: Error,
    target = chat.session.requests.target,
    draft?: RequestDraft
  ): void {
    tellNotReplayed(problem, {
      openEditor: () => void this.openEditor(chat, target),
      ...(draft?.hasEdits ? { resetEdits: () => draft.reset() } : {}),
      trans: this._options.trans
    });
  }

  /** Show the request of a turn in the Request panel. */
  async openEditor(chat: ChatPanel, target = LIVE): Promise<void> {
    const { shell, commands } = this._options.app;
    shell.activateById(chat.id);
    await commands.execute(CommandIDs.openRequest, { pair: target });
  }

  private async _back(
    panel: ReplayPanel,
    origin: IReplayOrigin | null
  ): Promise<void> {
    const chat = await this._source(panel, origin);
    const pair =
      origin?.pair ?? panel.view.built?.replay.lineage.replay_parent_turn_id;
    if (chat && pair !== undefined) {
      goToCell(chat, pair, false);
    }
  }

  private async _openEditor(
    panel: ReplayPanel,
    origin: IReplayOrigin | null
  ): Promise<void> {
    const chat = await this._source(panel, origin);
    if (chat) {
      const pair = origin?.pair;
      const isLive = pair === undefined || chat.session.draft.pair === pair;
      await this.openEditor(chat, isLive ? LIVE : pair);
    }
  }

  /** Show the chat that a fork comes from, at the turn that was replayed. */
  async backFrom(fork: ChatPanel, lineage: ILineage): Promise<void> {
    const chat = await this._sources.ofFork(
      fork,
      String(lineage.replay_parent_session_id)
    );
    if (chat) {
      goToCell(chat, String(lineage.replay_parent_turn_id), false);
    }
  }

  /** Show the chat that a replay comes from; null if it cannot be found. */
  private _source(
    panel: ReplayPanel,
    origin: IReplayOrigin | null
  ): Promise<ChatPanel | null> {
    const lineage = panel.view.built?.replay.lineage;
    return this._sources.ofReplay({
      chatId: origin?.chatId ?? lineage?.replay_parent_session_id,
      path: origin?.path,
      beside: panel.context.path
    });
  }

  private async _exportEntry(entry: IReplayEntry | null): Promise<void> {
    const replay = entry?.current?.replay;
    if (entry && replay) {
      await this._files.exportRecord(entry.origin, replay);
    }
  }

  private async _compare(entry: IReplayEntry | null): Promise<void> {
    const built = entry?.current;
    if (!built?.before) {
      return;
    }
    const { trans } = this._options;
    const { record } = built.replay;
    await showComparison(
      {
        title: trans.__(
          'Changes in replayed prompt %1',
          sessionTail(built.replay)
        ),
        before: { name: trans.__('Before the edits'), text: built.before },
        after: {
          name: trans.__('Replayed, version %1', record.version),
          text: readable(record.payload)
        },
        isJson: true
      },
      trans
    );
  }

  private async _reset(
    panel: ReplayPanel,
    entry: IReplayEntry | null
  ): Promise<void> {
    const chat = await this._source(panel, entry?.origin ?? null);
    if (chat && entry) {
      const { pair } = entry.origin;
      const target = chat.session.draft.pair === pair ? LIVE : pair;
      (await chat.session.requests.draftOf(target)).reset();
    }
  }

  private _changed = new Signal<this, void>(this);
  private _files: ReplayFiles;
  private _options: Replays.IOptions;
  private _sources: SourceChats;
}

/**
 * The namespace for `Replays` statics.
 */
export namespace Replays {
  export interface IOptions {
    app: JupyterFrontEnd;
    api: TurnbookAPI;
    tracker: IOpenChats;
    documents: IDocumentManager;
    manager: ReplayManager;
    settings: ReplaySettings;
    trans: TranslationBundle;
  }
}
