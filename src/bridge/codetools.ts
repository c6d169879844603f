import { Notification } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';

import { errorMessage } from '../base/errors';
import type { IOpenChats } from '../chat/openchats';
import type { ChatPanel } from '../chat/panel';
import { RENDERING, type IRendering } from '../render/renderers';
import { element } from '../ui/dom';
import type { ICodeAction, ICodeActions, ICodeBlock } from './codeaction';
import { blocksOf, runAt } from './replyblock';

const FRAME = 'jp-Turnbook-code';
const TOOLS = 'jp-Turnbook-codeTools';
const ACTION = 'jp-Turnbook-codeAction';

/** Where replies are: the outputs of a pair, columns of several, and the text that streams. */
const REPLY =
  '.jp-OutputArea, .jp-Turnbook-sibling-body, .jp-Turnbook-pairStatus-stream';

/**
 * The buttons on the code blocks of replies, and which block has the focus.
 *
 * A block gets them once it is complete. Replays, earlier versions and notes have none.
 */
export class CodeTools {
  constructor(private _options: CodeTools.IOptions) {
    const { tracker, actions } = _options;
    tracker.forEach(panel => this._watch(panel));
    tracker.widgetAdded.connect((_, panel) => this._watch(panel));
    actions.changed.connect(() => this._redraw());
  }

  /**
   * The block that a command acts on: that with the focus, else the one that had it last in the
   * current chat, else the only one of the active pair.
   */
  get current(): ICodeBlock | null {
    const frame = this.currentFrame;
    return frame && (this._blocks.get(frame) ?? null);
  }

  /** The same as an element. */
  get currentFrame(): HTMLElement | null {
    const { activeElement } = document;
    const focused = activeElement?.closest<HTMLElement>(`.${FRAME}`);
    if (focused && this._blocks.has(focused)) {
      return focused;
    }
    const cell = this._options.tracker.currentWidget?.content.activeCell?.node;
    const last = this._last?.deref();
    if (last?.isConnected && cell?.contains(last)) {
      return last;
    }
    const frames = [...(cell?.querySelectorAll<HTMLElement>(`.${FRAME}`) ?? [])]
      // A reply that has just landed is there twice for a moment, and one of several always is.
      .filter(frame => this._blocks.has(frame) && frame.checkVisibility());
    return frames.length === 1 ? frames[0] : null;
  }

  /** Run an action on a block; what goes wrong is shown. */
  run(action: ICodeAction, block: ICodeBlock): Promise<void> {
    return this.report(action.label, () => action.execute(block));
  }

  /** Do something; what goes wrong is shown. */
  async report(label: string, act: () => void | Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      const reason = errorMessage(error);
      Notification.error(`${label}: ${reason}`, { autoClose: false });
    }
  }

  private _watch(panel: ChatPanel): void {
    const { node } = panel.content;
    node.addEventListener(RENDERING, event =>
      this._onRendering(panel, event as CustomEvent<IRendering>)
    );
    node.addEventListener('focusin', event => {
      const frame = (event.target as Element).closest<HTMLElement>(`.${FRAME}`);
      this._last = frame && new WeakRef(frame);
    });
  }

  private _onRendering(
    panel: ChatPanel,
    { target, detail }: CustomEvent<IRendering>
  ): void {
    const place = target as HTMLElement;
    const pair = place.closest<HTMLElement>('[data-turnbook-pair]');
    const cell = panel.content.pair(pair?.dataset.turnbookPair ?? '');
    const frames = detail.content.querySelectorAll<HTMLElement>(`.${FRAME}`);
    if (!cell || !frames.length || !place.closest(REPLY)) {
      return;
    }
    const blocks = blocksOf({
      panel,
      cell,
      run: runAt(cell, place),
      source: detail.source,
      shown: [...frames],
      trans: this._options.trans
    });
    frames.forEach((frame, index) => {
      const block = blocks[index];
      this._blocks.set(frame, block);
      this._prepare(frame, block);
      this._draw(frame, block);
    });
  }

  /** Let a frame be focused by keyboard, and tell its tooltips when they are about to be seen. */
  private _prepare(frame: HTMLElement, block: ICodeBlock): void {
    const { trans } = this._options;
    frame.tabIndex = 0;
    frame.setAttribute('role', 'group');
    frame.setAttribute(
      'aria-label',
      block.language
        ? trans.__('Code block: %1', block.language)
        : trans.__('Code block')
    );
    const explain = () => this._explain(frame, block);
    frame.addEventListener('pointerenter', explain);
    frame.addEventListener('focusin', explain);
    const tools = frame.querySelector<HTMLElement>(`.${TOOLS}`);
    tools?.setAttribute('role', 'toolbar');
    tools?.setAttribute('aria-label', trans.__('Actions on this code'));
    tools?.addEventListener('keydown', event => moveFocus(tools, event));
  }

  private _draw(frame: HTMLElement, block: ICodeBlock): void {
    const tools = frame.querySelector(`.${TOOLS}`);
    const copy = tools?.querySelector('.jp-Turnbook-copy') ?? null;
    tools?.querySelectorAll(`.${ACTION}`).forEach(node => node.remove());
    for (const action of this._options.actions.of(block)) {
      tools?.insertBefore(this._button(action, block), copy);
    }
  }

  private _button(action: ICodeAction, block: ICodeBlock): HTMLButtonElement {
    const { id, label, icon } = action;
    const button = element('button', ACTION);
    button.type = 'button';
    button.dataset.turnbookAction = id;
    button.setAttribute('aria-label', label);
    // Notebook shortcuts would otherwise capture Enter and Space.
    button.setAttribute('data-lm-suppress-shortcuts', 'true');
    // One stop for the Tab key; arrows go from button to button.
    button.tabIndex = -1;
    if (icon) {
      button.classList.add('jp-mod-icon');
      button.append(icon.element({ tag: 'span', width: '14px' }));
    }
    button.append(element('span', `${ACTION}-label`, label));
    button.addEventListener('click', event => {
      event.stopPropagation();
      void this.run(action, block);
    });
    return button;
  }

  private _explain(frame: HTMLElement, block: ICodeBlock): void {
    const actions = this._options.actions.of(block);
    for (const button of frame.querySelectorAll<HTMLElement>(`.${ACTION}`)) {
      const id = button.dataset.turnbookAction;
      const action = actions.find(one => one.id === id);
      button.title = action?.caption?.(block) ?? action?.label ?? '';
    }
  }

  private _redraw(): void {
    this._options.tracker.forEach(panel => {
      for (const frame of panel.node.querySelectorAll<HTMLElement>(
        `.${FRAME}`
      )) {
        const block = this._blocks.get(frame);
        if (block) {
          this._draw(frame, block);
        }
      }
    });
  }

  private _blocks = new WeakMap<HTMLElement, ICodeBlock>();
  private _last: WeakRef<HTMLElement> | null = null;
}

/**
 * The namespace for `CodeTools` statics.
 */
export namespace CodeTools {
  export interface IOptions {
    tracker: IOpenChats;
    actions: ICodeActions;
    trans: TranslationBundle;
  }
}

/** Move the focus within a block's buttons, by arrow keys. */
function moveFocus(tools: HTMLElement, event: KeyboardEvent): void {
  const buttons = [...tools.querySelectorAll('button')];
  const at = buttons.indexOf(event.target as HTMLButtonElement);
  const { length } = buttons;
  const places: Partial<Record<string, number>> = {
    ArrowLeft: (at - 1 + length) % length,
    ArrowRight: (at + 1) % length,
    Home: 0,
    End: length - 1
  };
  const to = places[event.key];
  if (at !== -1 && to !== undefined) {
    event.preventDefault();
    event.stopPropagation();
    buttons[to].focus();
  }
}
