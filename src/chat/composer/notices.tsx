import type { ITranslator } from '@jupyterlab/translation';
import * as React from 'react';

import { LocalNotice } from '../../providers/localnotice';
import type { TurnbookAPI } from '../../runs/api';
import type { ModelCatalog } from '../../runs/catalog';
import type { ChatSession } from '../../session/session';
import { ClaimQuestion } from '../recovery/claimquestion';

/** What the user should know about the chat before writing. */
export function ComposerNotices(props: {
  session: ChatSession;
  catalog: ModelCatalog;
  api: TurnbookAPI;
  translator: ITranslator;
}): JSX.Element {
  const { session, catalog, api, translator } = props;
  const trans = translator.load('jupyterlab_turnbook');
  const { missingModel, problems } = session.about;
  return (
    <>
      {problems.length > 0 && (
        <div className="jp-Turnbook-notice jp-mod-warning" role="status">
          <span>
            {problems[0].message}
            {problems.length > 1 &&
              ` ${trans.__('(and %1 more)', problems.length - 1)}`}
          </span>
        </div>
      )}
      <ClaimQuestion entry={session.entry} translator={translator} />
      {session.notice !== null && (
        <div className="jp-Turnbook-notice jp-mod-error" role="alert">
          <span>{session.notice}</span>
          <button
            type="button"
            className="jp-Turnbook-button"
            onClick={() => {
              session.notice = null;
            }}
          >
            {trans.__('Dismiss')}
          </button>
        </div>
      )}
      {missingModel !== null && (
        <div className="jp-Turnbook-notice" role="status">
          <span>
            {translator
              .load('jupyterlab_turnbook')
              .__(
                'No provider for %1. This chat uses %2. Choose a model, or change the setting “Model of new chats”.',
                missingModel,
                session.model
              )}
          </span>
        </div>
      )}
      <LocalNotice
        api={api}
        catalog={catalog}
        model={session.model}
        translator={translator}
      />
    </>
  );
}
