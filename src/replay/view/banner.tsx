import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { payloadOptions } from '../model/projection';
import {
  differsFromLogged,
  isSentAsReplayed,
  sessionTail,
  type IRecord,
  type IReplay
} from '../model/record';
import { clearedText, problemText, type IReplayView } from './view';

/** The actions of a replay. */
export interface IReplayActions {
  back(): void;
  /** Absent if there is no Request panel. */
  openEditor?(): void;
  startChatting(): void;
  exportRecord(): void;
  /** Send the request again, to several models, several times. */
  rerun(): void;
  /** Show the response that a record has. */
  showResponse(): void;
  restore(): void;
  compare(): void;
  /** Discard all edits. */
  reset(): void;
}

/** A turn of the same chat that has a replay too. */
export interface IReplayChoice {
  readonly key: string;
  readonly turn: number;
  readonly version: number | null;
}

const CLASS = 'jp-Turnbook-replayBanner';

/** The banner of a replay: what it is, where it comes from, and its actions. */
export function ReplayBanner(props: {
  view: IReplayView;
  actions: IReplayActions;
  /** The replays of the chat, including this one; empty for a record. */
  choices: readonly IReplayChoice[];
  chosen: string | null;
  onChoose: (key: string) => void;
  trans: TranslationBundle;
}): JSX.Element {
  const { view, actions, trans } = props;
  const record = view.built?.replay.record;
  return (
    <div className={CLASS}>
      {record ? (
        <div className={`${CLASS}-row`}>
          <Badge view={view} replay={view.built!.replay} trans={trans} />
          {props.choices.length > 1 && <Chooser {...props} />}
          <span className="jp-Turnbook-spacer" />
          <Buttons view={view} actions={actions} trans={trans} />
        </div>
      ) : (
        <Cleared view={view} actions={actions} trans={trans} />
      )}
      <Notices view={view} actions={actions} trans={trans} />
    </div>
  );
}

function Chooser(props: {
  choices: readonly IReplayChoice[];
  chosen: string | null;
  onChoose: (key: string) => void;
  trans: TranslationBundle;
}): JSX.Element {
  const { choices, chosen, onChoose, trans } = props;
  return (
    <select
      aria-label={trans.__('Replayed turn')}
      title={trans.__('Other turns of this chat have replays too')}
      value={chosen ?? ''}
      onChange={event => onChoose(event.target.value)}
    >
      {choices.map(({ key, turn, version }) => (
        <option key={key} value={key}>
          {version === null
            ? trans.__('turn %1 · cleared', turn)
            : trans.__('turn %1 · version %2', turn, version)}
        </option>
      ))}
    </select>
  );
}

function Badge(props: {
  view: IReplayView;
  replay: IReplay;
  trans: TranslationBundle;
}): JSX.Element {
  const { view, replay, trans } = props;
  const { record, lineage } = replay;
  return (
    <>
      <span
        className="jp-Turnbook-replayBadge"
        title={[
          trans.__('Request %1', record.requestId),
          trans.__('SHA-256 %1', record.hash),
          ...(record.debugName ? [record.debugName] : [])
        ].join('\n')}
      >
        {trans.__('Replayed prompt · %1', sessionTail(replay))}
      </span>
      <span className={`${CLASS}-words`}>
        {view.from ? (
          <>
            {trans.__('from')}{' '}
            <strong title={view.from.path}>{view.from.name}</strong>
            {trans.__(
              ', turn %1, version %2. ',
              view.from.turn ?? '?',
              record.version
            )}
          </>
        ) : (
          trans.__(
            'from a record of chat %1, version %2. ',
            lineage.replay_parent_session_id.slice(-4),
            record.version
          )
        )}
        {trans.__('Read-only; the model was not called.')}
      </span>
    </>
  );
}

function Buttons(props: {
  view: IReplayView;
  actions: IReplayActions;
  trans: TranslationBundle;
}): JSX.Element {
  const { view, actions, trans } = props;
  const isEntry = view.kind === 'entry';
  const edited = view.built?.before !== null;
  return (
    <span className={`${CLASS}-buttons`}>
      <Button onClick={actions.back}>{trans.__('Back to conversation')}</Button>
      {isEntry && actions.openEditor && (
        <Button onClick={actions.openEditor}>
          {trans.__('Open request editor')}
        </Button>
      )}
      {edited && (
        <Button onClick={actions.compare}>{trans.__('Show changes')}</Button>
      )}
      {view.canRestore && (
        <Button onClick={actions.restore}>
          {trans.__('Restore previous replay')}
        </Button>
      )}
      {view.built?.replay.record.response && (
        <Button onClick={actions.showResponse}>
          {trans.__('Show response')}
        </Button>
      )}
      {isEntry && (
        <Button onClick={actions.exportRecord}>
          {trans.__('Export replay record')}
        </Button>
      )}
      <Button onClick={actions.rerun}>{trans.__('Rerun…')}</Button>
      <Button isPrimary onClick={actions.startChatting}>
        {trans.__('Start chatting from this replay')}
      </Button>
    </span>
  );
}

function Cleared(props: {
  view: IReplayView;
  actions: IReplayActions;
  trans: TranslationBundle;
}): JSX.Element {
  const { view, actions, trans } = props;
  const { status } = view;
  if (status.name === 'building') {
    return (
      <div className={`${CLASS}-row`} role="status">
        {trans.__('Building the replay…')}
      </div>
    );
  }
  const title =
    status.name === 'damaged'
      ? trans.__('No replay record')
      : status.name === 'empty'
        ? trans.__('Nothing to replay')
        : trans.__('Replay cleared');
  return (
    <div className={`${CLASS}-row`} role="status">
      <strong>{title}</strong>
      <span className={`${CLASS}-words`}>
        {status.name === 'cleared' && clearedText(status.why, trans)}
      </span>
      <span className="jp-Turnbook-spacer" />
      {view.from && (
        <Button onClick={actions.back}>
          {trans.__('Back to conversation')}
        </Button>
      )}
      {view.canRestore && (
        <Button onClick={actions.restore}>
          {trans.__('Restore previous replay')}
        </Button>
      )}
      {status.name !== 'damaged' && actions.openEditor && (
        <Button onClick={actions.openEditor}>
          {trans.__('Open request editor')}
        </Button>
      )}
    </div>
  );
}

function Notices(props: {
  view: IReplayView;
  actions: IReplayActions;
  trans: TranslationBundle;
}): JSX.Element {
  const { view, actions, trans } = props;
  const record = view.built?.replay.record;
  return (
    <>
      {view.problem !== null && (
        <Notice kind="warning">
          {problemText(view.problem, trans)}{' '}
          {actions.openEditor && (
            <Link onClick={actions.openEditor}>
              {trans.__('Open request editor')}
            </Link>
          )}{' '}
          <Link onClick={actions.reset}>{trans.__('Reset the edits')}</Link>
        </Notice>
      )}
      {view.status.name === 'damaged' &&
        view.status.problems.map(problem => (
          <Notice key={problem} kind="error">
            {problem}
          </Notice>
        ))}
      {record && isSentAsReplayed(record) && (
        <SentChip record={record} trans={trans} />
      )}
      {record && differsFromLogged(record) && (
        <Notice kind="warning">
          <ParityChip record={record} trans={trans} />
          {trans.__(
            'This is not the request that was logged for the turn: %1 here, %2 logged. ',
            shortHash(record.hash),
            shortHash(record.loggedHash!)
          )}
          {view.built?.before != null && (
            <Link onClick={actions.compare}>{trans.__('Show changes')}</Link>
          )}
        </Notice>
      )}
      {record?.trimmed && (
        <Notice kind="warning">
          {trans.__('Prompt was trimmed; replay may omit truncated content.')}{' '}
          {trans._n(
            '%1 pair was left out; about %2 tokens are in it.',
            '%1 pairs were left out; about %2 tokens are in it.',
            record.trimmed.pairs,
            record.trimmed.tokens.toLocaleString('en')
          )}
        </Notice>
      )}
      {record && (
        <details className={`${CLASS}-options`}>
          <summary>
            {trans._n(
              'Options and hash · %1 section',
              'Options and hash · %1 sections',
              record.sections.length
            )}
            {record.deleted > 0 && trans.__(', %1 deleted', record.deleted)}
          </summary>
          <pre>{JSON.stringify(payloadOptions(record.payload), null, 2)}</pre>
          <code>sha256 {record.hash}</code>
        </details>
      )}
    </>
  );
}

/** Says that the turn was sent with these bytes, and in which run. */
export function SentChip(props: {
  record: IRecord;
  trans: TranslationBundle;
}): JSX.Element {
  const { record, trans } = props;
  return (
    <span
      className="jp-Turnbook-chip jp-mod-sent"
      title={trans.__('Request %1\nSHA-256 %2', record.requestId, record.hash)}
    >
      {trans.__('Sent as replayed')}
    </span>
  );
}

/** Says that other bytes were logged, with both hashes. */
export function ParityChip(props: {
  record: IRecord;
  trans: TranslationBundle;
}): JSX.Element {
  const { record, trans } = props;
  return (
    <span
      className="jp-Turnbook-chip jp-mod-parity"
      title={trans.__(
        'Replayed %1\nLogged %2',
        record.hash,
        record.loggedHash ?? ''
      )}
    >
      {trans.__('differs from logged')}
    </span>
  );
}

/** The start and the end of a hash. */
export function shortHash(hash: string): string {
  return `${hash.slice(0, 4)}…${hash.slice(-4)}`;
}

function Notice(props: {
  kind: 'warning' | 'error';
  children: React.ReactNode;
}): JSX.Element {
  return (
    <div
      className={`jp-Turnbook-notice jp-mod-${props.kind}`}
      role={props.kind === 'error' ? 'alert' : 'status'}
    >
      <span>{props.children}</span>
    </div>
  );
}

/** A button that looks like the others of a chat. */
export function Button(props: {
  onClick: () => void;
  isPrimary?: boolean;
  children: React.ReactNode;
}): JSX.Element {
  return (
    <button
      type="button"
      className={`jp-Turnbook-button${props.isPrimary ? ' jp-mod-primary' : ''}`}
      onClick={props.onClick}
    >
      {props.children}
    </button>
  );
}

/** A button that reads as part of a sentence. */
export function Link(props: {
  onClick: () => void;
  children: React.ReactNode;
}): JSX.Element {
  return (
    <button type="button" className="jp-Turnbook-link" onClick={props.onClick}>
      {props.children}
    </button>
  );
}
