import {
  addIcon,
  deleteIcon,
  moveDownIcon,
  moveUpIcon,
  undoIcon
} from '@jupyterlab/ui-components';
import * as React from 'react';

import { bracesIcon, compareIcon } from '../ui/icons';
import type { ISection } from '../request/model';
import { Chip, IconButton, TextButton } from '../ui/controls';
import { useWords } from '../ui/language';
import { SectionBody, type ISectionDraft } from './sectionbody';
import { ReasoningRow } from './reasoningrow';
import { idTail, sectionName, type SectionViewKind } from './sectionview';

export interface ISectionActions {
  toggle(id: string): void;
  /** Open or close the reasoning in a section. */
  toggleReasoning(id: string): void;
  setView(id: string, view: SectionViewKind): void;
  remove(id: string): void;
  restore(id: string): void;
  reset(id: string): void;
  /** Move by one position. */
  step(id: string, by: -1 | 1): void;
  /** Move before another section. */
  drop(id: string, before: string | null): void;
  addBelow(id: string): void;
  compare(id: string): void;
  confirm(id: string): void;
  /** Apply the section's edit to later sends. */
  keep(id: string): void;
  reveal(cell: string): void;
  /** Focus the row of a section, or the one at this distance from it. */
  focus(id: string, by: number): void;
}

export interface ISectionRowProps {
  draft: ISectionDraft;
  section: ISection;
  tokens: number;
  /** The tokens of the reasoning among them; null if there is none. */
  reasoning: number | null;
  reasoningOpen: boolean;
  /** The share of the model's window, from 0 to 1. */
  share: number;
  open: boolean;
  view: SectionViewKind;
  diff: boolean;
  /** Whether this row is the tab stop of the list. */
  current: boolean;
  first: boolean;
  last: boolean;
  canKeep: boolean;
  next: string | null;
  actions: ISectionActions;
}

/** Created once: `toLocaleString` creates one for each number. */
const NUMBER = new Intl.NumberFormat('en');

const DRAG_TYPE = 'application/vnd.turnbook.section';

/** One section of the prompt. */
export const SectionRow = React.memo((props: ISectionRowProps): JSX.Element => {
  const { section, tokens, open, actions, current } = props;
  const { id, deleted } = section;
  const trans = useWords();
  const [over, setOver] = React.useState<'before' | 'after' | null>(null);
  const [isPointedAt, setPointedAt] = React.useState(false);
  const [hasFocus, setFocus] = React.useState(false);
  const name = sectionName(section, trans);
  const drop = (event: React.DragEvent) => {
    const dragged = event.dataTransfer.getData(DRAG_TYPE);
    setOver(null);
    if (dragged && dragged !== id) {
      event.preventDefault();
      actions.drop(dragged, over === 'after' ? props.next : id);
    }
  };
  return (
    <div
      className="jp-Turnbook-section"
      data-turnbook-section={id}
      data-turnbook-kind={section.kind}
      data-turnbook-deleted={deleted || undefined}
      data-turnbook-over={over ?? undefined}
      onDragOver={event => {
        if (event.dataTransfer.types.includes(DRAG_TYPE)) {
          event.preventDefault();
          const { top, height } = event.currentTarget.getBoundingClientRect();
          setOver(event.clientY < top + height / 2 ? 'before' : 'after');
        }
      }}
      onDragLeave={() => setOver(null)}
      onDrop={drop}
    >
      <div
        className="jp-Turnbook-section-header"
        draggable
        onMouseEnter={() => setPointedAt(true)}
        onMouseLeave={() => setPointedAt(false)}
        onFocus={() => setFocus(true)}
        onBlur={event =>
          setFocus(event.currentTarget.contains(event.relatedTarget))
        }
        onDragStart={event => {
          event.dataTransfer.setData(DRAG_TYPE, id);
          event.dataTransfer.effectAllowed = 'move';
        }}
      >
        <button
          type="button"
          className="jp-Turnbook-section-name jp-Turnbook-caret"
          aria-expanded={deleted ? undefined : open}
          tabIndex={current ? 0 : -1}
          title={[
            name,
            trans.__('Alt+↑ and Alt+↓ move it, Delete deletes it')
          ].join('\n')}
          onClick={() => actions.toggle(id)}
          onKeyDown={event => onKey(event, props)}
        >
          <span>{name}</span>
        </button>
        <Chips section={section} />
        <span className="jp-Turnbook-spacer" />
        {!deleted && (isPointedAt || hasFocus) && <Tools {...props} />}
        {section.cell !== null && (
          <button
            type="button"
            className="jp-Turnbook-link jp-Turnbook-section-cell"
            title={trans.__('Go to the cell')}
            aria-label={trans.__('Go to cell %1', idTail(section.cell))}
            onClick={() => actions.reveal(section.cell!)}
          >
            {`#${idTail(section.cell)}`}
          </button>
        )}
        {deleted ? (
          <TextButton
            link
            label={trans.__('Restore')}
            onClick={() => actions.restore(id)}
          />
        ) : (
          <span
            className="jp-Turnbook-section-tokens"
            title={trans.__(
              '%1 tokens, %2% of the window',
              NUMBER.format(tokens),
              (props.share * 100).toFixed(1)
            )}
          >
            {NUMBER.format(tokens)}
          </span>
        )}
      </div>
      {!deleted && (
        <>
          {props.canKeep && <Keep id={id} actions={actions} />}
          {section.conflict && <Conflict section={section} actions={actions} />}
          {props.reasoning !== null && (
            <ReasoningRow
              {...props}
              open={props.reasoningOpen}
              tokens={NUMBER.format(props.reasoning)}
              label={name}
            />
          )}
          {open && <SectionBody {...props} label={name} />}
          <div className="jp-Turnbook-share" aria-hidden="true">
            <div style={{ width: `${Math.min(100, props.share * 100)}%` }} />
          </div>
        </>
      )}
    </div>
  );
});
SectionRow.displayName = 'SectionRow';

function Chips({ section }: { section: ISection }): JSX.Element {
  const trans = useWords();
  const { edited, deleted, added, origin } = section;
  return (
    <span className="jp-Turnbook-section-chips">
      {deleted && <Chip kind="deleted">{trans.__('Deleted')}</Chip>}
      {added && <Chip kind="added">{trans.__('Added')}</Chip>}
      {edited && !added && !deleted && (
        <Chip kind="edited">{trans.__('Edited')}</Chip>
      )}
      {origin !== null && (
        <Chip
          kind="plain"
          title={trans.__('By a rule of Auto-apply: %1', origin)}
        >
          {trans.__('auto')}
        </Chip>
      )}
    </span>
  );
}

function Keep(props: { id: string; actions: ISectionActions }): JSX.Element {
  const trans = useWords();
  return (
    <div className="jp-Turnbook-section-conflict">
      <TextButton
        link
        label={trans.__('Keep')}
        title={trans.__('Apply this edit to later sends too')}
        onClick={() => props.actions.keep(props.id)}
      />
      <span>{trans.__('this edit for later sends')}</span>
    </div>
  );
}

function Conflict(props: {
  section: ISection;
  actions: ISectionActions;
}): JSX.Element {
  const { section, actions } = props;
  const trans = useWords();
  return (
    <div className="jp-Turnbook-section-conflict" role="status">
      <Chip kind="warning">{trans.__('source changed')}</Chip>
      <span>
        {section.conflict === 'hidden'
          ? trans.__('Its cell is not visible any more. Your edit is not sent.')
          : trans.__('Its cell changed since. Your edit is not sent.')}
      </span>
      <TextButton
        link
        label={trans.__('Confirm')}
        title={trans.__('Send the edit anyway')}
        onClick={() => actions.confirm(section.id)}
      />
      <TextButton
        link
        label={trans.__('Drop the edit')}
        onClick={() => actions.reset(section.id)}
      />
    </div>
  );
}

/** Rendered only where needed: icons are most of a row's cost. */
function Tools(props: ISectionRowProps): JSX.Element {
  const { section, actions, view, open } = props;
  const { id } = section;
  const trans = useWords();
  return (
    <span className="jp-Turnbook-section-tools">
      {section.edited && section.original !== null && (
        <>
          <IconButton
            icon={compareIcon}
            label={trans.__('Compare with the original')}
            onClick={() => actions.compare(id)}
          />
          <IconButton
            icon={undoIcon}
            label={trans.__('Reset section')}
            onClick={() => actions.reset(id)}
          />
        </>
      )}
      <IconButton
        icon={bracesIcon}
        label={trans.__('As JSON')}
        pressed={open && view === 'json'}
        onClick={() => actions.setView(id, view === 'json' ? 'leaves' : 'json')}
      />
      <IconButton
        icon={moveUpIcon}
        label={trans.__('Move up')}
        hint="Alt+↑"
        disabled={props.first}
        onClick={() => actions.step(id, -1)}
      />
      <IconButton
        icon={moveDownIcon}
        label={trans.__('Move down')}
        hint="Alt+↓"
        disabled={props.last}
        onClick={() => actions.step(id, 1)}
      />
      <IconButton
        icon={addIcon}
        label={trans.__('Add section below')}
        onClick={() => actions.addBelow(id)}
      />
      <IconButton
        icon={deleteIcon}
        label={trans.__('Delete section')}
        onClick={() => actions.remove(id)}
      />
    </span>
  );
}

function onKey(event: React.KeyboardEvent, props: ISectionRowProps): void {
  const { actions, section, open } = props;
  const { id } = section;
  const moves = event.altKey;
  const acts: Record<string, () => void> = {
    ArrowUp: () => (moves ? actions.step(id, -1) : actions.focus(id, -1)),
    ArrowDown: () => (moves ? actions.step(id, 1) : actions.focus(id, 1)),
    Home: () => actions.focus(id, -Infinity),
    End: () => actions.focus(id, Infinity),
    PageUp: () => actions.focus(id, -10),
    PageDown: () => actions.focus(id, 10),
    ArrowRight: () => !open && actions.toggle(id),
    ArrowLeft: () => open && actions.toggle(id),
    Delete: () => actions.remove(id)
  };
  const act = acts[event.key];
  if (act && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    event.stopPropagation();
    act();
  }
}
