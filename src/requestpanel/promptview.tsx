import * as React from 'react';

import type { IMessage } from '../base/message';
import type { IEditedRequest, ISection } from '../request/model';
import type { RequestDraft } from '../request/draft';
import { ROLES } from '../request/problems';
import { showComparison } from '../ui/comparison';
import { TextButton } from '../ui/controls';
import { useWords } from '../ui/language';
import { LastTimeLine, type ILastTimeLine } from './lasttimeline';
import type { PanelState } from './panelstate';
import { SectionRow, type ISectionActions } from './sectionrow';
import { opensAtFirst, sectionName, withoutReasoning } from './sectionview';
import { VirtualList, type IVirtualList } from '../ui/virtuallist';

export interface IPromptViewProps {
  draft: RequestDraft;
  request: IEditedRequest;
  state: PanelState;
  /** The token count of a message. */
  count(message: IMessage): number;
  /** The context window of the model, in tokens. */
  window: number;
  /** What of it is the same as in the last request; null if that is unknown. */
  lastTime: ILastTimeLine | null;
  /** Whether a section's edit can be applied to later sends. */
  canKeep(section: ISection): boolean;
  keep(section: ISection): void;
  reveal(cell: string): void;
}

/** The sections of a request, in the order of sending. */
export function PromptView(props: IPromptViewProps): JSX.Element {
  const { draft, request, state } = props;
  const trans = useWords();
  const list = React.useRef<IVirtualList>(null);
  const root = React.useRef<HTMLDivElement>(null);
  const [, redraw] = React.useReducer((n: number) => n + 1, 0);
  const [pinned, setPinned] = React.useState<string | null>(null);
  const { sections } = request;
  const ids = React.useMemo(() => sections.map(({ id }) => id), [sections]);
  const latest = React.useRef(props);
  latest.current = props;

  const focusRow = React.useCallback(
    (id: string) => {
      state.current = id;
      setPinned(id);
      list.current?.reveal(id);
      redraw();
      // The row may not be rendered yet.
      requestAnimationFrame(() => {
        const row = root.current?.querySelector<HTMLElement>(
          `[data-turnbook-section="${CSS.escape(id)}"] .jp-Turnbook-section-name`
        );
        row?.focus();
      });
    },
    [state]
  );
  const add = React.useCallback(
    (role: string, before: string | null) => {
      const id = latest.current.draft.add({ role, content: '', before });
      state.open.set(id, true);
      focusRow(id);
    },
    [state, focusRow]
  );
  const actions = React.useMemo<ISectionActions>(() => {
    const all = () => latest.current.request.sections;
    const find = (id: string) => all().find(section => section.id === id)!;
    const now = () => latest.current.draft;
    return {
      toggle: id => {
        state.open.set(id, !isOpen(state, find(id)));
        state.current = id;
        redraw();
      },
      toggleReasoning: id => {
        const key = reasoningKey(id);
        state.open.set(key, !(state.open.get(key) ?? false));
        state.current = id;
        redraw();
      },
      setView: (id, view) => {
        state.views.set(id, view);
        state.open.set(id, true);
        redraw();
      },
      remove: id => {
        now().remove(id);
        focusRow(id);
      },
      restore: id => {
        now().restore(id);
        focusRow(id);
      },
      reset: id => {
        now().reset(id);
        focusRow(id);
      },
      step: (id, by) => {
        const there = all().filter(({ conflict }) => conflict !== 'hidden');
        const place = there.findIndex(section => section.id === id);
        const before = there[by === -1 ? place - 1 : place + 2]?.id ?? null;
        if (by === -1 ? place > 0 : place < there.length - 1) {
          now().move(id, before);
          focusRow(id);
        }
      },
      drop: (id, before) => {
        const isThere = before !== null && find(before).conflict !== 'hidden';
        now().move(id, isThere ? before : null);
        focusRow(id);
      },
      addBelow: id => {
        const place = all().findIndex(section => section.id === id);
        add(all()[place].message.role, all()[place + 1]?.id ?? null);
      },
      compare: id => {
        const section = find(id);
        const text = comparable(section);
        void showComparison(
          {
            title: sectionName(section, trans),
            before: { name: trans.__('Original'), text: text.before },
            after: { name: trans.__('Edited'), text: text.after },
            isJson: text.isJson
          },
          trans
        );
      },
      confirm: id => now().confirm(id),
      keep: id => latest.current.keep(find(id)),
      reveal: cell => latest.current.reveal(cell),
      focus: (id, by) => {
        const place = all().findIndex(section => section.id === id);
        const to = Math.max(0, Math.min(all().length - 1, place + by));
        focusRow(all()[to].id);
      }
    };
  }, [state, add, focusRow, trans]);

  if (!sections.length) {
    return (
      <div className="jp-Turnbook-panel-empty">
        {trans.__('No message would be sent.')}
      </div>
    );
  }
  const current =
    state.current !== null && ids.includes(state.current)
      ? state.current
      : ids[0];
  const byId = new Map(sections.map(section => [section.id, section]));
  return (
    <div
      ref={root}
      className="jp-Turnbook-prompt"
      onFocus={event => {
        const row = (event.target as HTMLElement).closest<HTMLElement>(
          '[data-turnbook-row]'
        );
        setPinned(row?.dataset.turnbookRow ?? null);
      }}
    >
      <VirtualList
        ref={list}
        label={trans.__('Sections of the prompt')}
        ids={ids}
        pinned={pinned}
        row={(id, index) => {
          const section = byId.get(id)!;
          const tokens = props.count(section.message);
          const rest = withoutReasoning(section.message);
          return (
            <>
              {props.lastTime?.before === id && (
                <LastTimeLine words={props.lastTime.words} />
              )}
              <SectionRow
                draft={draft}
                section={section}
                tokens={tokens}
                reasoning={
                  rest === section.message
                    ? null
                    : Math.max(0, tokens - props.count(rest))
                }
                reasoningOpen={state.open.get(reasoningKey(id)) ?? false}
                share={props.window ? tokens / props.window : 0}
                open={isOpen(state, section)}
                view={state.views.get(id) ?? 'leaves'}
                diff={state.diff}
                current={id === current}
                first={index === 0}
                last={index === ids.length - 1}
                next={ids[index + 1] ?? null}
                canKeep={props.canKeep(section)}
                actions={actions}
              />
            </>
          );
        }}
      />
      {props.lastTime?.before === null && (
        <LastTimeLine words={props.lastTime.words} />
      )}
      <AddSection onAdd={role => add(role, null)} />
    </div>
  );
}

function AddSection(props: { onAdd: (role: string) => void }): JSX.Element {
  const trans = useWords();
  const [role, setRole] = React.useState('user');
  return (
    <div className="jp-Turnbook-addSection">
      <TextButton
        link
        label={trans.__('Add section')}
        title={trans.__('Add a section at the end of the request')}
        onClick={() => props.onAdd(role)}
      />
      <select
        aria-label={trans.__('Role of the new section')}
        title={trans.__('Role of the new section')}
        value={role}
        onChange={event => setRole(event.target.value)}
      >
        {ROLES.map(one => (
          <option key={one}>{one}</option>
        ))}
      </select>
    </div>
  );
}

/** The key of a section's reasoning among what is open. */
function reasoningKey(id: string): string {
  return `${id}\nreasoning`;
}

function isOpen(state: PanelState, section: ISection): boolean {
  return (
    !section.deleted && (state.open.get(section.id) ?? opensAtFirst(section))
  );
}

/** A section as two texts to compare; as JSON unless only its text changed. */
function comparable(section: ISection) {
  const { original, message } = section;
  const [before, after] = [original?.content, message.content];
  const rest = (value: IMessage | null) =>
    JSON.stringify({ ...value, content: null });
  return typeof before === 'string' &&
    typeof after === 'string' &&
    rest(original) === rest(message)
    ? { before, after, isJson: false }
    : {
        before: JSON.stringify(original, null, 2) ?? '',
        after: JSON.stringify(message, null, 2),
        isJson: true
      };
}
