import type { DocumentRegistry } from '@jupyterlab/docregistry';
import { NotebookPanel, type INotebookModel } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { Message } from '@lumino/messaging';
import { Signal, type ISignal } from '@lumino/signaling';
import { BoxLayout, Widget } from '@lumino/widgets';
import * as React from 'react';

import { trans } from '../../base/words';
import { element } from '../../ui/dom';
import { replayIcon } from '../../ui/icons';
import {
  ReplayBanner,
  type IReplayActions,
  type IReplayChoice
} from './banner';
import type { IHovered } from './cell';
import { ChangeTip } from './change';
import { shortTitle } from '../../document/title';
import { replayKeyOf } from '../model/drive';
import { FittedWidget } from './fitted';
import { LatestInSight } from '../model/latest';
import type { ReplayManager } from '../model/manager';
import type { ReplayNotebook } from './notebook';
import { payloadMessages, project } from '../model/projection';
import type { ReplayModel } from './readonly';
import { sessionTail } from '../model/record';
import { viewOfEntry, viewOfFile, type IReplayView } from './view';

/** An action of a replay. */
export type ReplayAction = keyof IReplayActions;

/** A replay: the content of a request, cell by cell, read-only. */
export class ReplayPanel extends NotebookPanel {
  constructor(options: ReplayPanel.IOptions) {
    super({ context: options.context, content: options.content });
    this.addClass('jp-Turnbook-replay');
    this._manager = options.manager;
    this._cap = options.cap;
    this.key = replayKeyOf(this.context.path);
    this._view = viewOfEntry(null);
    this.contentHeader.addWidget(this._createBanner(options));
    const layout = this.layout as BoxLayout;
    const composer = new Explanation(options.trans);
    layout.addWidget(composer);
    BoxLayout.setStretch(composer, 0);
    this.title.icon = replayIcon;
    // JupyterLab would rename the file when the title changes.
    Signal.disconnectBetween(this.title, this);
    this.toolbar.hide();

    const { outerNode, viewportNode } = this.content;
    this._latest = new LatestInSight(outerNode, viewportNode);
    this.content.hovered.connect(this._onHovered, this);
    this.content.moreRequested.connect(() => {
      this._isExpanded = !this._isExpanded;
      this._shown = null;
      this.refresh();
    });
    this._manager.changed.connect(this._onChanged, this);
    void this.context.ready.then(() => {
      if (!this.isDisposed) {
        if (this.key !== null) {
          this._manager.setOpen(this.key, true);
        }
        this.refresh();
      }
    });
  }

  override get content(): ReplayNotebook {
    return super.content as ReplayNotebook;
  }

  /** The key of the replay; null for a record file. */
  readonly key: string | null;

  /** What is shown. */
  get view(): IReplayView {
    return this._view;
  }

  /** Emitted when something else is shown. */
  get viewChanged(): ISignal<this, void> {
    return this._viewChanged;
  }

  /** Emitted with an action that the user requests. */
  get requested(): ISignal<this, ReplayAction> {
    return this._requested;
  }

  /** Emitted with the key of another replay that the user selects. */
  get chosen(): ISignal<this, string> {
    return this._chosen;
  }

  /** Request an action, as the buttons do. */
  request(action: ReplayAction): void {
    this._requested.emit(action);
  }

  /** Show the current state of the replay. */
  refresh(): void {
    this._view =
      this.key === null
        ? viewOfFile((this.model as unknown as ReplayModel).file)
        : viewOfEntry(this._manager.get(this.key));
    const replay = this._view.built?.replay ?? null;
    const record = replay?.record ?? null;
    if (this.key !== null && replay) {
      const { from } = this._view;
      this.title.label = from
        ? trans.__('Replay of %1 · turn %2', shortTitle(from.name), from.turn)
        : trans.__('Replay of %1', sessionTail(replay));
    } else if (this._view.status.name === 'cleared') {
      this.title.label = trans.__('Replay cleared');
    }
    this.toggleClass('jp-mod-cleared', record === null);
    // What is learned about the turn later changes no cell.
    const shown = record && `${record.version} ${record.hash}`;
    if (shown !== this._shown || !record) {
      this._shown = shown;
      this._fill();
    }
    this._viewChanged.emit();
  }

  override dispose(): void {
    if (this.isDisposed) {
      return;
    }
    if (this.key !== null) {
      this._manager.setOpen(this.key, false);
    }
    this._manager.changed.disconnect(this._onChanged, this);
    this._latest.dispose();
    this._tip.dispose();
    super.dispose();
  }

  protected override onActivateRequest(msg: Message): void {
    super.onActivateRequest(msg);
    this.content.mode = 'command';
    this.content.activate();
  }

  protected override onAfterHide(msg: Message): void {
    super.onAfterHide(msg);
    this._tip.display(null);
  }

  private _fill(): void {
    const record = this._view.built?.replay.record ?? null;
    const model = this.model as unknown as ReplayModel | null;
    const { scrollTop } = this.content.outerNode;
    const cap = this._isExpanded ? Infinity : this._cap();
    model?.show(record ? project(record, cap) : []);
    const count = record?.sections.length ?? 0;
    const isLong = count > this._cap();
    this.content.showMore(
      isLong ? (this._isExpanded ? 0 : count - this._cap()) : null
    );
    if (!this._latest.isKept) {
      this.content.outerNode.scrollTop = scrollTop;
    }
    this._number();
  }

  /** Number the turns in the margin, from 1. */
  private _number(): void {
    let turn = 0;
    for (const cell of this.content.widgets) {
      if (cell.model.type === 'code') {
        const label = String(++turn);
        void cell.ready.then(() => cell.isDisposed || cell.setPrompt(label));
      }
    }
  }

  private _createBanner(
    options: Pick<ReplayPanel.IOptions, 'canEdit' | 'trans'>
  ): Banner {
    const { canEdit, trans } = options;
    const ask = (action: ReplayAction) => () => this.request(action);
    const actions: IReplayActions = {
      back: ask('back'),
      startChatting: ask('startChatting'),
      exportRecord: ask('exportRecord'),
      rerun: ask('rerun'),
      showResponse: ask('showResponse'),
      restore: ask('restore'),
      compare: ask('compare'),
      reset: ask('reset')
    };
    return new Banner(
      () => (
        <ReplayBanner
          view={this._view}
          actions={
            canEdit() ? { ...actions, openEditor: ask('openEditor') } : actions
          }
          choices={this._choices}
          chosen={this.key}
          onChoose={key => this._chosen.emit(key)}
          trans={trans}
        />
      ),
      this._viewChanged
    );
  }

  private _onChanged(_: ReplayManager, key: string): void {
    if (!this.context.isReady || this.key === null) {
      return;
    }
    if (key === this.key) {
      this.refresh();
    } else {
      // Another turn of the chat may have got a replay.
      this._viewChanged.emit();
    }
  }

  /** The turns of the chat that have replays. */
  private get _choices(): IReplayChoice[] {
    const entry = this.key === null ? null : this._manager.get(this.key);
    return entry
      ? this._manager
          .list(entry.origin.chatId)
          .filter(({ machine }) => machine.state !== 'idle')
          .map(({ key, origin, current }) => ({
            key,
            turn: origin.turn,
            version: current?.replay.record.version ?? null
          }))
      : [];
  }

  private _onHovered(_: ReplayNotebook, hovered: IHovered | null): void {
    const built = this._view.built;
    const before = hovered && built?.originals[hovered.section.index];
    if (!hovered || !built || !before) {
      this._tip.display(null);
      return;
    }
    if (!this._tip.isAttached) {
      Widget.attach(this._tip, document.body);
    }
    const after = payloadMessages(built.replay.record.payload)[
      hovered.section.index
    ];
    this._tip.display({ before, after, anchor: hovered.anchor });
  }

  private _cap: () => number;
  private _chosen = new Signal<this, string>(this);
  private _isExpanded = false;
  private _latest: LatestInSight;
  private _manager: ReplayManager;
  private _requested = new Signal<this, ReplayAction>(this);
  private _shown: string | null = null;
  private _tip = new ChangeTip();
  private _view: IReplayView;
  private _viewChanged = new Signal<this, void>(this);
}

/**
 * The namespace for `ReplayPanel` statics.
 */
export namespace ReplayPanel {
  export interface IOptions {
    context: DocumentRegistry.IContext<INotebookModel>;
    content: ReplayNotebook;
    manager: ReplayManager;
    /** How many sections are shown at first. */
    cap: () => number;
    /** Whether the Request panel is enabled. */
    canEdit: () => boolean;
    trans: TranslationBundle;
  }
}

/** The banner above the cells. */
class Banner extends FittedWidget {
  constructor(
    private _draw: () => JSX.Element,
    changed: ISignal<unknown, void>
  ) {
    super();
    changed.connect(() => this.update());
  }

  protected override render(): JSX.Element {
    return this._draw();
  }
}

/** Takes the place of the composer and says why nothing can be written. */
class Explanation extends Widget {
  constructor(trans: TranslationBundle) {
    super();
    this.addClass('jp-Turnbook-composer');
    this.addClass('jp-mod-off');
    const text = element('textarea', 'jp-Turnbook-composer-text');
    text.disabled = true;
    text.rows = 1;
    text.setAttribute('aria-label', trans.__('Message'));
    text.placeholder = trans.__(
      'This replay is read-only. Start chatting to continue from here in a new notebook.'
    );
    this.node.append(text);
  }
}
