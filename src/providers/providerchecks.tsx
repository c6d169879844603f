import type { TranslationBundle } from '@jupyterlab/translation';
import { HTMLSelect } from '@jupyterlab/ui-components';
import React, { useEffect, useLayoutEffect, useRef, useState } from 'react';

import { errorMessage } from '../base/errors';
import {
  CHECKS,
  type Check,
  type Continuation,
  type IProviderCheck
} from '../base/run';
import { checkName, checkResult } from './checkwords';

export interface IProviderChecksProps {
  /** The models to choose from. */
  models: readonly string[];
  /** Find out one thing about a model. */
  check: (
    model: string,
    check: Check,
    signal: AbortSignal
  ) => Promise<IProviderCheck>;
  /** Called when it is known how interrupted replies should be resumed. */
  onContinuation: (continuation: Continuation) => void;
  trans: TranslationBundle;
}

/** What has been found out so far. */
interface IProgress {
  model: string;
  found: readonly IProviderCheck[];
  /** The check under way, if any. */
  running: Check | null;
  /** Why it ended early, as a text for the user. */
  failure: string | null;
}

/** Finds out what a model can do, on request; each check is one short request. */
export function ProviderChecks(props: IProviderChecksProps): JSX.Element {
  const { models, trans } = props;
  const [model, setModel] = useState(models[0]);
  const [progress, setProgress] = useState<IProgress | null>(null);
  const abort = useRef<AbortController | null>(null);
  // Other settings end the checks of these.
  useEffect(() => () => abort.current?.abort(), []);

  const run = async () => {
    const { signal } = (abort.current = new AbortController());
    let now: IProgress = { model, found: [], running: null, failure: null };
    const show = (change: Partial<IProgress>) => {
      now = { ...now, ...change };
      if (!signal.aborted) {
        setProgress(now);
      }
    };
    for (const check of CHECKS) {
      show({ running: check });
      try {
        const found = await props.check(model, check, signal);
        show({ found: [...now.found, found] });
        if (found.result === 'failed' && check === CHECKS[0]) {
          // Without any reply, the others would fail too.
          break;
        }
      } catch (error) {
        show({ running: null, failure: errorMessage(error) });
        return;
      }
      if (signal.aborted) {
        return;
      }
    }
    show({ running: null });
    const prefill = now.found.find(({ check }) => check === 'prefill');
    if (prefill && prefill.result !== 'failed') {
      props.onContinuation(prefill.result === 'yes' ? 'prefill' : 'restart');
    }
  };
  const cancel = () => {
    abort.current?.abort();
    setProgress(
      now => now && { ...now, running: null, failure: trans.__('Canceled.') }
    );
  };

  const isRunning = progress !== null && progress.running !== null;
  return (
    <div className="jp-Turnbook-checks">
      <div className="jp-Turnbook-checks-row">
        <HTMLSelect
          aria-label={trans.__('Model to try')}
          value={model}
          disabled={isRunning}
          onChange={event => setModel(event.target.value)}
        >
          {models.map(name => (
            <option key={name}>{name}</option>
          ))}
        </HTMLSelect>
        <button
          type="button"
          className="jp-Turnbook-button"
          onClick={() => (isRunning ? cancel() : void run())}
        >
          {isRunning ? trans.__('Cancel') : trans.__('Try what it can do')}
        </button>
        <span className="jp-Turnbook-hint">
          {trans._n(
            'Sends %1 short request, which costs a few tokens.',
            'Sends %1 short requests, which cost a few tokens.',
            CHECKS.length
          )}
        </span>
      </div>
      {progress ? <Progress progress={progress} trans={trans} /> : null}
    </div>
  );
}

const MARKS = { yes: '✓', no: '–', failed: '✗' };

function Progress(props: {
  progress: IProgress;
  trans: TranslationBundle;
}): JSX.Element {
  const { progress, trans } = props;
  const { found, running, failure } = progress;
  const prefill = found.find(({ check }) => check === 'prefill');
  const end = useRef<HTMLDivElement>(null);
  // The dialog is often longer than the screen.
  useLayoutEffect(() => {
    // Some browsers return a promise, which is not what an effect may return.
    end.current?.scrollIntoView?.({ block: 'nearest' });
  }, [found.length, running, failure]);
  return (
    <>
      <ul
        className="jp-Turnbook-checks-list"
        aria-label={trans.__('What %1 can do', progress.model)}
      >
        {found.map(one => (
          <li
            key={one.check}
            data-turnbook-check={one.check}
            data-turnbook-result={one.result}
          >
            <span className="jp-Turnbook-checks-mark" aria-hidden="true">
              {MARKS[one.result]}
            </span>
            {`${checkName(one.check, trans)}: ${checkResult(one, trans)}`}
          </li>
        ))}
        {running ? (
          <li data-turnbook-check={running}>
            <span className="jp-Turnbook-checks-mark" aria-hidden="true">
              <span className="jp-Turnbook-spinner" />
            </span>
            {`${checkName(running, trans)}…`}
          </li>
        ) : null}
      </ul>
      {failure ? <div className="jp-Turnbook-hint">{failure}</div> : null}
      {prefill && prefill.result !== 'failed' && !running ? (
        <div className="jp-Turnbook-hint">
          {prefill.result === 'yes'
            ? trans.__(
                'A reply that is cut off will go on where it ended. Save to keep this.'
              )
            : trans.__(
                'A reply that is cut off will be started again. Save to keep this.'
              )}
        </div>
      ) : null}
      <div ref={end} />
    </>
  );
}
