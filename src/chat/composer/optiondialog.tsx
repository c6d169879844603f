import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { RESERVED_OPTIONS } from '../../document/metadata';
import { RequestError } from '../../request/errors';
import { OPTIONS_SCHEMA, optionWords } from '../../request/options';
import { optionTemplates } from '../../request/optiontemplates';
import {
  takesLines,
  textOfValue,
  valueFromText
} from '../../request/optiontext';
import type { IShownOption } from '../../request/shownoptions';
import { optionPlaces } from '../../request/structured/optionplaces';
import type { ChatOptions } from '../../session/chatoptions';
import { BodyDialog } from '../../ui/bodydialog';
import { DialogAction } from '../../ui/dialogaction';
import { growText } from '../../ui/dom';
import { JsonEditor, type IJsonEditor } from '../../ui/jsoneditor';

/** The value of the choice of an option that is not in the list. */
const OTHER = '';

const FIELDS: Record<string, { title?: string; const?: unknown }> =
  OPTIONS_SCHEMA.properties;

/** Add an option to a chat, or change one of its options. */
export async function askOption(
  options: Pick<ChatOptions, 'set' | 'shown'>,
  option: IShownOption | null,
  trans: TranslationBundle
): Promise<void> {
  const dialog: BodyDialog = new BodyDialog({
    title: trans.__('Option of this chat'),
    body: (
      <OptionForm
        option={option}
        taken={options.shown.map(({ name }) => name)}
        set={(name, text) => {
          options.set(name, valueFromText(name, text));
          dialog.reject();
        }}
        trans={trans}
      />
    ),
    className: 'jp-Turnbook-optionForm',
    trans,
    focus: option ? 'textarea, .cm-content' : 'select',
    close: trans.__('Cancel')
  });
  dialog.addClass('jp-mod-narrow');
  await dialog.launch();
}

/** A form for one option; what is wrong with a value is said below it. */
export function OptionForm(props: {
  option: IShownOption | null;
  /** The names of options that are set. */
  taken: readonly string[];
  /** Set the option. Throws a `RequestError` if that is impossible. */
  set: (name: string, text: string) => void;
  trans: TranslationBundle;
}): JSX.Element {
  const { option, taken, trans } = props;
  const offered = Object.keys(FIELDS).filter(
    key =>
      !RESERVED_OPTIONS.includes(key) &&
      FIELDS[key].const === undefined &&
      !taken.includes(key)
  );
  const [chosen, setChosen] = React.useState(
    option?.name ?? offered[0] ?? OTHER
  );
  const [other, setOther] = React.useState('');
  const [text, setText] = React.useState(() =>
    option ? textOfValue(option.name, option.value) : ''
  );
  // What is written may be set before it is drawn.
  const latest = React.useRef(text);
  const [problem, setProblem] = React.useState<string | null>(null);
  const id = React.useId();
  const formId = React.useId();
  const editor = React.useRef<IJsonEditor>(null);
  const name = chosen === OTHER ? other.trim() : chosen;
  const isLines = takesLines(name);
  const templates = optionTemplates(name);
  const write = (next: string) => {
    latest.current = next;
    setText(next);
    setProblem(null);
  };
  const set = () => {
    const value = latest.current;
    const [place] = isLines ? optionPlaces(name, value) : [];
    if (place) {
      setProblem(place.message);
      editor.current?.goTo(place);
      return;
    }
    try {
      if (!option && taken.includes(name)) {
        throw new RequestError(
          'wrong-option',
          trans.__('%1 is set already; click its chip to change it.', name)
        );
      }
      props.set(name, value);
    } catch (error) {
      if (!(error instanceof RequestError)) {
        throw error;
      }
      setProblem(error.message);
    }
  };
  return (
    <form
      id={formId}
      onSubmit={event => {
        event.preventDefault();
        set();
      }}
    >
      <p>
        {trans.__(
          'It is sent with all messages of this chat until you change it.'
        )}
      </p>
      {option ? (
        <code>{option.name}</code>
      ) : (
        <select
          className="jp-Turnbook-field"
          aria-label={trans.__('Option')}
          value={chosen}
          onChange={event => {
            setChosen(event.target.value);
            setProblem(null);
          }}
        >
          {offered.map(key => (
            <option key={key} value={key}>
              {key}
            </option>
          ))}
          <option value={OTHER}>{trans.__('Another option…')}</option>
        </select>
      )}
      {chosen === OTHER && (
        <input
          className="jp-Turnbook-field"
          aria-label={trans.__('Name')}
          placeholder={trans.__('Name, as the provider spells it')}
          spellCheck={false}
          value={other}
          onChange={event => setOther(event.target.value)}
        />
      )}
      {templates.length > 0 && (
        <div
          className="jp-Turnbook-optionForm-templates"
          role="group"
          aria-label={trans.__('Values to start from')}
        >
          {templates.map(({ label, text: start }) => (
            <button
              key={label}
              type="button"
              className="jp-Turnbook-button"
              onClick={() => write(start)}
            >
              {label}
            </button>
          ))}
        </div>
      )}
      {isLines ? (
        <div
          className="jp-Turnbook-optionForm-lines"
          onKeyDownCapture={event => {
            // Before the editor, in which it adds a line.
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
              event.preventDefault();
              event.stopPropagation();
              set();
            }
          }}
        >
          <JsonEditor
            ref={editor}
            label={trans.__('Value')}
            text={text}
            empty={trans.__('Value as JSON')}
            describedBy={id}
            check={next => (next.trim() ? optionPlaces(name, next) : [])}
            onChange={write}
          />
        </div>
      ) : (
        <ValueText
          text={text}
          isWrong={problem !== null}
          describedBy={id}
          onChange={write}
          onSet={set}
          trans={trans}
        />
      )}
      <div id={id}>
        <div className="jp-Turnbook-optionForm-help">
          {optionWords(name).help}
        </div>
        <div role="alert" className="jp-Turnbook-problem">
          {problem}
        </div>
      </div>
      <DialogAction label={trans.__('Set for this chat')} form={formId} />
    </form>
  );
}

/** A field for a short value, in which Enter sets it. */
function ValueText(props: {
  text: string;
  isWrong: boolean;
  describedBy: string;
  onChange: (text: string) => void;
  onSet: () => void;
  trans: TranslationBundle;
}): JSX.Element {
  const { text, trans } = props;
  return (
    <textarea
      ref={growText}
      className="jp-Turnbook-field"
      dir="auto"
      aria-label={trans.__('Value')}
      aria-invalid={props.isWrong}
      aria-describedby={props.describedBy}
      placeholder={trans.__('Value, such as 0.2')}
      spellCheck={false}
      rows={1}
      value={text}
      onChange={event => props.onChange(event.target.value)}
      onKeyDown={event => {
        const isLines = /^\s*[[{]/.test(text);
        const sends = isLines
          ? event.ctrlKey || event.metaKey
          : !event.shiftKey;
        if (event.key === 'Enter' && sends && !event.nativeEvent.isComposing) {
          event.preventDefault();
          props.onSet();
        }
      }}
    />
  );
}
