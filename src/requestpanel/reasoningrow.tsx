import { deleteIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import { isObject } from '../base/json';
import { valueAt } from '../request/leaves';
import type { ISection, LeafPath, PartialJSONValue } from '../request/model';
import { bytesText } from '../ui/bytes';
import { IconButton } from '../ui/controls';
import { useWords } from '../ui/language';
import { LeafText } from './leaftext';
import type { ISectionDraft } from './sectionbody';
import { reasoningFields } from './sectionview';

export interface IReasoningRowProps {
  draft: ISectionDraft;
  section: ISection;
  /** The name of the section that it belongs to. */
  label: string;
  tokens: string;
  open: boolean;
  diff: boolean;
  /** Whether its section is the tab stop of the list. */
  current: boolean;
  actions: {
    focus(id: string, by: number): void;
    toggleReasoning(id: string): void;
  };
}

/** What the model thought before a message, which is sent as a part of it. */
export function ReasoningRow(props: IReasoningRowProps): JSX.Element {
  const { draft, section, label, open, actions } = props;
  const trans = useWords();
  const name = trans.__('reasoning');
  const fields = reasoningFields(section.message);
  return (
    <div
      className="jp-Turnbook-subsection"
      data-turnbook-kind="reasoning"
      role="group"
      aria-label={`${label}: ${name}`}
    >
      <div className="jp-Turnbook-subsection-header">
        <button
          type="button"
          className="jp-Turnbook-section-name jp-Turnbook-caret"
          aria-expanded={open}
          tabIndex={props.current ? 0 : -1}
          title={trans.__(
            'What the model thought before this message; it is sent with it'
          )}
          onClick={() => actions.toggleReasoning(section.id)}
        >
          <span>{name}</span>
        </button>
        <span className="jp-Turnbook-spacer" />
        {open && (
          <IconButton
            icon={deleteIcon}
            label={trans.__('Do not send the reasoning')}
            onClick={() =>
              fields.forEach(field => draft.removeLeaf(section.id, [field]))
            }
          />
        )}
        <span className="jp-Turnbook-section-tokens">{props.tokens}</span>
      </div>
      {open && (
        <div className="jp-Turnbook-section-body">
          {fields.map(field => (
            <Field {...props} key={field} field={field} name={name} />
          ))}
        </div>
      )}
    </div>
  );
}

interface IFieldProps extends IReasoningRowProps {
  field: string;
  name: string;
}

/** The reasoning in one key of the message: a text, or pieces. */
function Field(props: IFieldProps): JSX.Element {
  const { section, field } = props;
  const value = section.message[field];
  return Array.isArray(value) ? (
    <ol className="jp-Turnbook-pieces">
      {value.map((piece, index) => (
        <li key={index}>
          <Piece {...props} piece={piece} path={[field, index]} />
        </li>
      ))}
    </ol>
  ) : (
    <Text {...props} path={[field]} />
  );
}

/**
 * A piece of reasoning. One that is signed or encrypted cannot be edited: the provider would
 * refuse it.
 */
function Piece(
  props: IFieldProps & { piece: PartialJSONValue; path: LeafPath }
): JSX.Element {
  const { piece, path } = props;
  const trans = useWords();
  const { data, signature, text, summary } = isObject(piece) ? piece : {};
  const plain = [
    ...(typeof text === 'string' ? ['text'] : []),
    ...(typeof summary === 'string' ? ['summary'] : [])
  ];
  const isSigned = typeof signature === 'string' && signature !== '';
  if (typeof data === 'string' || isSigned || !plain.length) {
    const size = bytesText(JSON.stringify(piece).length);
    return (
      <>
        {plain.map(key => (
          <div key={key} className="jp-Turnbook-pieces-text" dir="auto">
            {String((piece as Record<string, unknown>)[key])}
          </div>
        ))}
        <span className="jp-Turnbook-opaque">
          {typeof data === 'string'
            ? trans.__('encrypted · %1 · sent as it came', size)
            : isSigned
              ? trans.__('signed · %1 · sent as it came', size)
              : trans.__('%1 · sent as it came', size)}
        </span>
      </>
    );
  }
  return (
    <>
      {plain.map(key => (
        <Text {...props} key={key} path={[...path, key]} />
      ))}
    </>
  );
}

function Text(props: IFieldProps & { path: LeafPath }): JSX.Element {
  const { draft, section, path, label, name, actions } = props;
  const { id, message, original } = section;
  const before = valueAt(original as PartialJSONValue, path);
  return (
    <LeafText
      draft={draft}
      section={id}
      path={path}
      value={String(valueAt(message as PartialJSONValue, path))}
      original={typeof before === 'string' ? before : null}
      diff={props.diff}
      label={
        path.length > 1
          ? `${label}: ${name} ${Number(path[1]) + 1}`
          : `${label}: ${name}`
      }
      onLeave={() => actions.focus(id, 0)}
    />
  );
}
