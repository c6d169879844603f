import { CodeCell, RawCell, type Cell } from '@jupyterlab/cells';
import type { IOutput } from '@jupyterlab/nbformat';
import { Signal, type ISignal } from '@lumino/signaling';
import { Widget, type PanelLayout } from '@lumino/widgets';

import { trans } from '../../base/words';
import {
  CellName,
  pairWords,
  systemWords,
  type INamedCell
} from '../../chat/cells/cellname';
import { ignoreEditable } from '../../labpatch/editablesync';
import { button, element } from '../../ui/dom';
import { isObject } from '../../base/json';
import { shownSections, type IShownSection } from '../model/projection';

const CLASS = 'jp-Turnbook-replayCell';

/** Cells with at least this many characters or lines are folded at first. */
const LONG = { characters: 1500, lines: 18 };

/** A section whose change is shown, and the chip that it is shown next to. */
export interface IHovered {
  section: IShownSection;
  anchor: HTMLElement;
}

/** A cell of a replay. */
export interface IReplayCell extends Cell, INamedCell {
  /**
   * Emitted when the pointer or the focus enters an *Edited* chip, and with null when it leaves.
   */
  readonly hovered: ISignal<IReplayCell, IHovered | null>;
}

/**
 * The line below a replayed cell: where it comes from, what was edited, and a button to unfold it.
 */
class Chips extends Widget {
  constructor(
    cell: IReplayCell,
    hovered: Signal<IReplayCell, IHovered | null>
  ) {
    super();
    this.addClass(`${CLASS}-chips`);
    const sections = shownSections(cell.model.sharedModel.metadata);
    if (sections.some(({ replayed }) => replayed)) {
      this.node.append(
        chip(
          trans.__('replayed'),
          trans.__('Said before; taken from the request')
        )
      );
    }
    for (const section of sections) {
      if (section.kind === 'user') {
        this.node.append(
          chip(trans.__('this message'), trans.__('What the request is for'))
        );
      }
      if (section.edited) {
        this.node.append(this._edited(section, cell, hovered));
      }
      if (section.added) {
        this.node.append(
          chip(
            trans.__('Added%1', roleOf(section)),
            trans.__('A section that was added'),
            'edited'
          )
        );
      }
      for (const [key, value] of Object.entries(section.rest ?? {})) {
        const text = typeof value === 'string' ? value : JSON.stringify(value);
        this.node.append(
          chip(`${key}: ${text}`, trans.__('Sent as %1', key), 'rest')
        );
      }
    }
  }

  private _edited(
    section: IShownSection,
    cell: IReplayCell,
    hovered: Signal<IReplayCell, IHovered | null>
  ): HTMLElement {
    const node = chip(
      trans.__('Edited%1', roleOf(section)),
      trans.__('Hover shows the change'),
      'edited'
    );
    node.tabIndex = 0;
    node.removeAttribute('title');
    node.setAttribute(
      'aria-label',
      trans.__('Edited %1: show the change', section.role)
    );
    const show = () => hovered.emit({ section, anchor: node });
    const hide = () => hovered.emit(null);
    node.addEventListener('mouseenter', show);
    node.addEventListener('mouseleave', hide);
    node.addEventListener('focus', show);
    node.addEventListener('blur', hide);
    return node;
  }
}

/** A button that folds and unfolds a cell. */
class Fold extends Widget {
  constructor(cell: Cell) {
    super();
    this.addClass(`${CLASS}-fold`);
    const toggle = button('', 'jp-Turnbook-link', () => show(!folded));
    let folded = true;
    const show = (fold: boolean) => {
      folded = fold;
      cell.toggleClass('jp-mod-folded', fold);
      toggle.textContent = fold
        ? trans.__('▸ Show all of it')
        : trans.__('▾ Collapse');
      toggle.title = fold
        ? trans.__('Show all of this message')
        : trans.__('Show its beginning');
      toggle.setAttribute('aria-expanded', String(!fold));
    };
    show(true);
    this.node.append(toggle);
  }
}

/** A user's message with the replies that followed it in a request. */
export class ReplayPair extends CodeCell implements IReplayCell {
  constructor(options: CodeCell.IOptions) {
    super({ ...options, placeholder: true });
    this.addClass(CLASS);
    this.addClass('jp-Turnbook-pair');
    this.toggleClass('jp-mod-noSource', !this.model.sharedModel.getSource());
  }

  readonly cellName = new CellName(this.node);

  get hovered(): ISignal<this, IHovered | null> {
    return this._hovered;
  }

  override loadEditableState(): void {
    return;
  }

  protected override initializeDOM(): void {
    if (!this.placeholder) {
      return;
    }
    super.initializeDOM();
    finish(this, this._hovered);
  }

  private _hovered = new Signal<this, IHovered | null>(this);
}

/** A system message of a request. */
export class ReplaySystem extends RawCell implements IReplayCell {
  constructor(options: RawCell.IOptions) {
    super({ ...options, placeholder: true });
    this.addClass(CLASS);
    this.addClass('jp-Turnbook-system');
  }

  readonly cellName = new CellName(this.node);

  get hovered(): ISignal<this, IHovered | null> {
    return this._hovered;
  }

  override loadEditableState(): void {
    return;
  }

  protected override initializeDOM(): void {
    super.initializeDOM();
    this.setPrompt('system');
    finish(this, this._hovered);
  }

  private _hovered = new Signal<this, IHovered | null>(this);
}

function finish<T extends IReplayCell>(
  cell: T,
  hovered: Signal<T, IHovered | null>
): void {
  cell.readOnly = true;
  const [message, ...replies] = textsOf(cell);
  const reply = replies.join('\n');
  cell.cellName.say(
    cell.model.type === 'raw'
      ? systemWords(message)
      : pairWords({ message, reply, model: '', state: 'idle' })
  );
  const layout = cell.layout as PanelLayout;
  const add = (widget: Widget) =>
    layout.insertWidget(layout.widgets.length - 1, widget);
  if (isLong(cell)) {
    add(new Fold(cell));
  }
  add(
    new Chips(cell, hovered as unknown as Signal<IReplayCell, IHovered | null>)
  );
}

/** The text of a cell, and those of the replies in it. */
function textsOf({ model }: Cell): string[] {
  const outputs = (model.toJSON().outputs ?? []) as unknown as IOutput[];
  return [
    model.sharedModel.getSource(),
    ...outputs.map(({ data }) =>
      String(isObject(data) ? data['text/markdown'] : '')
    )
  ];
}

/** System messages and long messages are folded at first. */
function isLong(cell: Cell): boolean {
  const { model } = cell;
  const text = textsOf(cell).join('\n');
  return (
    text.length > LONG.characters ||
    text.split('\n').length > LONG.lines ||
    (model.type === 'raw' && (text.length > 120 || text.includes('\n')))
  );
}

function chip(text: string, title: string, kind = 'plain'): HTMLElement {
  const node = element('span', `jp-Turnbook-chip jp-mod-${kind}`, text);
  node.title = title;
  return node;
}

/** A pair's chip names the message that it is about. */
function roleOf({ role }: IShownSection): string {
  return role === 'system' || role === 'developer' ? '' : ` · ${role}`;
}

ignoreEditable(ReplayPair);
ignoreEditable(ReplaySystem);
