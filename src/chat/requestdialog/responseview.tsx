import type { TranslationBundle } from '@jupyterlab/translation';
import React, { useMemo, useState } from 'react';

import type { IResponse } from '../../base/run';
import { sizeText } from '../../request/inspect';
import type {
  IInspectedResponse,
  IShownEvent
} from '../../request/inspectresponse';
import { TextButton } from '../../ui/controls';
import { VirtualList } from '../../ui/virtuallist';
import { EncodingNote, ExchangeBar } from './exchangebar';
import { Folding, RawView } from './requestview';
import { HashLine } from './showrequest';

/** A response as it was read from the journal or from a record. */
export interface IReadResponse {
  /** The run's id. */
  id: string;
  source: 'journal' | 'record';
  /** How it ended, as a text for the user; null if that is not known. */
  outcome: string | null;
  told: Omit<IResponse, 'run' | 'state' | 'end'>;
  /** Its bytes and what they say; null if they are not kept. */
  body: { bytes: Uint8Array; shown: IInspectedResponse } | null;
}

/** What came over the wire: how it went, its events, and its bytes. */
export function ResponseView(props: {
  read: IReadResponse;
  trans: TranslationBundle;
  /** Read the response again; null if nothing more can come. */
  onRefresh?: (() => void) | null;
  /** Show its request; absent if there is no way to it. */
  onRequest?: () => void;
}): JSX.Element {
  const { read, trans, onRefresh, onRequest } = props;
  const { told, body } = read;
  const events: readonly IShownEvent[] = body?.shown.events ?? told.events;
  const [raw, setRaw] = useState(body !== null && events.length === 0);
  const copy = body
    ? {
        text: () => body.shown.text,
        title: trans.__('Copy the whole text')
      }
    : {
        text: () => events.map(({ data }) => data).join('\n\n'),
        title: trans.__('Copy the data of all events')
      };
  return (
    <>
      <Proof read={read} trans={trans} />
      <Facts read={read} events={events} trans={trans} />
      <ExchangeBar
        view={body ? trans.__('Events') : undefined}
        isRaw={raw}
        onRaw={setRaw}
        size={
          <>
            {told.size !== null && `${sizeText(told.size)} · `}
            {trans._n('%1 event', '%1 events', events.length)}
          </>
        }
        copy={copy}
        file={body && { bytes: body.bytes, name: `response-${read.id}.txt` }}
        other={
          onRequest
            ? { label: trans.__('Show request'), onClick: onRequest }
            : null
        }
        trans={trans}
      >
        {onRefresh && (
          <TextButton
            label={trans.__('Refresh')}
            title={trans.__('Show what has come since')}
            onClick={onRefresh}
          />
        )}
      </ExchangeBar>
      <EncodingNote isExact={body?.shown.exact ?? true} trans={trans} />
      {raw && body ? (
        <RawView
          text={body.shown.text}
          label={trans.__('Raw response')}
          trans={trans}
        />
      ) : (
        <EventList events={events} hasBody={body !== null} trans={trans} />
      )}
    </>
  );
}

/** Whether the bytes are those that came, or why they are not kept. */
function Proof(props: {
  read: IReadResponse;
  trans: TranslationBundle;
}): JSX.Element {
  const { told, body, source } = props.read;
  const { trans } = props;
  const isRecord = source === 'record';
  if (!body) {
    return (
      <div
        className="jp-Turnbook-showRequest-parity"
        data-turnbook-parity="not-kept"
        role="status"
      >
        {missingText(told, trans)}
        {told.hash && (
          <HashLine
            label={trans.__('sha256 of what came, by the server')}
            hash={told.hash}
          />
        )}
      </div>
    );
  }
  const { hash } = body.shown;
  if (hash !== told.hash) {
    return (
      <div
        className="jp-Turnbook-showRequest-parity"
        data-turnbook-parity="differs"
        role="alert"
      >
        <strong>✗ {trans.__('The hash differs')}</strong>{' '}
        {trans.__('These are not the bytes that came.')}
        <HashLine label={trans.__('These bytes')} hash={hash} />
        <HashLine
          label={
            isRecord
              ? trans.__('Hash in the record')
              : trans.__('Hash of the server')
          }
          hash={told.hash ?? trans.__('none')}
        />
      </div>
    );
  }
  return (
    <div
      className="jp-Turnbook-showRequest-parity"
      data-turnbook-parity="agrees"
      role="status"
    >
      <strong>✓ {trans.__('The hash agrees')}</strong>{' '}
      {isRecord
        ? trans.__('These bytes have the sha256 that is in the record.')
        : trans.__(
            'These bytes have the sha256 that the server computed as they came.'
          )}
      <HashLine label="sha256" hash={hash} />
    </div>
  );
}

/** How the response went: outcome, status, times, and the headers that are kept. */
function Facts(props: {
  read: IReadResponse;
  events: readonly IShownEvent[];
  trans: TranslationBundle;
}): JSX.Element {
  const { read, events, trans } = props;
  const { told, outcome } = read;
  const first = events.find(({ at }) => at !== null)?.at ?? null;
  const facts: [string, string | null][] = [
    [trans.__('Outcome'), outcome],
    [trans.__('Status'), told.status === null ? null : `${told.status}`],
    [trans.__('Sent'), told.sentAt === null ? null : moment(told.sentAt)],
    [trans.__('Answered'), after(told.answered, trans)],
    [trans.__('First event'), after(first, trans)],
    [trans.__('Ended'), after(told.ended, trans)]
  ];
  const headers = Object.entries(told.headers);
  return (
    <div className="jp-Turnbook-showResponse-facts">
      <dl aria-label={trans.__('The response')}>
        {facts.map(
          ([name, value]) =>
            value !== null && (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            )
        )}
      </dl>
      {headers.length > 0 && (
        <details>
          <summary>
            {trans._n('%1 header', '%1 headers', headers.length)}
          </summary>
          <dl aria-label={trans.__('Headers that are kept')}>
            {headers.map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
        </details>
      )}
    </div>
  );
}

function EventList(props: {
  events: readonly IShownEvent[];
  hasBody: boolean;
  trans: TranslationBundle;
}): JSX.Element {
  const { events, hasBody, trans } = props;
  const [pinned, setPinned] = useState<string | null>(null);
  const ids = useMemo(() => events.map((_, index) => `${index}`), [events]);
  if (events.length === 0) {
    return (
      <p className="jp-Turnbook-showRequest-note">
        {hasBody
          ? trans.__(
              'It did not come as a stream of events. Raw shows it as it is.'
            )
          : trans.__('No events.')}
      </p>
    );
  }
  return (
    <div
      className="jp-Turnbook-showResponse-events"
      onFocus={event => {
        const row = (event.target as HTMLElement).closest<HTMLElement>(
          '[data-turnbook-row]'
        );
        setPinned(row?.dataset.turnbookRow ?? null);
      }}
    >
      <VirtualList
        label={trans.__('Events of the response')}
        ids={ids}
        pinned={pinned}
        scrollsByKeys
        row={(_, index) => (
          <div className="jp-Turnbook-showResponse-event">
            <span className="jp-Turnbook-showResponse-number">{index + 1}</span>
            <span className="jp-Turnbook-showResponse-time">
              {after(events[index].at, trans) ?? '–'}
            </span>
            <Folding text={events[index].data} trans={trans} />
          </div>
        )}
      />
    </div>
  );
}

/** Why the exact bytes of a response are not there. */
function missingText(
  { missing }: IReadResponse['told'],
  trans: TranslationBundle
): string {
  switch (missing) {
    case 'under-way':
      return trans.__(
        'The response is still arriving. These are the events so far; its bytes and its hash follow when it has ended.'
      );
    case 'no-answer':
      return trans.__('No response came.');
    case 'server-stopped':
      return trans.__(
        'The exact bytes are not kept: the Jupyter server stopped before the response ended. These are the events that came until then.'
      );
    case 'redacted':
      return trans.__(
        'The exact bytes are not kept: the response contained a key, which is never stored. In the events it is replaced.'
      );
    case 'malformed':
      return trans.__(
        'The exact bytes are not kept: they are not a stream that the journal can store in parts. These are the events that were read.'
      );
    case 'compressed':
      return trans.__(
        'The exact bytes are not kept: the response was compressed, so it was not read.'
      );
    default:
      return trans.__(
        'The exact bytes are not kept: an older version of Turnbook recorded this response. These are its events.'
      );
  }
}

function moment(at: number): string {
  return new Date(at).toLocaleString(undefined, {
    dateStyle: 'short',
    timeStyle: 'medium'
  });
}

/** How long after the request left. */
function after(ms: number | null, trans: TranslationBundle): string | null {
  if (ms === null) {
    return null;
  }
  return ms < 1000
    ? trans.__('+%1 ms', ms)
    : trans.__('+%1 s', (ms / 1000).toFixed(2));
}
