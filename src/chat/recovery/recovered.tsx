import type { ITranslator, TranslationBundle } from '@jupyterlab/translation';
import React, { useEffect, useRef, useState } from 'react';

import { errorMessage } from '../../base/errors';
import { BodyDialog } from '../../ui/bodydialog';
import { wordsIn } from '../../ui/translation';
import type { IRun, RunState } from '../../base/run';
import type { IRecoveredRun } from '../../session/recovery';
import { sourceText, start } from './source';

export {
  loadReplies,
  recoverable,
  type IRecoveredRun
} from '../../session/recovery';

export interface IShowRecoveredOptions {
  runs: readonly IRecoveredRun[];
  /** Whether a chat is open; without one, Restore creates a chat. */
  isChatOpen?: boolean;
  /** Insert a pair into the document again. */
  onRestore(run: IRun): void | Promise<void>;
  /** Discard a reply for good; without this, nothing can be discarded. */
  onDiscard?(run: IRun): void | Promise<void>;
  translator?: ITranslator;
}

/**
 * Show the replies that are in the journal but not in the notebook; resolves when the dialog
 * is closed.
 */
export async function showRecovered(
  options: IShowRecoveredOptions
): Promise<void> {
  const trans = wordsIn(options);
  const dialog = new BodyDialog({
    title: trans.__('Recovered replies'),
    body: <RecoveredList {...options} trans={trans} />,
    className: 'jp-Turnbook-recovered',
    trans
  });
  await dialog.launch();
}

interface IListProps extends IShowRecoveredOptions {
  trans: TranslationBundle;
}

/** The recovered replies as a list; a row disappears when it is restored or discarded. */
export function RecoveredList(props: IListProps): JSX.Element {
  const { trans } = props;
  const [left, setLeft] = useState(props.runs);
  const [said, setSaid] = useState('');
  const remove = (run: IRun, words: string) => {
    setLeft(now => now.filter(one => one.run.id !== run.id));
    setSaid(words);
  };
  return (
    <div className="jp-Turnbook-recovered-view">
      {left.length > 0 ? (
        <>
          <p className="jp-Turnbook-hint">
            {props.isChatOpen === false
              ? trans.__(
                  'The files of these chats are gone; the journal of the server still has their replies. Restore puts a pair into a new chat.'
                )
              : trans.__(
                  'These replies are in the journal of the server but not in this chat. Restore puts a pair back where it was, or at the end if it was in a chat whose file is gone.'
                )}
          </p>
          <ul aria-label={trans.__('Recovered replies')}>
            {left.map(item => (
              <RecoveredItem
                key={item.run.id}
                {...props}
                item={item}
                onGone={remove}
              />
            ))}
          </ul>
        </>
      ) : (
        <p>
          {props.isChatOpen === false
            ? trans.__(
                'Nothing to recover: no chat whose file is gone has replies in the journal. Open a chat to see what it is missing.'
              )
            : trans.__(
                'Nothing to recover: every reply that the journal keeps for this chat is in the notebook.'
              )}
        </p>
      )}
      <p role="status" className="jp-Turnbook-hint">
        {said}
      </p>
    </div>
  );
}

const BEGINNING = 400;

function RecoveredItem(
  props: IListProps & {
    item: IRecoveredRun;
    onGone: (run: IRun, words: string) => void;
  }
): JSX.Element {
  const { item, onRestore, onDiscard, onGone, trans } = props;
  const { run, text, problem } = item;
  const [busy, setBusy] = useState(false);
  const [asking, setAsking] = useState<boolean | null>(null);
  const [failure, setFailure] = useState('');
  const keep = useRef<HTMLButtonElement>(null);
  const discard = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (asking !== null) {
      (asking ? keep : discard).current?.focus();
    }
  }, [asking]);

  const act = async (
    action: (run: IRun) => void | Promise<void>,
    done: string
  ) => {
    setBusy(true);
    setFailure('');
    try {
      await action(run);
    } catch (error) {
      setBusy(false);
      setFailure(errorMessage(error));
      return;
    }
    onGone(run, done);
  };
  const source = sourceText(run);
  const name = start(source, 60) || run.pair;

  return (
    <li className="jp-Turnbook-recovered-item" data-turnbook-run={run.id}>
      <div className="jp-Turnbook-recovered-text">
        <div className="jp-Turnbook-recovered-user">
          {start(source, BEGINNING)}
        </div>
        <div className="jp-Turnbook-recovered-reply">
          {problem === undefined
            ? start(text, BEGINNING) || trans.__('(no text arrived)')
            : trans.__(
                'The reply cannot be read now: %1 Close this list and open it again to retry.',
                problem
              )}
        </div>
        <div className="jp-Turnbook-hint" title={item.from?.path}>
          {[
            `${run.provider}/${run.model}`,
            new Date(run.createdAt).toLocaleString(),
            stateText(run.state, trans),
            ...(item.from
              ? [trans.__('from %1, which is gone', item.from.title)]
              : [])
          ].join(' · ')}
        </div>
        {failure && (
          <div role="alert" className="jp-Turnbook-recovered-failure">
            {failure}
          </div>
        )}
      </div>
      {asking ? (
        <div
          role="group"
          aria-label={trans.__('Discard this reply for good?')}
          className="jp-Turnbook-recovered-buttons"
        >
          <span>{trans.__('Discard for good?')}</span>
          <button
            type="button"
            className="jp-Turnbook-button jp-mod-warn"
            disabled={busy}
            onClick={() => void act(onDiscard!, trans.__('Discarded.'))}
          >
            {trans.__('Yes, discard')}
          </button>
          <button
            ref={keep}
            type="button"
            className="jp-Turnbook-button"
            disabled={busy}
            onClick={() => setAsking(false)}
          >
            {trans.__('Keep')}
          </button>
        </div>
      ) : (
        <div className="jp-Turnbook-recovered-buttons">
          <button
            type="button"
            className="jp-Turnbook-button jp-mod-accept"
            disabled={busy || problem !== undefined}
            title={trans.__('Restore “%1”', name)}
            onClick={() => void act(onRestore, trans.__('Restored.'))}
          >
            {trans.__('Restore')}
          </button>
          {onDiscard && (
            <button
              ref={discard}
              type="button"
              className="jp-Turnbook-button"
              disabled={busy}
              title={trans.__('Discard “%1”', name)}
              onClick={() => setAsking(true)}
            >
              {trans.__('Discard')}
            </button>
          )}
        </div>
      )}
    </li>
  );
}

/** The state of a run as a text. */
export function stateText(state: RunState, trans: TranslationBundle): string {
  switch (state) {
    case 'claimed':
    case 'sending':
    case 'streaming':
      return trans.__('still arriving');
    case 'done':
      return trans.__('complete');
    case 'stopped':
      return trans.__('stopped');
    case 'failed':
      return trans.__('failed');
    case 'interrupted':
      return trans.__('interrupted');
    case 'unknown':
      return trans.__('not known whether it was sent');
  }
}
