import type { ITranslator, TranslationBundle } from '@jupyterlab/translation';
import React, { useEffect, useState } from 'react';

import { errorMessage } from '../../base/errors';
import { BodyDialog } from '../../ui/bodydialog';
import { TextButton } from '../../ui/controls';
import { wordsIn } from '../../ui/translation';
import { ApiError, type TurnbookAPI } from '../../runs/api';
import {
  inspect,
  parity,
  sizeText,
  type IInspected
} from '../../request/inspect';
import { EncodingNote, ExchangeBar } from './exchangebar';
import { MessagesView, RawView } from './requestview';

export interface IShowRequestOptions {
  api: Pick<TurnbookAPI, 'getRequest' | 'getRun'>;
  runId: string;
  /** The hash stored in the cell; empty if there is none. */
  requestHash: string;
  /** Whether there is a button that leads to the response. */
  hasResponse?: boolean;
  translator?: ITranslator;
}

/**
 * Show the exact bytes that a run put on the wire, and whether they match the cell's hash; resolves
 * when the dialog is closed.
 *
 * @returns Whether the user wants to see the response.
 */
export async function showRequest(
  options: IShowRequestOptions
): Promise<boolean> {
  const trans = wordsIn(options);
  let wantsResponse = false;
  const dialog: BodyDialog = new BodyDialog({
    title: trans.__('Request as it was sent'),
    body: options.runId ? (
      <RequestView
        {...options}
        trans={trans}
        onResponse={() => {
          wantsResponse = true;
          dialog.reject();
        }}
      />
    ) : (
      <p>
        {trans.__(
          'This pair was not sent from here: it came with a replay. The request editor shows the request that its cells make.'
        )}
      </p>
    ),
    className: 'jp-Turnbook-showRequest',
    trans
  });
  await dialog.launch();
  return wantsResponse;
}

type Reading =
  | { kind: 'reading' }
  | { kind: 'gone' }
  | { kind: 'failed'; message: string }
  | { kind: 'read'; bytes: Uint8Array; shown: IInspected; server: string };

interface IViewProps extends IShowRequestOptions {
  trans: TranslationBundle;
  onResponse: () => void;
}

/** A request from the journal, or why it cannot be shown. */
export function RequestView(props: IViewProps): JSX.Element {
  const { api, runId, requestHash, trans } = props;
  const [reading, setReading] = useState<Reading>({ kind: 'reading' });
  const [tries, setTries] = useState(0);
  useEffect(() => {
    let wanted = true;
    setReading({ kind: 'reading' });
    void read(api, runId).then(result => {
      if (wanted) {
        setReading(result);
      }
    });
    return () => {
      wanted = false;
    };
  }, [api, runId, tries]);

  switch (reading.kind) {
    case 'reading':
      return <p role="status">{trans.__('Reading the journal…')}</p>;
    case 'gone':
      return (
        <div className="jp-Turnbook-showRequest-gone" role="status">
          <p>
            {trans.__(
              'The journal no longer has this request: it keeps requests for a limited time after their replies are saved. What was sent cannot be shown byte for byte any more.'
            )}
          </p>
          <HashLine
            label={trans.__('Hash in the cell')}
            hash={requestHash || trans.__('none')}
          />
        </div>
      );
    case 'failed':
      return (
        <div className="jp-Turnbook-showRequest-gone" role="alert">
          <p>{trans.__('The request cannot be read: %1', reading.message)}</p>
          <TextButton
            label={trans.__('Try again')}
            onClick={() => setTries(tries + 1)}
          />
        </div>
      );
    case 'read':
      return <Shown {...props} {...reading} />;
  }
}

function Shown(
  props: IViewProps & Extract<Reading, { kind: 'read' }>
): JSX.Element {
  const { bytes, shown, runId, trans } = props;
  const [raw, setRaw] = useState(shown.messages === null);
  return (
    <>
      <Parity {...props} />
      <ExchangeBar
        view={trans.__('Messages')}
        isRaw={raw}
        onRaw={setRaw}
        size={
          <>
            {sizeText(shown.size)}
            {shown.messages &&
              ` · ${trans._n('%1 message', '%1 messages', shown.messages.length)}`}
          </>
        }
        copy={{
          text: () => shown.text,
          title: trans.__('Copy the whole text')
        }}
        file={{ bytes, name: `request-${runId}.json` }}
        other={
          props.hasResponse
            ? { label: trans.__('Show response'), onClick: props.onResponse }
            : null
        }
        trans={trans}
      />
      <EncodingNote isExact={shown.exact} trans={trans} />
      {raw ? (
        <RawView
          text={shown.text}
          label={trans.__('Raw request')}
          trans={trans}
        />
      ) : (
        <MessagesView shown={shown} trans={trans} />
      )}
    </>
  );
}

function Parity(
  props: IViewProps & { shown: IInspected; server: string }
): JSX.Element {
  const { shown, server, requestHash, trans } = props;
  const { agrees, differing, recorded } = parity(
    shown.hash,
    requestHash,
    server
  );
  if (!agrees) {
    return (
      <div
        className="jp-Turnbook-showRequest-parity"
        data-turnbook-parity="differs"
        role="alert"
      >
        <strong>✗ {trans.__('The hash differs')}</strong>{' '}
        {trans.__(
          'These are not the bytes that the record describes. The file may have been edited, or it comes from another journal.'
        )}
        <HashLine label={trans.__('These bytes')} hash={shown.hash} />
        {differing.map(({ source, hash }) => (
          <HashLine
            key={source}
            label={
              source === 'cell'
                ? trans.__('Hash in the cell')
                : trans.__('Hash of the server')
            }
            hash={hash}
          />
        ))}
      </div>
    );
  }
  return (
    <div
      className="jp-Turnbook-showRequest-parity"
      data-turnbook-parity={recorded ? 'agrees' : 'unrecorded'}
      role="status"
    >
      {recorded ? (
        <>
          <strong>✓ {trans.__('The hash agrees')}</strong>{' '}
          {trans.__(
            'These bytes, the cell and the server’s record have the same sha256.'
          )}
        </>
      ) : (
        trans.__(
          'These are the bytes of the server’s record. The cell keeps no hash to compare them with.'
        )
      )}
      <HashLine label="sha256" hash={shown.hash} />
    </div>
  );
}

/** A hash with what it is of. */
export function HashLine(props: { label: string; hash: string }): JSX.Element {
  return (
    <div className="jp-Turnbook-showRequest-hash">
      {props.label}: <code>{props.hash}</code>
    </div>
  );
}

async function read(
  api: IShowRequestOptions['api'],
  runId: string
): Promise<Reading> {
  try {
    const [bytes, { run }] = await Promise.all([
      api.getRequest(runId),
      // Only the run; its events are not needed.
      api.getRun(runId, Number.MAX_SAFE_INTEGER)
    ]);
    return { kind: 'read', bytes, shown: inspect(bytes), server: run.hash };
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) {
      return { kind: 'gone' };
    }
    return {
      kind: 'failed',
      message: errorMessage(error)
    };
  }
}
