import type { ITranslator, TranslationBundle } from '@jupyterlab/translation';
import type { ISignal } from '@lumino/signaling';
import React, { useEffect, useState } from 'react';

import { errorMessage } from '../../base/errors';
import { isAlive, type IAttempt, type IRun } from '../../base/run';
import { errorText, pairError } from '../../document/state';
import { inspectResponse } from '../../request/inspectresponse';
import { ApiError, type TurnbookAPI } from '../../runs/api';
import { BodyDialog } from '../../ui/bodydialog';
import { TextButton } from '../../ui/controls';
import { wordsIn } from '../../ui/translation';
import { stateText } from '../recovery/recovered';
import { ResponseView, type IReadResponse } from './responseview';

export interface IShowResponseOptions {
  api: Pick<
    TurnbookAPI,
    'getRun' | 'getTurn' | 'getResponse' | 'getResponseBytes'
  >;
  /** The run that the cell names; empty if there is none. */
  runId: string;
  /** The chat and the pair of the cell. */
  chat: string;
  pair: string;
  /** Emitted with a pair that has changed; a response under way is then read again. */
  changed?: ISignal<unknown, string>;
  translator?: ITranslator;
}

/**
 * Show what came over the wire for a run, or for another attempt of its pair; resolves when the
 * dialog is closed.
 *
 * @returns The run whose request the user wants to see; null if they closed the dialog.
 */
export async function showResponse(
  options: IShowResponseOptions
): Promise<IRun | null> {
  const trans = wordsIn(options);
  let chosen: IRun | null = null;
  const dialog: BodyDialog = new BodyDialog({
    title: trans.__('Response as it came'),
    body: options.runId ? (
      <ResponseReader
        {...options}
        trans={trans}
        onRequest={run => {
          chosen = run;
          dialog.reject();
        }}
      />
    ) : (
      <p>
        {trans.__(
          'This pair was not sent from here, so there is no response to show.'
        )}
      </p>
    ),
    className: 'jp-Turnbook-showRequest',
    trans
  });
  await dialog.launch();
  return chosen;
}

type Reading =
  | { kind: 'reading' }
  | { kind: 'gone' }
  | { kind: 'failed'; message: string }
  | {
      kind: 'read';
      run: IRun;
      /** All attempts of its pair, first to last. */
      attempts: readonly IAttempt[];
      read: Pick<IReadResponse, 'told' | 'body'>;
    };

/** Reads a response from the journal and shows it, or why that cannot be done. */
export function ResponseReader(
  props: IShowResponseOptions & {
    trans: TranslationBundle;
    onRequest: (run: IRun) => void;
  }
): JSX.Element {
  const { api, changed, chat, pair, trans } = props;
  const [runId, setRunId] = useState(props.runId);
  const [reading, setReading] = useState<Reading>({ kind: 'reading' });
  const [tries, setTries] = useState(0);
  const again = () => setTries(n => n + 1);
  useEffect(() => {
    let wanted = true;
    void readResponse(api, runId).then(result => {
      if (wanted) {
        setReading(result);
      }
    });
    return () => {
      wanted = false;
    };
  }, [api, runId, tries]);
  useEffect(() => {
    const onChanged = (_: unknown, other: string) => {
      if (other === pair) {
        setTries(n => n + 1);
      }
    };
    changed?.connect(onChanged);
    return () => {
      changed?.disconnect(onChanged);
    };
  }, [changed, pair]);

  switch (reading.kind) {
    case 'reading':
      return <p role="status">{trans.__('Reading the journal…')}</p>;
    case 'gone':
      return (
        <div className="jp-Turnbook-showRequest-gone" role="status">
          <p>
            {trans.__(
              'The journal of this server does not have this response: the message was sent from another server, or too long ago. Responses are kept for a limited time after their replies are saved.'
            )}
          </p>
        </div>
      );
    case 'failed':
      return (
        <div className="jp-Turnbook-showRequest-gone" role="alert">
          <p>{trans.__('The response cannot be read: %1', reading.message)}</p>
          <TextButton label={trans.__('Try again')} onClick={again} />
        </div>
      );
    case 'read': {
      const { read, run, attempts } = reading;
      const error = pairError(run);
      return (
        <>
          {attempts.length > 1 && (
            <AttemptSelect
              attempts={attempts}
              chosen={runId}
              trans={trans}
              onChoose={setRunId}
            />
          )}
          {(run.chat !== chat || run.pair !== pair) && (
            <p className="jp-Turnbook-showRequest-gone" role="status">
              {trans.__(
                'This was not sent for this message of this chat: the file or the cell is a copy, or was edited. It is the response to the request that the cell names.'
              )}
            </p>
          )}
          <ResponseView
            key={run.id}
            read={{
              ...read,
              id: run.id,
              source: 'journal',
              outcome: error ? errorText(error) : stateText(run.state, trans)
            }}
            trans={trans}
            onRefresh={isAlive(run) ? again : null}
            onRequest={() => props.onRequest(run)}
          />
        </>
      );
    }
  }
}

function AttemptSelect(props: {
  attempts: readonly IAttempt[];
  chosen: string;
  trans: TranslationBundle;
  onChoose: (run: string) => void;
}): JSX.Element {
  const { attempts, trans } = props;
  return (
    <label className="jp-Turnbook-showResponse-attempt">
      {trans.__('Attempt')}
      <select
        className="jp-Turnbook-field"
        value={props.chosen}
        onChange={event => props.onChoose(event.currentTarget.value)}
      >
        {attempts.map(({ run }) => (
          <option key={run.id} value={run.id}>
            {trans.__(
              '%1 of %2: %3, %4',
              run.attempt,
              attempts.length,
              stateText(run.state, trans),
              new Date(run.createdAt).toLocaleTimeString()
            )}
          </option>
        ))}
      </select>
    </label>
  );
}

async function readResponse(
  api: IShowResponseOptions['api'],
  runId: string
): Promise<Reading> {
  try {
    // Only the run; its events come with the response.
    const { run } = await api.getRun(runId, Number.MAX_SAFE_INTEGER);
    const [told, turn] = await Promise.all([
      api.getResponse(runId),
      api.getTurn(run.chat, run.pair)
    ]);
    const bytes = told.exact ? await api.getResponseBytes(runId) : null;
    const body = bytes && {
      bytes,
      shown: inspectResponse(bytes, told.events)
    };
    const { attempts } = turn;
    return { kind: 'read', run, attempts, read: { told, body } };
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) {
      return { kind: 'gone' };
    }
    return { kind: 'failed', message: errorMessage(error) };
  }
}
