import type { ITranslator, TranslationBundle } from '@jupyterlab/translation';
import type { ISignal } from '@lumino/signaling';
import React, { useEffect, useState } from 'react';

import { BodyDialog } from '../../ui/bodydialog';
import { errorText, pairError } from '../../document/state';
import { wordsIn } from '../../ui/translation';
import { showExchange, type IExchangeOptions } from '../requestdialog/exchange';
import { ApiError } from '../../runs/api';
import { isWaiting } from '../../runs/attempts';
import {
  isAlive,
  type IAttempt,
  type IAttempts,
  type IRun
} from '../../base/run';
import { stateText } from '../recovery/recovered';
import { errorMessage } from '../../base/errors';

export interface IShowAttemptsOptions {
  api: IExchangeOptions['api'];
  chat: string;
  pair: string;
  /** Emitted with a pair that has changed; the list is then read again. */
  changed?: ISignal<unknown, string>;
  translator?: ITranslator;
}

/**
 * List every request for a pair, with its time, tokens and outcome; resolves when the dialog is
 * closed.
 */
export async function showAttempts(
  options: IShowAttemptsOptions
): Promise<void> {
  const trans = wordsIn(options);
  let chosen: IChosen | null;
  do {
    chosen = null;
    const dialog: BodyDialog = new BodyDialog({
      title: trans.__('Attempts'),
      body: (
        <AttemptsView
          {...options}
          trans={trans}
          onShow={(run, side) => {
            // JupyterLab shows one dialog at a time; the list comes back afterwards.
            chosen = { run, side };
            dialog.reject();
          }}
        />
      ),
      className: 'jp-Turnbook-attempts',
      trans
    });
    await dialog.launch();
    await showChosen(chosen, options);
  } while (chosen);
}

interface IChosen {
  run: IRun;
  side: 'request' | 'response';
}

async function showChosen(
  chosen: IChosen | null,
  options: IShowAttemptsOptions
): Promise<void> {
  if (chosen) {
    const { run, side } = chosen;
    await showExchange(side, {
      ...options,
      runId: run.id,
      requestHash: run.hash
    });
  }
}

interface IViewProps extends IShowAttemptsOptions {
  trans: TranslationBundle;
  /** Show what an attempt sent or what came back. */
  onShow: (run: IRun, side: IChosen['side']) => void;
}

/** The attempts at a pair, or why they cannot be listed. */
export function AttemptsView(props: IViewProps): JSX.Element {
  const { api, chat, pair, changed, trans } = props;
  const [list, setList] = useState<IAttempts | string | null>(null);
  useEffect(() => {
    let wanted = true;
    const read = async () => {
      const told = await api
        .getTurn(chat, pair)
        .catch((error: unknown) => unreadable(error, trans));
      if (wanted) {
        setList(told);
      }
    };
    const onChanged = (_: unknown, other: string) => {
      if (other === pair) {
        void read();
      }
    };
    changed?.connect(onChanged);
    void read();
    return () => {
      wanted = false;
      changed?.disconnect(onChanged);
    };
  }, [api, changed, chat, pair, trans]);
  if (list === null) {
    return <p role="status">{trans.__('Reading the journal…')}</p>;
  }
  if (typeof list === 'string') {
    return <p role="status">{list}</p>;
  }
  return (
    <>
      <p className="jp-Turnbook-hint">
        {trans.__(
          'Each attempt is one request to the provider. No other requests were sent.'
        )}
      </p>
      <table>
        <thead>
          <tr>
            <th scope="col">{trans.__('Attempt')}</th>
            <th scope="col">{trans.__('Begun')}</th>
            <th scope="col">{trans.__('Took')}</th>
            <th scope="col">{trans.__('Tokens')}</th>
            <th scope="col">{trans.__('Outcome')}</th>
            <th scope="col">{trans.__('On the wire')}</th>
          </tr>
        </thead>
        <tbody>
          {list.attempts.map((attempt, index) => (
            <AttemptRow
              key={attempt.run.id}
              {...props}
              attempt={attempt}
              isLast={index === list.attempts.length - 1}
            />
          ))}
        </tbody>
      </table>
    </>
  );
}

function AttemptRow(
  props: IViewProps & { attempt: IAttempt; isLast: boolean }
): JSX.Element {
  const { attempt, isLast, onShow, trans } = props;
  const { run } = attempt;
  const error = pairError(run);
  const begun = new Date(run.createdAt);
  return (
    <tr data-turnbook-run={run.id}>
      <th scope="row">{run.attempt}</th>
      <td title={begun.toLocaleString()}>{begun.toLocaleTimeString()}</td>
      <td>{isAlive(run) ? '…' : took(run.updatedAt - run.createdAt)}</td>
      <td>{tokens(attempt)}</td>
      <td>
        {error ? errorText(error) : stateText(run.state, trans)}
        <div className="jp-Turnbook-hint">
          {[
            run.automatic ? trans.__('by the server itself') : '',
            run.continues ? trans.__('continued the previous one') : '',
            run.replaces ? trans.__('started over') : '',
            isLast && isWaiting(run) ? trans.__('next attempt pending') : ''
          ]
            .filter(Boolean)
            .join(' · ')}
        </div>
      </td>
      <td>
        <button
          type="button"
          className="jp-Turnbook-button"
          title={trans.__('Show the exact bytes of attempt %1', run.attempt)}
          onClick={() => onShow(run, 'request')}
        >
          {trans.__('Show request')}
        </button>{' '}
        <button
          type="button"
          className="jp-Turnbook-button"
          title={trans.__('Show what came back for attempt %1', run.attempt)}
          onClick={() => onShow(run, 'response')}
        >
          {trans.__('Show response')}
        </button>
      </td>
    </tr>
  );
}

/** A duration in short form. */
function took(ms: number): string {
  const seconds = Math.max(0, ms) / 1000;
  return seconds < 60
    ? `${seconds.toFixed(1)} s`
    : `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}

function tokens({ usage }: IAttempt): string {
  const count = (key: string) =>
    typeof usage?.[key] === 'number' ? String(usage[key]) : '?';
  return usage
    ? `${count('prompt_tokens')} + ${count('completion_tokens')}`
    : '–';
}

function unreadable(error: unknown, trans: TranslationBundle): string {
  return error instanceof ApiError && error.status === 404
    ? trans.__(
        'This server has no record of this pair: it was sent elsewhere, or its attempts were kept for their time.'
      )
    : trans.__(
        'The attempts cannot be read: %1 Close this list and open it again to retry.',
        errorMessage(error)
      );
}
