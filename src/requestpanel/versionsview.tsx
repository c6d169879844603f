import * as React from 'react';

import { changesBetween } from '../request/changes';
import type { IVersion, VersionReason } from '../request/model';
import { showComparison } from '../ui/comparison';
import { TextButton } from '../ui/controls';
import { useWords } from '../ui/language';

export interface IVersionsViewProps {
  versions: readonly IVersion[];
  /** The current body. */
  body: string;
  /** The body before edits. */
  original: string;
  restore(n: number): void;
}

/** The versions of a draft that were sent, replayed or paused. */
export function VersionsView(props: IVersionsViewProps): JSX.Element {
  const { versions, body, original } = props;
  const trans = useWords();
  const [from, setFrom] = React.useState('original');
  const [to, setTo] = React.useState('now');
  const changes = React.useMemo(
    () =>
      new Map(
        versions.map(({ n, body }, place) => [
          n,
          changesBetween(versions[place - 1]?.body ?? original, body)
        ])
      ),
    [versions, original]
  );
  const names = new Map<string, { name: string; body: string }>([
    ['original', { name: trans.__('Original'), body: original }],
    ...versions.map(
      ({ n, body }) =>
        [String(n), { name: trans.__('Version %1', n), body }] as const
    ),
    ['now', { name: trans.__('Current'), body }]
  ]);
  const pick = (
    label: string,
    value: string,
    onChange: (value: string) => void
  ) => (
    <select
      aria-label={label}
      title={label}
      value={names.has(value) ? value : 'now'}
      onChange={event => onChange(event.target.value)}
    >
      {[...names].map(([key, { name }]) => (
        <option key={key} value={key}>
          {name}
        </option>
      ))}
    </select>
  );
  const compare = (first: string, second: string) => {
    const [a, b] = [names.get(first)!, names.get(second)!];
    void showComparison(
      {
        title: trans.__('%1 and %2', a.name, b.name),
        before: { name: a.name, text: readable(a.body) },
        after: { name: b.name, text: readable(b.body) },
        isJson: true
      },
      trans
    );
  };
  return (
    <div className="jp-Turnbook-versions">
      {(versions.length > 0 || body !== original) && (
        <div className="jp-Turnbook-versions-compare">
          {pick(trans.__('Compare from'), from, setFrom)}
          <span aria-hidden="true">→</span>
          {pick(trans.__('Compare to'), to, setTo)}
          <TextButton
            label={trans.__('Compare')}
            title={trans.__('Show what differs')}
            onClick={() => compare(from, to)}
          />
        </div>
      )}
      {versions.length === 0 ? (
        <p className="jp-Turnbook-panel-none">
          {trans.__(
            'Every send, pause, apply and replay takes a version, which can be opened, compared and restored here.'
          )}
        </p>
      ) : (
        <ol aria-label={trans.__('Versions')}>
          {[...versions].reverse().map(version => (
            <li key={version.n}>
              <strong>{trans.__('Version %1', version.n)}</strong>
              <span>
                {version.why.map(why => whyWord(why, trans)).join(', ')}
              </span>
              <time
                className="jp-Turnbook-versions-last jp-Turnbook-hint"
                dateTime={new Date(version.at).toISOString()}
                title={new Date(version.at).toLocaleString()}
              >
                {new Date(version.at).toLocaleTimeString()}
              </time>
              <code
                className="jp-Turnbook-hash"
                title={trans.__('sha256 %1', version.hash)}
              >
                {version.hash.slice(0, 8)}
              </code>
              <span
                className="jp-Turnbook-hint"
                title={
                  version === versions[0]
                    ? trans.__('Compared with the original')
                    : trans.__('Compared with the version before')
                }
              >
                {trans._n(
                  '%1 change',
                  '%1 changes',
                  changes.get(version.n) ?? 0
                )}
              </span>
              <span className="jp-Turnbook-versions-last">
                <TextButton
                  link
                  label={trans.__('Open')}
                  title={trans.__('Show it against the original')}
                  onClick={() => compare('original', String(version.n))}
                />
                <TextButton
                  link
                  label={trans.__('Restore')}
                  title={trans.__(
                    'Restore this version of the request (can be undone)'
                  )}
                  onClick={() => props.restore(version.n)}
                />
              </span>
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}

function whyWord(
  why: VersionReason,
  trans: ReturnType<typeof useWords>
): string {
  switch (why) {
    case 'send':
      return trans.__('sent');
    case 'replay':
      return trans.__('replayed');
    case 'pause':
      return trans.__('paused');
    case 'apply':
      return trans.__('snapshot applied');
  }
}

/** A body in several lines, so that it can be compared line by line. */
export function readable(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch (error) {
    if (error instanceof SyntaxError) {
      return body;
    }
    throw error;
  }
}
