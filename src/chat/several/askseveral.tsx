import { InputDialog } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { errorMessage } from '../../base/errors';
import { groupModels } from '../../runs/models';
import type { IModelList } from '../../base/run';
import type { PriceOf } from '../../session/prices';
import { BodyDialog } from '../../ui/bodydialog';
import {
  MOST_REPEATS,
  MOST_REQUESTS,
  readRepeats,
  repeated,
  type ModelSets
} from './modelsets';
import { severalEstimate } from './severalestimate';

const CLASS = 'jp-Turnbook-several';

/** What the user chooses several models for. */
export interface ISeveralOptions {
  title: string;
  /** What the button says that asks. */
  ask: string;
  list: IModelList | null;
  /** The models that are chosen at first. */
  models: readonly string[];
  sets: ModelSets;
  /** How many tokens each request has; null if that is unknown. */
  tokens: number | null;
  windowOf: (model: string) => number | null;
  priceOf: PriceOf;
  trans: TranslationBundle;
}

/** Let the user choose models and repeats; resolves with null if they canceled. */
export async function chooseSeveral(
  options: ISeveralOptions
): Promise<readonly string[] | null> {
  let chosen: readonly string[] | null = null;
  const dialog: BodyDialog = new BodyDialog({
    title: options.title,
    body: (
      <SeveralForm
        {...options}
        onAsk={models => {
          chosen = models;
          dialog.reject();
        }}
      />
    ),
    className: CLASS,
    trans: options.trans,
    focus: '[role="option"][tabindex="0"]'
  });
  dialog.addClass('jp-mod-narrow');
  await dialog.launch();
  return chosen;
}

/** Models, repeats, saved sets, and what asking them takes. */
export function SeveralForm(
  props: ISeveralOptions & { onAsk: (models: readonly string[]) => void }
): JSX.Element {
  const { list, priceOf, sets, tokens, trans, windowOf } = props;
  const [models, setModels] = React.useState(props.models);
  const [repeats, setRepeats] = React.useState(1);
  const [saved, setSaved] = React.useState(sets.list);
  const [set, setSet] = React.useState('');
  const [problem, setProblem] = React.useState('');
  const id = React.useId();
  const listed = groupModels(list, '').flatMap(({ options }) =>
    options.map(option => option.id)
  );
  // A model that is not listed now, such as that of the chat, can be asked too.
  const all = [
    ...listed,
    ...[...props.models, ...models].filter(
      (model, place, every) =>
        !listed.includes(model) && every.indexOf(model) === place
    )
  ];
  const asked = repeated(
    all.filter(model => models.includes(model)),
    repeats
  );
  const small = models.filter(model => {
    const size = windowOf(model);
    return size !== null && tokens !== null && tokens > size;
  });
  const isTooMany = asked.length > MOST_REQUESTS;
  const change = (work: () => void) => {
    try {
      work();
      setSaved(sets.list);
      setProblem('');
    } catch (error) {
      setProblem(
        trans.__('The set could not be saved: %1', errorMessage(error))
      );
    }
  };
  const save = async () => {
    const { value } = await InputDialog.getText({
      title: trans.__('Save these models'),
      label: trans.__('A name for them'),
      text: set
    });
    const name = value?.trim();
    if (name) {
      change(() => sets.save({ name, models, repeats }));
      setSet(name);
    }
  };
  return (
    <form
      onSubmit={event => {
        event.preventDefault();
        if (asked.length && !isTooMany) {
          props.onAsk(asked);
        }
      }}
    >
      <ModelList
        all={all}
        chosen={models}
        label={trans.__('Models')}
        onToggle={model => {
          setSet('');
          setModels(
            models.includes(model)
              ? models.filter(other => other !== model)
              : [...models, model]
          );
        }}
      />
      <div className={`${CLASS}-row`}>
        <label htmlFor={`${id}-repeats`}>{trans.__('Repeats')}</label>
        <input
          id={`${id}-repeats`}
          className="jp-mod-styled"
          type="number"
          min={1}
          max={MOST_REPEATS}
          value={repeats}
          title={trans.__('How often each model is asked')}
          onChange={event => setRepeats(readRepeats(event.target.value))}
        />
        <span className="jp-Turnbook-spacer" />
        <label htmlFor={`${id}-sets`}>{trans.__('Saved')}</label>
        <select
          id={`${id}-sets`}
          className="jp-mod-styled"
          value={set}
          onChange={event => {
            const found = saved.find(({ name }) => name === event.target.value);
            setSet(found?.name ?? '');
            if (found) {
              setModels(found.models);
              setRepeats(found.repeats);
            }
          }}
        >
          <option value="">{trans.__('none')}</option>
          {saved.map(({ name }) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
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
      {small.length > 0 && (
        <div className="jp-Turnbook-notice jp-mod-warning" role="status">
          {trans.__('Does not fit into the window of %1', small.join(', '))}
        </div>
      )}
      {(problem || isTooMany) && (
        <div className="jp-Turnbook-notice jp-mod-warning" role="alert">
          {problem ||
            trans.__('At most %1 requests can be sent at once.', MOST_REQUESTS)}
        </div>
      )}
      <div className={`${CLASS}-row`}>
        <span role="status" aria-label={trans.__('Estimate')}>
          {severalEstimate(asked, tokens, priceOf, trans)}
        </span>
        <span className="jp-Turnbook-spacer" />
        <button
          type="submit"
          className="jp-Turnbook-button jp-mod-primary"
          disabled={!asked.length || isTooMany}
        >
          {props.ask}
        </button>
      </div>
    </form>
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
  const [at, setAt] = React.useState(Math.max(0, first));
  const nodes = React.useRef<(HTMLElement | null)[]>([]);
  const go = (place: number) => {
    const next = Math.min(Math.max(place, 0), all.length - 1);
    setAt(next);
    nodes.current[next]?.focus();
  };
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
      onToggle(all[at]);
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
            onToggle(model);
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
