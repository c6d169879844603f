import type { TranslationBundle } from '@jupyterlab/translation';
import { UUID } from '@lumino/coreutils';
import * as React from 'react';

import { errorMessage } from '../base/errors';
import type { IRerunPreview, IRerunWish, RerunSource } from '../base/run';
import { ModelChoice, offered } from '../chat/several/modelchoice';
import { MOST_RERUNS, type ModelSets } from '../chat/several/modelsets';
import { ApiError } from '../runs/api';
import type { ModelCatalog } from '../runs/catalog';
import { BodyDialog } from '../ui/bodydialog';
import { DialogAction } from '../ui/dialogaction';
import { useSignal } from '../ui/usesignal';
import { badFields, EMPTY_FORM, wishOf, type IRerunForm } from './form';
import { Found } from './foundview';
import { usePreview } from './usepreview';
import { badWords, estimateWords } from './words';

const CLASS = 'jp-Turnbook-rerun';

/** What the dialog needs. */
export interface IRerunDialogOptions {
  source: RerunSource;
  catalog: Pick<ModelCatalog, 'changed' | 'list'>;
  sets: ModelSets;
  /** The user's own prices. */
  prices: IRerunWish['prices'];
  preview: (wish: IRerunWish, signal: AbortSignal) => Promise<IRerunPreview>;
  /** Starts a rerun; rejects if the server refuses. */
  start: (id: string, wish: IRerunWish, plan: string) => Promise<void>;
  trans: TranslationBundle;
}

/** Let the user say how to rerun something, and start it; resolves with whether it was started. */
export async function askRerun(options: IRerunDialogOptions): Promise<boolean> {
  let isStarted = false;
  const dialog: BodyDialog = new BodyDialog({
    title: options.trans.__('Rerun'),
    body: (
      <RerunForm
        {...options}
        onStarted={() => {
          isStarted = true;
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
  return isStarted;
}

/** A rerun that was asked for: asked for again, the server starts it once. */
interface IBegun {
  /** What the user entered. */
  readonly key: string;
  readonly id: string;
  readonly out: string;
  readonly plan: string;
}

/** What is rerun, with which models, options and limits, and what that takes. */
export function RerunForm(
  props: IRerunDialogOptions & { onStarted: () => void }
): JSX.Element {
  const { catalog, sets, source, prices, trans } = props;
  useSignal(catalog.changed);
  const [form, setForm] = React.useState<IRerunForm>(EMPTY_FORM);
  const [problem, setProblem] = React.useState('');
  const [isStarting, setStarting] = React.useState(false);
  // What was asked for and may have begun, should the answer get lost.
  const begun = React.useRef<IBegun | null>(null);
  const change = (changed: Partial<IRerunForm>) => {
    setProblem('');
    setForm(before => ({ ...before, ...changed }));
  };
  const bad = badFields(form);
  const wish = bad.length ? null : wishOf(form, source, prices);
  const { preview, isCurrent, trouble, again } = usePreview(
    wish,
    props.preview
  );
  const made = preview?.records.map(({ model }) => model) ?? [];
  const all = offered(catalog.list, [...made, ...form.models]);
  const canStart =
    isCurrent && preview !== null && preview.plan !== '' && !isStarting;
  const start = async () => {
    if (!canStart || !wish) {
      return;
    }
    setStarting(true);
    // The source stays the same while the dialog is open.
    const key = JSON.stringify({ ...wish, source: null });
    if (begun.current?.key !== key) {
      const { out, plan } = preview;
      begun.current = { key, id: UUID.uuid4(), out, plan };
    }
    const { id, out, plan } = begun.current;
    try {
      await props.start(id, { ...wish, out }, plan);
      props.onStarted();
    } catch (error) {
      setProblem(errorMessage(error));
      // A gateway's error does not say whether the server has begun.
      if (error instanceof ApiError && error.status < 500) {
        begun.current = null;
        again();
      }
    }
    setStarting(false);
  };
  const said =
    problem ||
    badWords(bad, trans) ||
    trouble ||
    (isCurrent ? preview?.problem : '') ||
    '';
  return (
    <form
      // Enter in a field is no wish to send.
      onSubmit={event => event.preventDefault()}
    >
      <Found preview={preview} trans={trans} />
      <ModelChoice
        all={all}
        value={form}
        onChange={change}
        most={MOST_RERUNS}
        sets={sets}
        onProblem={setProblem}
        trans={trans}
      />
      {form.models.length === 0 && (
        <div className="jp-Turnbook-hint">
          {trans.__(
            'No model is chosen: each record goes to the model that it was made with.'
          )}
        </div>
      )}
      <Fields
        form={form}
        out={preview?.out ?? ''}
        change={change}
        bad={bad}
        trans={trans}
      />
      {said && (
        <div className="jp-Turnbook-notice jp-mod-warning" role="alert">
          {said}
        </div>
      )}
      <div className={`${CLASS}-row`}>
        <span role="status" aria-label={trans.__('Estimate')}>
          {isCurrent && preview?.plan
            ? estimateWords(preview, trans)
            : said
              ? ''
              : trans.__('Counting…')}
        </span>
        <DialogAction
          label={trans.__('Rerun')}
          disabled={!canStart}
          onClick={() => void start()}
        />
      </div>
    </form>
  );
}

function Fields(props: {
  form: IRerunForm;
  /** Where results go if the user names nothing. */
  out: string;
  bad: ReturnType<typeof badFields>;
  change: (changed: Partial<IRerunForm>) => void;
  trans: TranslationBundle;
}): JSX.Element {
  const { form, out, bad, change, trans } = props;
  const id = React.useId();
  return (
    <div className={`${CLASS}-fields`}>
      <label htmlFor={`${id}-options`}>{trans.__('Options')}</label>
      <textarea
        id={`${id}-options`}
        className="jp-mod-styled"
        rows={2}
        spellCheck={false}
        placeholder="temperature=0"
        title={trans.__(
          'Values to replace or to add in each request, one in each line'
        )}
        value={form.options}
        onChange={event => change({ options: event.target.value })}
      />
      <label htmlFor={`${id}-requests`}>{trans.__('At most')}</label>
      <span className={`${CLASS}-row`}>
        <input
          id={`${id}-requests`}
          className="jp-mod-styled"
          inputMode="numeric"
          aria-label={trans.__('Most requests')}
          aria-invalid={bad.includes('maxRequests')}
          title={trans.__('Stop after so many requests; empty for no limit')}
          value={form.maxRequests}
          onChange={event => change({ maxRequests: event.target.value })}
        />
        <span>{trans.__('requests')}</span>
        <input
          className="jp-mod-styled"
          inputMode="decimal"
          aria-label={trans.__('Most dollars')}
          aria-invalid={bad.includes('maxCost')}
          title={trans.__(
            'Stop before more than this is spent, in US dollars; empty for no limit'
          )}
          value={form.maxCost}
          onChange={event => change({ maxCost: event.target.value })}
        />
        <span>{trans.__('dollars')}</span>
      </span>
      <label htmlFor={`${id}-out`}>{trans.__('Results')}</label>
      <input
        id={`${id}-out`}
        className="jp-mod-styled"
        spellCheck={false}
        title={trans.__('The notebook that the replies are written to')}
        placeholder={out}
        value={form.out}
        onChange={event => change({ out: event.target.value })}
      />
    </div>
  );
}
