import * as React from 'react';

import type { IRerun } from '../base/run';
import { Banner, Chip, TextButton } from '../ui/controls';
import { useWords } from '../ui/language';
import { useSignal } from '../ui/usesignal';
import type { RerunList } from './list';
import {
  canGoOn,
  doubtful,
  extentWords,
  isAlive,
  progressWords,
  stateWords
} from './words';

const CLASS = 'jp-Turnbook-reruns';

/** What can be done with reruns. Failures are told to the user. */
export interface IRerunActions {
  stop(id: string, now: boolean): void;
  goOn(id: string, again: boolean): void;
  open(path: string): void;
  forget(id: string): void;
}

/** All reruns, with how far they are and what can be done. */
export function RerunsView(props: {
  list: RerunList;
  actions: IRerunActions;
}): JSX.Element {
  const { list, actions } = props;
  const trans = useWords();
  useSignal(list.changed);
  const { reruns, trouble } = list;
  return (
    <>
      {trouble && (
        <Banner kind="error">
          {trans.__(
            'The Jupyter server does not respond (%1). Trying again…',
            trouble
          )}
        </Banner>
      )}
      {reruns === null ? (
        !trouble && <p role="status">{trans.__('Reading the list…')}</p>
      ) : reruns.length === 0 ? (
        <p role="status">
          {trans.__(
            'There are no reruns. Choose Rerun… on a replay record or a folder in the file browser, on a replay, or on selected pairs of a chat.'
          )}
        </p>
      ) : (
        <ul className={`${CLASS}-list`} aria-label={trans.__('Reruns')}>
          {reruns.map(rerun => (
            <Item key={rerun.id} rerun={rerun} actions={actions} />
          ))}
        </ul>
      )}
    </>
  );
}

function Item(props: { rerun: IRerun; actions: IRerunActions }): JSX.Element {
  const { rerun, actions } = props;
  const trans = useWords();
  const { done, total, out, state } = rerun;
  return (
    <li
      className={`${CLASS}-item`}
      aria-label={out}
      data-turnbook-rerun={state}
    >
      <div className={`${CLASS}-head`}>
        <strong>{out}</strong>
        <Chip kind={chipOf(rerun)}>{stateWords(rerun, trans)}</Chip>
      </div>
      <div className="jp-Turnbook-hint">{extentWords(rerun, trans)}</div>
      <div className={`${CLASS}-progress`}>
        <progress
          aria-label={trans.__('Replies for %1', out)}
          max={total}
          value={done}
        />
        <span>{progressWords(rerun, trans)}</span>
      </div>
      {rerun.notes.length > 0 && (
        <ul className={`${CLASS}-notes`}>
          {rerun.notes.map((note, place) => (
            <li key={place}>{note}</li>
          ))}
        </ul>
      )}
      {rerun.message && (
        <div role="alert" className="jp-Turnbook-problem">
          {rerun.message}
        </div>
      )}
      <Buttons rerun={rerun} actions={actions} />
    </li>
  );
}

function Buttons({
  rerun,
  actions
}: {
  rerun: IRerun;
  actions: IRerunActions;
}): JSX.Element {
  const trans = useWords();
  const { id, state, out, elsewhere } = rerun;
  const unsure = doubtful(rerun);
  const ended = !isAlive(rerun);
  return (
    <div className={`${CLASS}-buttons`}>
      <TextButton
        label={trans.__('Open results')}
        disabled={rerun.writtenAt === null}
        onClick={() => actions.open(out)}
      />
      {state === 'running' && !elsewhere && (
        <TextButton
          label={trans.__('Stop')}
          title={trans.__(
            'Send nothing more; replies under way are waited for'
          )}
          onClick={() => actions.stop(id, false)}
        />
      )}
      {state === 'ending' && !elsewhere && (
        <TextButton
          label={trans.__('Stop now')}
          title={trans.__(
            'Do not wait: nobody will know what became of the requests under way'
          )}
          onClick={() => actions.stop(id, true)}
        />
      )}
      {(canGoOn(rerun) || state === 'failed') && (
        <TextButton
          primary
          label={trans.__('Go on')}
          title={trans.__(
            'Send what is missing, and nothing twice; limits count from here'
          )}
          onClick={() => actions.goOn(id, false)}
        />
      )}
      {ended && unsure > 0 && (
        <TextButton
          label={trans.__('Send %1 again', unsure)}
          title={trans.__(
            'Send those again that ended early or are unknown; they may have been billed'
          )}
          onClick={() => actions.goOn(id, true)}
        />
      )}
      {ended && (
        <TextButton
          link
          label={trans.__('Remove from the list')}
          title={trans.__('The results, the replies and the records stay')}
          onClick={() => actions.forget(id)}
        />
      )}
    </div>
  );
}

function chipOf({ state }: IRerun): React.ComponentProps<typeof Chip>['kind'] {
  switch (state) {
    case 'done':
      return 'good';
    case 'failed':
    case 'incomplete':
    case 'interrupted':
      return 'warning';
    default:
      return 'plain';
  }
}
