import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { Link, ParityChip, SentChip } from './banner';
import type { IReplayEntry } from '../model/entry';
import { differsFromLogged, isSentAsReplayed } from '../model/record';
import type { ReplayState } from '../model/state';
import { clearedText, problemText } from './view';

const CLASS = 'jp-Turnbook-replays';

/** The replays of a chat's turns, in the Request panel. */
export function ReplaysSection(props: {
  entries: readonly IReplayEntry[];
  trans: TranslationBundle;
  isOutdated: (key: string) => boolean;
  onOpen: (key: string) => void;
  onRestore: (key: string) => void;
  onExport: (key: string) => void;
  onCompare: (key: string) => void;
}): JSX.Element {
  const { entries, trans } = props;
  if (!entries.length) {
    return (
      <p className="jp-Turnbook-panel-none">
        {trans.__(
          'No replay yet. Replay edited prompt shows the request as a notebook; the model is not called.'
        )}
      </p>
    );
  }
  return (
    <ul className={CLASS} aria-label={trans.__('Replays')}>
      {[...entries]
        .sort((a, b) => b.origin.turn - a.origin.turn)
        .map(entry => (
          <Row key={entry.key} entry={entry} {...props} />
        ))}
    </ul>
  );
}

function Row(props: {
  entry: IReplayEntry;
  trans: TranslationBundle;
  isOutdated: (key: string) => boolean;
  onOpen: (key: string) => void;
  onRestore: (key: string) => void;
  onExport: (key: string) => void;
  onCompare: (key: string) => void;
}): JSX.Element {
  const { entry, trans } = props;
  const { key, machine, origin } = entry;
  const record = entry.current?.replay.record;
  const previous = machine.previous?.version;
  return (
    <li className={`${CLASS}-row`} data-turnbook-replay={machine.state}>
      <div className={`${CLASS}-line`}>
        <strong>{trans.__('turn %1', origin.turn)}</strong>
        <span className="jp-Turnbook-chip" data-state={machine.state}>
          {props.isOutdated(key)
            ? trans.__('outdated')
            : stateWord(machine.state, trans)}
        </span>
        {record && isSentAsReplayed(record) && (
          <SentChip record={record} trans={trans} />
        )}
        {record && differsFromLogged(record) && (
          <ParityChip record={record} trans={trans} />
        )}
        <span className="jp-Turnbook-spacer" />
        <span>
          {record
            ? trans.__('version %1 · %2', record.version, timeOf(record.at))
            : machine.why && (
                <span title={clearedText(machine.why, trans)}>
                  {trans.__('Replay cleared')}
                </span>
              )}
        </span>
      </div>
      <div className={`${CLASS}-links`}>
        {record && (
          <Link onClick={() => props.onOpen(key)}>{trans.__('Open')}</Link>
        )}
        {entry.canRestore && (
          <Link onClick={() => props.onRestore(key)}>
            {trans.__('Restore previous (%1)', previous ?? '')}
          </Link>
        )}
        {record && (
          <Link onClick={() => props.onExport(key)}>
            {trans.__('Export record')}
          </Link>
        )}
        {entry.current?.before != null && (
          <Link onClick={() => props.onCompare(key)}>
            {trans.__('Show changes')}
          </Link>
        )}
      </div>
      {entry.problem && (
        <div className="jp-Turnbook-notice jp-mod-warning" role="status">
          {problemText(entry.problem, trans)}
        </div>
      )}
    </li>
  );
}

function stateWord(state: ReplayState, trans: TranslationBundle): string {
  switch (state) {
    case 'idle':
      return trans.__('none');
    case 'building':
      return trans.__('building');
    case 'replay_ready':
      return trans.__('ready');
    case 'fork_active':
      return trans.__('chatting');
    case 'stale':
      return trans.__('stale');
  }
}

function timeOf(at: number): string {
  return new Date(at).toLocaleTimeString([], {
    hour: '2-digit',
    minute: '2-digit'
  });
}
