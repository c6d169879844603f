import type { TranslationBundle } from '@jupyterlab/translation';
import { folderIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import type { ContextModel } from '../../../context/contextmodel';
import type { Draft } from '../../../session/draft';
import { IconButton, TextButton } from '../../../ui/controls';
import { attachIcon } from '../../../ui/icons';
import type { Attaching } from './attaching';
import { AttachList } from './attachlist';
import { browserFile } from './readfile';

/** What is attached to the message being written, and what could not be. */
export function AttachBar(props: {
  attaching: Attaching;
  context: Pick<ContextModel, 'count'>;
  draft: Pick<Draft, 'attachments' | 'detach'>;
  locked: boolean;
  /** Called when what had the focus is gone. */
  onRemoved: () => void;
  trans: TranslationBundle;
}): JSX.Element {
  const { attaching, context, draft, locked, trans } = props;
  return (
    <>
      <AttachState
        attaching={attaching}
        onCanceled={props.onRemoved}
        trans={trans}
      />
      {draft.attachments.length > 0 && (
        <AttachList
          files={draft.attachments}
          changed={attaching.changedReferences}
          tokens={file => context.count({ text: '', attachments: [file] })}
          sizeBefore={file => attaching.sizeBefore(file)}
          locked={locked}
          onRemove={file => {
            draft.detach(file);
            props.onRemoved();
          }}
          onScale={file => void attaching.scale(file)}
          trans={trans}
        />
      )}
    </>
  );
}

/** The ways to attach files. */
export function AttachButtons(props: {
  attaching: Attaching;
  locked: boolean;
  /** Shown by the command too. */
  input: React.Ref<HTMLInputElement>;
  onAttach: () => void;
  onBrowse: () => void;
  trans: TranslationBundle;
}): JSX.Element {
  const { attaching, locked, trans } = props;
  return (
    <span className="jp-Turnbook-attachButtons">
      <input
        ref={props.input}
        type="file"
        multiple
        hidden
        aria-hidden
        tabIndex={-1}
        onChange={event => {
          const files = [...(event.target.files ?? [])];
          // Choosing the same file again must be a change.
          event.target.value = '';
          void attaching.add(files.map(browserFile));
        }}
      />
      <IconButton
        icon={attachIcon}
        label={trans.__('Attach')}
        hint={trans.__('images, PDF, audio and text from this computer')}
        disabled={locked}
        onClick={props.onAttach}
      />
      <IconButton
        icon={folderIcon}
        label={trans.__('From the file browser…')}
        disabled={locked}
        onClick={props.onBrowse}
      />
    </span>
  );
}

function AttachState(props: {
  attaching: Attaching;
  onCanceled: () => void;
  trans: TranslationBundle;
}): JSX.Element | null {
  const { attaching, trans } = props;
  const { problems } = attaching;
  return (
    <>
      {attaching.isReading && (
        <div className="jp-Turnbook-attachReading" role="status">
          {attaching.isAwaited
            ? trans.__('Reading files, then sending the message…')
            : trans.__('Reading files…')}{' '}
          <TextButton
            link
            label={trans.__('Cancel')}
            onClick={() => {
              attaching.cancel();
              props.onCanceled();
            }}
          />
        </div>
      )}
      {problems.length > 0 && (
        <div
          className={`jp-Turnbook-notice${
            problems.every(({ isNote }) => isNote) ? '' : ' jp-mod-error'
          }`}
          role="alert"
        >
          <span>
            {problems.map(({ words, scale }) => (
              <div key={words}>
                {words}{' '}
                {scale && (
                  <TextButton
                    link
                    label={trans.__('Scale down and attach')}
                    onClick={() => void scale()}
                  />
                )}
              </div>
            ))}
          </span>
          <TextButton
            label={trans.__('Dismiss')}
            onClick={() => attaching.dismiss()}
          />
        </div>
      )}
    </>
  );
}
