import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { IModelList } from '../../base/run';
import { MOST_REPLIES } from '../../document/siblingmark';
import type { PriceOf } from '../../session/prices';
import { BodyDialog } from '../../ui/bodydialog';
import { DialogAction } from '../../ui/dialogaction';
import { ModelChoice, offered } from './modelchoice';
import { MOST_REPEATS, repeated, type ModelSets } from './modelsets';
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
    focus: '[role="option"][tabindex="0"]',
    close: options.trans.__('Cancel')
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
  const [{ models, repeats }, setChosen] = React.useState({
    models: props.models,
    repeats: 1
  });
  const [problem, setProblem] = React.useState('');
  const all = offered(list, [...props.models, ...models]);
  const asked = repeated(
    all.filter(model => models.includes(model)),
    repeats
  );
  const small = models.filter(model => {
    const size = windowOf(model);
    return size !== null && tokens !== null && tokens > size;
  });
  const isTooMany = asked.length > MOST_REPLIES;
  const id = React.useId();
  return (
    <form
      id={id}
      onSubmit={event => {
        event.preventDefault();
        if (asked.length && !isTooMany) {
          props.onAsk(asked);
        }
      }}
    >
      <ModelChoice
        all={all}
        value={{ models, repeats }}
        onChange={setChosen}
        most={MOST_REPEATS}
        sets={sets}
        onProblem={setProblem}
        trans={trans}
      />
      {small.length > 0 && (
        <div className="jp-Turnbook-notice jp-mod-warning" role="status">
          {trans.__('Does not fit into the window of %1', small.join(', '))}
        </div>
      )}
      {(problem || isTooMany) && (
        <div className="jp-Turnbook-notice jp-mod-warning" role="alert">
          {problem ||
            trans.__('At most %1 requests can be sent at once.', MOST_REPLIES)}
        </div>
      )}
      <div className={`${CLASS}-row`}>
        <span role="status" aria-label={trans.__('Estimate')}>
          {severalEstimate(asked, tokens, priceOf, trans)}
        </span>
        <DialogAction
          label={props.ask}
          form={id}
          disabled={!asked.length || isTooMany}
        />
      </div>
    </form>
  );
}
