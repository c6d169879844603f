import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { BodyDialog } from '../ui/bodydialog';
import { Comparison } from '../ui/comparison';
import { TextButton } from '../ui/controls';
import { Words } from '../ui/language';
import type { IPlannedFile } from './diffplan';

/**
 * Show what a diff does to files.
 *
 * @returns Whether the user wants it to be applied.
 */
export async function lookAtDiff(
  files: readonly IPlannedFile[],
  trans: TranslationBundle
): Promise<boolean> {
  let isWanted = false;
  const dialog = new BodyDialog({
    title: trans.__('Apply this diff?'),
    body: (
      <Words.Provider value={trans}>
        <DiffLook
          files={files}
          trans={trans}
          onApply={() => {
            isWanted = true;
            dialog.reject();
          }}
        />
      </Words.Provider>
    ),
    className: 'jp-Turnbook-diffLook',
    trans
  });
  dialog.addClass('jp-mod-wide');
  await dialog.launch();
  return isWanted;
}

/** The files of a diff, and the button that applies it if all of them fit. */
export function DiffLook(props: {
  files: readonly IPlannedFile[];
  trans: TranslationBundle;
  onApply: () => void;
}): JSX.Element {
  const { files, trans, onApply } = props;
  const bad = files.filter(({ problem }) => problem).length;
  return (
    <>
      <div className="jp-Turnbook-diffLook-bar">
        <span role="status">
          {bad
            ? trans._n(
                '%1 file cannot be changed, so nothing is.',
                '%1 files cannot be changed, so nothing is.',
                bad
              )
            : trans._n(
                'The diff changes %1 file.',
                'The diff changes %1 files.',
                files.length
              )}
        </span>
        <TextButton
          label={trans.__('Apply')}
          disabled={bad > 0}
          primary
          onClick={onApply}
        />
      </div>
      {files.map((file, index) => (
        <section key={index}>
          <h3 className="jp-Turnbook-diffLook-path">
            <bdi>{file.path}</bdi>
            {file.isOpen && (
              <small>{trans.__('open: changed in its editor')}</small>
            )}
          </h3>
          {file.problem && (
            <p className="jp-Turnbook-problem" role="alert">
              {file.problem}
            </p>
          )}
          {file.change && (
            <div className="jp-Turnbook-comparison">
              <Comparison
                title={file.path}
                before={{
                  name:
                    file.change.before === null
                      ? trans.__('no file')
                      : trans.__('now'),
                  text: file.change.before ?? ''
                }}
                after={{
                  name: trans.__('with the diff'),
                  text: file.change.after
                }}
              />
            </div>
          )}
        </section>
      ))}
    </>
  );
}
