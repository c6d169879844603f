import * as React from 'react';

import { Chip, Switch } from '../ui/controls';
import { useWords } from '../ui/language';
import type { IComparison } from '../request/parity';

/** What is below the sections: what the request is, and what can be done with it. */
export function Footer(props: {
  hash: string;
  /** The name of the request. */
  name?: string;
  /** The number of the last version; 0 before the first. */
  version: number;
  parity: IComparison | null;
  onParity: () => void;
  onVersions: () => void;
  autoApply: boolean;
  onAutoApply: (on: boolean) => void;
  /** The buttons of the request. */
  children: React.ReactNode;
}): JSX.Element {
  const { hash, version, parity } = props;
  const trans = useWords();
  return (
    <div className="jp-Turnbook-panel-footer">
      <div className="jp-Turnbook-panel-proof">
        <span className="jp-Turnbook-panel-bytes">
          <code
            className="jp-Turnbook-hash"
            title={[
              ...(props.name ? [props.name] : []),
              trans.__('sha256 of the bytes that would be sent: %1', hash)
            ].join('\n')}
            data-turnbook-hash={hash}
          >
            {`sha256 ${hash.slice(0, 4)}…${hash.slice(-4)}`}
          </code>
          {version > 0 && (
            <button
              type="button"
              className="jp-Turnbook-link"
              title={trans.__('Show the versions')}
              onClick={props.onVersions}
            >
              {trans.__('version %1', version)}
            </button>
          )}
          {parity && parity.state !== 'unknown' && (
            <ParityChip parity={parity} onOpen={props.onParity} />
          )}
        </span>
        <Switch
          label={trans.__('Auto-apply')}
          title={trans.__(
            'Edits of system and context sections are applied to later sends too, and shown there'
          )}
          checked={props.autoApply}
          onChange={props.onAutoApply}
        />
      </div>
      <div
        className="jp-Turnbook-panel-actions"
        role="toolbar"
        aria-label={trans.__('Request')}
      >
        {props.children}
      </div>
    </div>
  );
}

function ParityChip(props: {
  parity: IComparison;
  onOpen: () => void;
}): JSX.Element {
  const { state, made, wire } = props.parity;
  const trans = useWords();
  const agrees = state === 'agrees';
  return (
    <button
      type="button"
      className="jp-Turnbook-parity"
      data-turnbook-parity={state}
      title={[
        agrees
          ? trans.__('What was sent is what was seen.')
          : trans.__(
              'What was sent is not what was seen. Click for the difference.'
            ),
        trans.__('seen: %1', made),
        trans.__('sent: %1', wire)
      ].join('\n')}
      onClick={props.onOpen}
    >
      <Chip kind={agrees ? 'good' : 'warning'}>
        {agrees ? trans.__('agrees ✓') : trans.__('differs ✗')}
      </Chip>
    </button>
  );
}
