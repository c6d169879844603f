import { InputDialog } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import { HTMLSelect } from '@jupyterlab/ui-components';
import * as React from 'react';

import { errorMessage } from '../../base/errors';
import type { IModelList } from '../../base/run';
import { groupModels } from '../../runs/models';
import { readRepeats, type ModelSets } from './modelsets';

const CLASS = 'jp-Turnbook-several';

/** Models, and how often each is asked. */
export interface IModelChoice {
  readonly models: readonly string[];
  readonly repeats: number;
}

/** All models that can be chosen: those that are listed, and others that were named. */
export function offered(
  list: IModelList | null,
  named: readonly string[]
): readonly string[] {
  const listed = groupModels(list, '').flatMap(({ options }) =>
    options.map(option => option.id)
  );
  // A model that is not listed now, such as that of the chat, can be asked too.
  return [...new Set([...listed, ...named])];
}

/** Lets the user choose models, repeats, and saved sets of both. */
export function ModelChoice(props: {
  /** All that can be chosen. */
  all: readonly string[];
  value: IModelChoice;
  onChange: (value: IModelChoice) => void;
  /** How often each can be asked. */
  most: number;
  sets: ModelSets;
  /** Called with why a set could not be saved; empty if it could. */
  onProblem: (problem: string) => void;
  trans: TranslationBundle;
}): JSX.Element {
  const { all, value, onChange, most, sets, onProblem, trans } = props;
  const { models, repeats } = value;
  const [saved, setSaved] = React.useState(sets.list);
  const [set, setSet] = React.useState('');
  const id = React.useId();
  const change = (work: () => void) => {
    try {
      work();
      setSaved(sets.list);
      onProblem('');
    } catch (error) {
      onProblem(
        trans.__('The set could not be saved: %1', errorMessage(error))
      );
    }
  };
  const save = async () => {
    const { value: entered } = await InputDialog.getText({
      title: trans.__('Save these models'),
      label: trans.__('A name for them'),
      text: set
    });
    const name = entered?.trim();
    if (name) {
      change(() => sets.save({ name, models, repeats }));
      setSet(name);
    }
  };
  return (
    <>
      <ModelList
        all={all}
        chosen={models}
        label={trans.__('Models')}
        onToggle={model => {
          setSet('');
          onChange({
            repeats,
            models: models.includes(model)
              ? models.filter(other => other !== model)
              : [...models, model]
          });
        }}
      />
      <div className={`${CLASS}-row`}>
        <label htmlFor={`${id}-repeats`}>{trans.__('Repeats')}</label>
        <Repeats
          id={`${id}-repeats`}
          value={repeats}
          most={most}
          title={trans.__('How often each model is asked')}
          onChange={repeats => onChange({ models, repeats })}
        />
        <span className="jp-Turnbook-spacer" />
        <label htmlFor={`${id}-sets`}>{trans.__('Saved')}</label>
        <HTMLSelect
          id={`${id}-sets`}
          value={set}
          onChange={event => {
            const found = saved.find(({ name }) => name === event.target.value);
            setSet(found?.name ?? '');
            if (found) {
              onChange({
                models: found.models,
                repeats: readRepeats(found.repeats, most)
              });
            }
          }}
        >
          <option value="">{trans.__('none')}</option>
          {saved.map(({ name }) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </HTMLSelect>
        <button
          type="button"
          className="jp-Turnbook-button"
          disabled={!models.length}
          onClick={() => void save()}
        >
          {trans.__('Save…')}
        </button>
        {set && (
          <button
            type="button"
            className="jp-Turnbook-button"
            onClick={() => {
              change(() => sets.remove(set));
              setSet('');
            }}
          >
            {trans.__('Remove')}
          </button>
        )}
      </div>
    </>
  );
}

/** A number of repeats. What is being typed stays as it is until the user leaves the field. */
function Repeats(props: {
  id: string;
  value: number;
  most: number;
  title: string;
  onChange: (value: number) => void;
}): JSX.Element {
  const { id, value, most, title, onChange } = props;
  const [typed, setTyped] = React.useState<string | null>(null);
  return (
    <input
      id={id}
      className="jp-mod-styled"
      type="number"
      min={1}
      max={most}
      required
      value={typed ?? value}
      title={title}
      onChange={event => {
        setTyped(event.target.value);
        onChange(readRepeats(event.target.value, most));
      }}
      onBlur={() => setTyped(null)}
    />
  );
}

/** A list of which several can be chosen: arrows move, Space chooses. */
function ModelList(props: {
  all: readonly string[];
  chosen: readonly string[];
  label: string;
  onToggle: (model: string) => void;
}): JSX.Element {
  const { all, chosen, label, onToggle } = props;
  const first = all.findIndex(model => chosen.includes(model));
  const [wanted, setAt] = React.useState(Math.max(0, first));
  // A model that is not listed disappears when it is no longer chosen.
  const at = Math.min(wanted, all.length - 1);
  const nodes = React.useRef<(HTMLElement | null)[]>([]);
  const isToggled = React.useRef(false);
  const go = (place: number) => {
    const next = Math.min(Math.max(place, 0), all.length - 1);
    setAt(next);
    nodes.current[next]?.focus();
  };
  const toggle = (model: string) => {
    isToggled.current = true;
    onToggle(model);
  };
  React.useLayoutEffect(() => {
    // The focus went with the option.
    if (isToggled.current && document.activeElement === document.body) {
      nodes.current[at]?.focus();
    }
    isToggled.current = false;
  });
  const onKeyDown = (event: React.KeyboardEvent) => {
    const steps: Record<string, number> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      Home: 0,
      End: all.length - 1
    };
    if (event.key in steps) {
      event.preventDefault();
      go(steps[event.key]);
    } else if (event.key === ' ') {
      event.preventDefault();
      toggle(all[at]);
    }
  };
  return (
    <ul
      className={`${CLASS}-models`}
      role="listbox"
      aria-multiselectable="true"
      aria-label={label}
      onKeyDown={onKeyDown}
    >
      {all.map((model, place) => (
        <li
          key={model}
          ref={node => {
            nodes.current[place] = node;
          }}
          role="option"
          aria-selected={chosen.includes(model)}
          tabIndex={place === at ? 0 : -1}
          onFocus={() => setAt(place)}
          onClick={() => {
            go(place);
            toggle(model);
          }}
        >
          <span className={`${CLASS}-check`} aria-hidden="true">
            {chosen.includes(model) ? '✓' : ''}
          </span>
          {model}
        </li>
      ))}
    </ul>
  );
}
