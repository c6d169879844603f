import { undoIcon } from '@jupyterlab/ui-components';
import {
  JSONExt,
  type PartialJSONObject,
  type PartialJSONValue,
  type ReadonlyPartialJSONObject
} from '@lumino/coreutils';
import * as React from 'react';

import { optionWords } from '../request/options';
import { optionExamples } from '../request/optiontemplates';
import { growText } from '../ui/dom';
import { Chip, IconButton, TextButton } from '../ui/controls';
import { JsonEditor } from '../ui/jsoneditor';
import { syntaxPlaces } from './jsonsyntax';
import { NumberInput } from './jsontree';
import { useWords } from '../ui/language';
import { useOutside } from '../ui/useoutside';

/** The JSON schema of a request's options, from which the form is made. */
export interface IOptionSchema {
  type?: string | string[];
  enum?: PartialJSONValue[];
  const?: PartialJSONValue;
  minimum?: number;
  maximum?: number;
  items?: IOptionSchema;
  anyOf?: IOptionSchema[];
  oneOf?: IOptionSchema[];
  properties?: Record<string, IOptionSchema>;
}

export interface IOptionsViewProps {
  schema: IOptionSchema;
  /** The current options, without `messages`. */
  options: ReadonlyPartialJSONObject;
  edited: readonly string[];
  /** The keys whose edits wait to be confirmed, since their source changed. */
  conflicts: readonly string[];
  /** Set an option; undefined removes it. Throws if the value has the wrong type. */
  set(key: string, value: PartialJSONValue | undefined): void;
  reset(key: string): void;
  /** Use an edited option in later requests too; absent if that is impossible. */
  keep?(key: string): void;
  /** Apply an edit that waits to be confirmed. */
  confirm(key: string): void;
  /** Why a value is invalid, as a text for the user; null if it is valid. */
  check(key: string, value: PartialJSONValue | undefined): string | null;
  /** The names of known models. */
  models: readonly string[];
}

/** Everything in a request besides its messages, as a form. */
export function OptionsView(props: IOptionsViewProps): JSX.Element {
  const { schema, options } = props;
  // An option with only one possible value is shown if present, but not offered.
  const known = Object.entries(schema.properties ?? {})
    .filter(([key, field]) => field.const === undefined || key in options)
    .map(([key]) => key);
  const further = Object.keys(options).filter(
    key => key !== 'messages' && !known.includes(key)
  );
  return (
    <div className="jp-Turnbook-options">
      {[...known, ...further].map(key => (
        <Option
          {...props}
          key={key}
          name={key}
          field={schema.properties?.[key] ?? {}}
        />
      ))}
      <AddOption {...props} />
    </div>
  );
}

interface IOptionProps extends IOptionsViewProps {
  name: string;
  field: IOptionSchema;
}

function Option(props: IOptionProps): JSX.Element {
  const { name, edited, options } = props;
  const trans = useWords();
  const { title, help } = optionWords(name);
  const about = help || trans.__('Sent as it is; Turnbook does not know it.');
  const [problem, setProblem] = React.useState<string | null>(null);
  const value = options[name] as PartialJSONValue | undefined;
  const wrote = useOutside(value, sameValue, () => setProblem(null));
  const take = (next: PartialJSONValue | undefined): boolean => {
    const wrong = props.check(name, next);
    setProblem(wrong);
    if (wrong === null) {
      wrote(next);
      props.set(name, next);
    }
    return wrong === null;
  };
  const id = React.useId();
  return (
    <div
      className="jp-Turnbook-option"
      data-turnbook-option={name}
      data-turnbook-field={fieldKind(props.field, value)}
    >
      <span
        className="jp-Turnbook-option-name"
        title={[...(title ? [name] : []), about].join('\n')}
      >
        {title || name}
      </span>
      <span id={`${id}-help`} hidden>
        {about}
      </span>
      {edited.includes(name) && (
        <div className="jp-Turnbook-option-edit">
          <Chip kind="edited">{trans.__('Edited')}</Chip>
          <IconButton
            icon={undoIcon}
            label={trans.__('Reset %1', name)}
            onClick={() => {
              setProblem(null);
              props.reset(name);
            }}
          />
          {props.keep && name !== 'model' && (
            <TextButton
              link
              label={trans.__('Keep for this chat')}
              title={trans.__('Send %1 with later messages too', name)}
              onClick={() => props.keep?.(name)}
            />
          )}
        </div>
      )}
      {props.conflicts.includes(name) && (
        <div className="jp-Turnbook-section-conflict" role="status">
          <Chip kind="warning">{trans.__('source changed')}</Chip>
          <TextButton
            link
            label={trans.__('Confirm')}
            title={trans.__('Send the edit anyway')}
            onClick={() => props.confirm(name)}
          />
        </div>
      )}
      <Field
        {...props}
        value={value}
        take={take}
        tell={setProblem}
        label={title || name}
        list={`${id}-list`}
        describedBy={`${id}-help ${id}`}
        invalid={problem !== null}
      />
      <div id={id} role="alert" className="jp-Turnbook-problem">
        {problem}
      </div>
    </div>
  );
}

interface IFieldProps extends IOptionProps {
  value: PartialJSONValue | undefined;
  /** Returns whether the value was accepted. */
  take(value: PartialJSONValue | undefined): boolean;
  tell(problem: string | null): void;
  /** The accessible name of the field, which is the visible one. */
  label: string;
  /** The id of the list of values that are offered. */
  list: string;
  describedBy: string;
  invalid: boolean;
}

function Field(props: IFieldProps): JSX.Element {
  const { name, field, value, take, models, label, describedBy } = props;
  const trans = useWords();
  const unset = trans.__('not set');
  const kind = fieldKind(field, value);
  switch (kind) {
    case 'fixed':
      return <code>{JSON.stringify(value)}</code>;
    case 'choice':
    case 'boolean': {
      const choices = kind === 'boolean' ? [true, false] : field.enum!;
      const at = choices.findIndex(one => sameValue(one, value));
      return (
        <select
          className="jp-Turnbook-field"
          aria-label={label}
          aria-describedby={describedBy}
          value={at}
          onChange={event => {
            const next = Number(event.target.value);
            take(next === -1 ? undefined : choices[next]);
          }}
        >
          <option value={-1}>{unset}</option>
          {choices.map((one, index) => (
            <option key={index} value={index}>
              {String(one)}
            </option>
          ))}
        </select>
      );
    }
    case 'number':
      return (
        <NumberInput
          label={label}
          describedBy={describedBy}
          value={typeof value === 'number' ? value : null}
          integer={[field.type].flat().includes('integer')}
          placeholder={unset}
          onChange={take}
          onEmpty={() => take(undefined)}
          onInvalid={() => props.tell(null)}
        />
      );
    case 'text':
      return (
        <>
          <TextField {...props} />
          {isOffered(name) && (
            <datalist id={props.list}>
              {(name === 'model' ? models : optionExamples(name)).map(one => (
                <option key={`${one}`} value={`${one}`} />
              ))}
            </datalist>
          )}
        </>
      );
    case 'lines':
      return (
        <textarea
          ref={growText}
          className="jp-Turnbook-field"
          dir="auto"
          aria-label={label}
          title={trans.__('One in each line')}
          aria-invalid={props.invalid}
          aria-describedby={describedBy}
          rows={1}
          placeholder={unset}
          value={value === undefined ? '' : [value].flat().join('\n')}
          onChange={event => {
            const lines = event.target.value.split('\n');
            take(event.target.value ? lines : undefined);
          }}
        />
      );
    case 'json':
      return <JsonField {...props} />;
  }
}

/** A text field; an invalid text stays in the field while the previous value stays in force. */
function TextField(props: IFieldProps): JSX.Element {
  const { name, value, take } = props;
  const trans = useWords();
  const [text, setText] = React.useState(
    typeof value === 'string' ? value : ''
  );
  const wrote = useOutside(value, sameValue, () =>
    setText(typeof value === 'string' ? value : '')
  );
  return (
    <input
      className="jp-Turnbook-field"
      dir="auto"
      aria-label={props.label}
      aria-invalid={props.invalid}
      aria-describedby={props.describedBy}
      list={isOffered(name) ? props.list : undefined}
      placeholder={trans.__('not set')}
      value={text}
      onChange={event => {
        const next = event.target.value || undefined;
        setText(event.target.value);
        if (take(next)) {
          wrote(next);
        }
      }}
    />
  );
}

/** A field for any value, written as JSON. */
function JsonField(props: IFieldProps): JSX.Element {
  const { label, value, take, tell } = props;
  const trans = useWords();
  const [text, setText] = React.useState(() => written(value));
  const wrote = useOutside(value, sameValue, () => setText(written(value)));
  return (
    <JsonEditor
      label={label}
      text={text}
      empty={trans.__('not set (JSON)')}
      describedBy={props.describedBy}
      check={next => (next.trim() ? syntaxPlaces(next, trans) : [])}
      onChange={next => {
        setText(next);
        if (!next.trim()) {
          if (take(undefined)) {
            wrote(undefined);
          }
          return;
        }
        const [place] = syntaxPlaces(next, trans);
        if (place) {
          tell(trans.__('%1 The value before stays.', place.message));
          return;
        }
        const parsed = JSON.parse(next) as PartialJSONValue;
        if (take(parsed)) {
          wrote(parsed);
        }
      }}
    />
  );
}

function AddOption(props: IOptionsViewProps): JSX.Element {
  const { options, schema } = props;
  const trans = useWords();
  const [key, setKey] = React.useState('');
  const [value, setValue] = React.useState('');
  const [problem, setProblem] = React.useState<string | null>(null);
  const id = React.useId();
  const add = () => {
    const name = key.trim();
    if (!name) {
      setProblem(trans.__('Write the name of the option.'));
    } else if (name === 'messages') {
      setProblem(trans.__('The messages are the sections of the prompt.'));
    } else if (name in options || name in (schema.properties ?? {})) {
      setProblem(trans.__('“%1” is in the list above.', name));
    } else {
      const [place] = syntaxPlaces(value, trans);
      if (place) {
        setProblem(
          trans.__(
            'The value has to be JSON: 0.5, true, "text" or {"a": 1}. %1',
            place.message
          )
        );
        return;
      }
      props.set(name, JSON.parse(value) as PartialJSONValue);
      setKey('');
      setValue('');
      setProblem(null);
    }
  };
  return (
    <div className="jp-Turnbook-addOption">
      <input
        className="jp-Turnbook-field"
        aria-label={trans.__('Name of a further option')}
        placeholder={trans.__('further option')}
        value={key}
        aria-describedby={id}
        onChange={event => setKey(event.target.value)}
      />
      <input
        className="jp-Turnbook-field"
        aria-label={trans.__('Value of a further option')}
        placeholder={trans.__('value as JSON')}
        value={value}
        aria-describedby={id}
        onChange={event => setValue(event.target.value)}
        onKeyDown={event => {
          if (event.key === 'Enter') {
            event.preventDefault();
            add();
          }
        }}
      />
      <TextButton
        label={trans.__('Add option')}
        title={trans.__('Send an option that is not in the list')}
        onClick={add}
      />
      <div id={id} role="alert" className="jp-Turnbook-problem">
        {problem}
      </div>
    </div>
  );
}

function fieldKind(
  field: IOptionSchema,
  value: PartialJSONValue | undefined
): 'fixed' | 'choice' | 'boolean' | 'number' | 'text' | 'lines' | 'json' {
  const types = [field.type ?? []].flat().filter(type => type !== 'null');
  const parts = (field.anyOf ?? field.oneOf ?? []).map(one => one.type);
  const fits = (type: string) => value === undefined || typeof value === type;
  if (field.const !== undefined) {
    return 'fixed';
  }
  if (field.enum) {
    return 'choice';
  }
  if (isLines(field) || (parts.includes('string') && parts.includes('array'))) {
    return value === undefined || [value].flat().every(isText)
      ? 'lines'
      : 'json';
  }
  if (types.length === 1) {
    switch (types[0]) {
      case 'boolean':
        return fits('boolean') ? 'boolean' : 'json';
      case 'number':
      case 'integer':
        return fits('number') ? 'number' : 'json';
      case 'string':
        return fits('string') ? 'text' : 'json';
    }
  }
  return 'json';
}

/** Whether there are values to choose from for a text. */
function isOffered(name: string): boolean {
  return name === 'model' || optionExamples(name).length > 0;
}

function isLines({ type, items }: IOptionSchema): boolean {
  return [type].flat().includes('array') && items?.type === 'string';
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function written(value: PartialJSONValue | undefined): string {
  return value === undefined ? '' : JSON.stringify(value, null, 2);
}

function sameValue(
  a: PartialJSONValue | undefined,
  b: PartialJSONValue | undefined
): boolean {
  return a === undefined || b === undefined
    ? a === b
    : JSONExt.deepEqual(a as PartialJSONObject, b as PartialJSONObject);
}
