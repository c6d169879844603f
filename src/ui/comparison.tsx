import { json } from '@codemirror/lang-json';
import { MergeView, unifiedMergeView } from '@codemirror/merge';
import { EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { BodyDialog } from './bodydialog';
import { codeBase } from './codeview';
import { Choice } from './controls';
import { lineDirection } from './direction';
import { useWords, Words } from './language';

/** Two texts and their names. */
export interface ICompared {
  title: string;
  before: { name: string; text: string };
  after: { name: string; text: string };
  isJson?: boolean;
}

/** Show the differences of two texts, inline or side by side, until the user closes it. */
export async function showComparison(
  compared: ICompared,
  trans: TranslationBundle
): Promise<void> {
  const dialog = new BodyDialog({
    title: compared.title,
    body: (
      <Words.Provider value={trans}>
        <Comparison {...compared} />
      </Words.Provider>
    ),
    className: 'jp-Turnbook-comparison',
    trans
  });
  dialog.addClass('jp-mod-wide');
  await dialog.launch();
}

/** The differences of two texts. */
export function Comparison(props: ICompared): JSX.Element {
  const { isJson } = props;
  const { name: beforeName, text: before } = props.before;
  const { name: afterName, text: after } = props.after;
  const trans = useWords();
  const [view, setView] = React.useState<'inline' | 'side'>('inline');
  const parent = React.useRef<HTMLDivElement>(null);
  const same = before === after;
  React.useEffect(() => {
    const extensions = (label: string) => [
      codeBase({ label, readOnly: true }),
      EditorState.readOnly.of(true),
      EditorState.lineSeparator.of('\n'),
      isJson ? json() : lineDirection
    ];
    const options = {
      gutter: true,
      collapseUnchanged: { margin: 3, minSize: 6 },
      diffConfig: { scanLimit: 1000, timeout: 1000 }
    };
    const shown =
      view === 'side'
        ? new MergeView({
            a: { doc: before, extensions: extensions(beforeName) },
            b: { doc: after, extensions: extensions(afterName) },
            parent: parent.current!,
            ...options
          })
        : new EditorView({
            doc: after,
            parent: parent.current!,
            extensions: [
              extensions(trans.__('Changes')),
              unifiedMergeView({
                original: before,
                mergeControls: false,
                allowInlineDiffs: true,
                ...options
              })
            ]
          });
    return () => shown.destroy();
  }, [view, before, beforeName, after, afterName, isJson, trans]);
  return (
    <>
      <div className="jp-Turnbook-comparison-bar">
        <Choice
          label={trans.__('View')}
          value={view}
          options={[
            ['inline', trans.__('Inline')],
            ['side', trans.__('Side by side')]
          ]}
          onChange={setView}
        />
        <span className="jp-Turnbook-comparison-names">
          <del>{beforeName}</del> → <ins>{afterName}</ins>
        </span>
        {same && <span role="status">{trans.__('No difference')}</span>}
      </div>
      <div
        ref={parent}
        className="jp-Turnbook-comparison-body"
        data-turnbook-view={view}
      />
    </>
  );
}
