import { copyIcon, downloadIcon, refreshIcon } from '@jupyterlab/ui-components';
import { Clipboard } from '@jupyterlab/apputils';
import type { PartialJSONValue } from '@lumino/coreutils';
import type { CompletionSource } from '@codemirror/autocomplete';
import * as React from 'react';

import { withValue } from '../request/leaves';
import { Banner, Choice, IconButton, TextButton } from '../ui/controls';
import { downloadText } from '../ui/download';
import { JsonEditor, type IJsonEditor, type IPlace } from '../ui/jsoneditor';
import { JsonTree } from './jsontree';
import { useWords } from '../ui/language';
import { isWritten, type ISnapshotBuffer } from './snapshotbuffer';

export interface ISnapshotViewProps {
  /** The text being edited. */
  buffer: ISnapshotBuffer;
  onWrite(text: string): void;
  /** Replace the text by the current request. */
  onRefresh(): void;
  /** The snapshot of the current request, as JSON. */
  captured: string;
  /** The errors of a text, with their positions. */
  check(text: string): readonly IPlace[];
  complete?: CompletionSource;
  /** Apply the snapshot to the prompt; returns an error message, or null. */
  apply(): string | null;
  /** Apply and replay; absent if nothing can be replayed. */
  applyAndReplay?(): Promise<string | null>;
  /** The name of the downloaded file. */
  fileName: string;
}

/** The session behind a request, as a tree and as JSON: two views of one text. */
export function SnapshotView(props: ISnapshotViewProps): JSX.Element {
  const { buffer, captured, check } = props;
  const { text } = buffer;
  const trans = useWords();
  const [view, setView] = React.useState<'tree' | 'json'>('json');
  const [failed, setFailed] = React.useState<string | null>(null);
  const [told, setTold] = React.useState('');
  const problem = React.useId();
  const editor = React.useRef<IJsonEditor>(null);
  const places = React.useMemo(() => check(text), [text, check]);
  const valid = places.length === 0;
  const write = (next: string) => {
    setTold('');
    props.onWrite(next);
  };
  const done = (wrong: string | null) => {
    setFailed(wrong);
    setTold(wrong === null ? trans.__('Applied to the prompt') : '');
  };
  return (
    <div className="jp-Turnbook-snapshot">
      <div className="jp-Turnbook-snapshot-bar">
        <Choice
          label={trans.__('View of the snapshot')}
          value={valid ? view : 'json'}
          options={[
            ['json', 'JSON'],
            ['tree', trans.__('Tree')]
          ]}
          obstacle={valid ? null : trans.__('Fix the JSON to see it as a tree')}
          onChange={setView}
        />
        <span className="jp-Turnbook-spacer" />
        <IconButton
          icon={refreshIcon}
          label={trans.__('Refresh snapshot')}
          hint={trans.__('discards this text and shows the request')}
          disabled={text === captured}
          onClick={() => {
            setFailed(null);
            props.onRefresh();
          }}
        />
        <IconButton
          icon={copyIcon}
          label={trans.__('Copy snapshot')}
          onClick={() => {
            Clipboard.copyToSystem(text);
            setTold(trans.__('Copied'));
          }}
        />
        <IconButton
          icon={downloadIcon}
          label={trans.__('Download snapshot')}
          onClick={() => downloadText(text, props.fileName)}
        />
      </div>
      {view === 'json' || !valid ? (
        <JsonEditor
          ref={editor}
          label={trans.__('Session Snapshot as JSON')}
          text={text}
          check={check}
          complete={props.complete}
          describedBy={problem}
          onChange={write}
        />
      ) : (
        <SnapshotTree text={text} onChange={write} />
      )}
      <div className="jp-Turnbook-snapshot-foot">
        <div id={problem} role="alert" className="jp-Turnbook-problem">
          {!valid && (
            <SnapshotProblem
              text={text}
              places={places}
              onShow={() => editor.current?.goTo(places[0])}
            />
          )}
        </div>
        {isWritten(buffer) && captured !== buffer.base && (
          <Banner kind="info">
            {trans.__(
              'The request has changed since this was written. Apply uses this text; Refresh discards it and shows the request.'
            )}
          </Banner>
        )}
        {failed !== null && (
          <Banner kind="warning">
            <span>
              {trans.__('The prompt is as it was before: %1', failed)}
            </span>
            <TextButton
              label={trans.__('Dismiss')}
              onClick={() => setFailed(null)}
            />
          </Banner>
        )}
        <div className="jp-Turnbook-snapshot-bar">
          <TextButton
            primary
            label={trans.__('Apply to prompt')}
            title={trans.__('Apply this snapshot to the sections')}
            disabled={!valid}
            onClick={() => done(props.apply())}
          />
          {props.applyAndReplay && (
            <TextButton
              label={trans.__('Apply & Replay')}
              title={trans.__('Apply it, then show it as a replay')}
              disabled={!valid}
              onClick={() => void props.applyAndReplay!().then(done)}
            />
          )}
          <span role="status" className="jp-Turnbook-hint">
            {told}
          </span>
        </div>
      </div>
    </div>
  );
}

/** What is wrong with a snapshot, where, and how many more errors there are. */
function SnapshotProblem(props: {
  text: string;
  places: readonly IPlace[];
  onShow: () => void;
}): JSX.Element {
  const { text, places } = props;
  const trans = useWords();
  const [{ from, message }] = places;
  const line = text.slice(0, from).split('\n').length;
  const sentence = /[.!?]$/.test(message) ? message : `${message}.`;
  const more = places.length - 1;
  return (
    <>
      {trans.__('%1 Fix the JSON to apply it.', sentence)}
      {more > 0 && ` ${trans.__('(and %1 more)', more)}`}{' '}
      <TextButton
        link
        label={trans.__('Go to line %1', line)}
        title={trans.__('Put the cursor where the error is')}
        onClick={props.onShow}
      />
    </>
  );
}

function SnapshotTree(props: {
  text: string;
  onChange: (text: string) => void;
}): JSX.Element {
  const { text, onChange } = props;
  const trans = useWords();
  const value = React.useMemo(
    () => JSON.parse(text) as PartialJSONValue,
    [text]
  );
  const write = (next: PartialJSONValue | null) =>
    onChange(JSON.stringify(next, null, 2));
  return (
    <JsonTree
      label={trans.__('Snapshot')}
      value={value}
      levels={2}
      isFixed={path => path.length === 1}
      onSet={(path, next) => write(withValue(value, path, next))}
      onRemove={path => write(withValue(value, path, undefined))}
    />
  );
}
