import * as React from 'react';

import { errorMessage } from '../base/errors';
import type { IMessage } from '../base/message';
import { RequestError } from '../request/errors';
import { valueAt } from '../request/leaves';
import type { ISection, LeafPath, PartialJSONValue } from '../request/model';
import { ROLES } from '../request/problems';
import { JsonEditor, type IPlace } from '../ui/jsoneditor';
import { JsonTree } from './jsontree';
import { useWords } from '../ui/language';
import { useOutside } from '../ui/useoutside';
import { LeafText, type ITextSource } from './leaftext';
import { mediaAt, MediaLeaf, shortened, type IShortened } from './medialeaf';
import { isPlain, withoutReasoning, type SectionViewKind } from './sectionview';
import { syntaxPlaces } from './jsonsyntax';

/** The part of a draft that a section's body uses. */
export interface ISectionDraft extends ITextSource {
  setLeaf(section: string, path: LeafPath, value: PartialJSONValue): void;
  removeLeaf(section: string, path: LeafPath): void;
  setMessage(section: string, message: IMessage): void;
}

/** The content of an open section: its text, its leaves, or its JSON. */
export function SectionBody(props: {
  draft: ISectionDraft;
  section: ISection;
  view: SectionViewKind;
  diff: boolean;
  label: string;
  actions: { focus(id: string, by: number): void };
}): JSX.Element {
  const { draft, section, view, diff, label, actions } = props;
  const { id, original } = section;
  const message = withoutReasoning(section.message);
  const [problem, setProblem] = React.useState<string | null>(null);
  if (view === 'json') {
    return <MessageJson draft={draft} section={section} label={label} />;
  }
  const leave = () => actions.focus(id, 0);
  const guarded = (act: () => void) => {
    try {
      act();
      setProblem(null);
    } catch (error) {
      if (!(error instanceof RequestError)) {
        throw error;
      }
      setProblem(error.message);
    }
  };
  const text = (path: LeafPath, value: string) => {
    const before = original
      ? valueAt(original as PartialJSONValue, path)
      : undefined;
    return (
      <LeafText
        key={path.join('/')}
        draft={draft}
        section={id}
        path={path}
        value={value}
        original={typeof before === 'string' ? before : null}
        diff={diff}
        label={isPlain(message) ? label : `${label}: ${path.join('.')}`}
        onLeave={leave}
      />
    );
  };
  const media = (path: LeafPath, value: string) => {
    const found = mediaAt(message as PartialJSONValue, path, value);
    return found && <MediaLeaf media={found} />;
  };
  if (isPlain(message)) {
    return (
      <div className="jp-Turnbook-section-body">
        {text(['content'], message.content as string)}
      </div>
    );
  }
  return (
    <div className="jp-Turnbook-section-body">
      <JsonTree
        label={label}
        value={message as PartialJSONValue}
        levels={4}
        text={(path, value) =>
          isRole(path) ? (
            <RoleSelect
              label={`${label}: role`}
              role={value}
              onChange={role => guarded(() => draft.setLeaf(id, path, role))}
            />
          ) : (
            (media(path, value) ?? text(path, value))
          )
        }
        isFixed={isRole}
        onSet={(path, value) => guarded(() => draft.setLeaf(id, path, value))}
        onRemove={path => guarded(() => draft.removeLeaf(id, path))}
      />
      <div role="alert" className="jp-Turnbook-problem">
        {problem}
      </div>
    </div>
  );
}

function isRole(path: LeafPath): boolean {
  return path.length === 1 && path[0] === 'role';
}

function RoleSelect(props: {
  label: string;
  role: string;
  onChange: (role: string) => void;
}): JSX.Element {
  const { label, role } = props;
  const isKnown = ROLES.some(one => one === role);
  return (
    <select
      aria-label={label}
      value={role}
      onChange={event => props.onChange(event.target.value)}
    >
      {!isKnown && <option>{role}</option>}
      {ROLES.map(one => (
        <option key={one}>{one}</option>
      ))}
    </select>
  );
}

/** A message as JSON; the draft changes whenever the text is a valid message. */
function MessageJson(props: {
  draft: ISectionDraft;
  section: ISection;
  label: string;
}): JSX.Element {
  const { draft, section, label } = props;
  const trans = useWords();
  const id = React.useId();
  const [short, setShort] = React.useState(() => written(section.message));
  const [text, setText] = React.useState(short.text);
  const [problem, setProblem] = React.useState<string | null>(null);
  const wrote = useOutside(section.message, isSame, () => {
    const next = written(section.message);
    setShort(next);
    setText(next.text);
    setProblem(null);
  });
  const take = (next: string) => {
    setText(next);
    const places = syntaxPlaces(next, trans);
    if (places.length) {
      setProblem(places[0].message);
      return;
    }
    try {
      const message = JSON.parse(short.whole(next)) as IMessage;
      draft.setMessage(section.id, message);
      wrote(message);
      setProblem(null);
    } catch (error) {
      setProblem(errorMessage(error));
    }
  };
  return (
    <div className="jp-Turnbook-section-body">
      <JsonEditor
        label={trans.__('%1 as JSON', label)}
        text={text}
        check={value => check(value, problem)}
        describedBy={id}
        onChange={take}
      />
      <div id={id} role="alert" className="jp-Turnbook-problem">
        {problem && trans.__('%1 The last valid version is sent.', problem)}
      </div>
    </div>
  );

  function check(value: string, told: string | null): IPlace[] {
    const places = syntaxPlaces(value, trans);
    return places.length || told === null
      ? places
      : [{ from: 0, to: value.length, message: told }];
  }
}

function isSame(a: IMessage, b: IMessage): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

function written(message: IMessage): IShortened {
  return shortened(message as PartialJSONValue);
}
