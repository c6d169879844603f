import { Clipboard } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import React, { useState } from 'react';

import { TextButton } from '../../ui/controls';
import { downloadText } from '../../ui/download';

/** The row above a request or a response: two views of it, its size, and what can be done with it. */
export function ExchangeBar(props: {
  /** The name of the view that is not the raw one; absent if there is only one view. */
  view?: string;
  isRaw: boolean;
  onRaw: (isRaw: boolean) => void;
  /** Its size, as a text. */
  size: React.ReactNode;
  /** What is copied, and what that is. */
  copy: { text: () => string; title: string };
  /** The exact bytes, and the name of a file for them; absent if they are not kept. */
  file?: { bytes: Uint8Array; name: string } | null;
  /** Leads to the other half of the exchange; absent if there is no way to it. */
  other?: { label: string; onClick: () => void } | null;
  trans: TranslationBundle;
  /** Further buttons. */
  children?: React.ReactNode;
}): JSX.Element {
  const { copy, file, isRaw, onRaw, other, trans } = props;
  const [copied, setCopied] = useState(false);
  return (
    <div className="jp-Turnbook-showRequest-bar">
      {props.view !== undefined && (
        <div role="group" aria-label={trans.__('View')}>
          <Toggle on={!isRaw} onClick={() => onRaw(false)}>
            {props.view}
          </Toggle>
          <Toggle on={isRaw} onClick={() => onRaw(true)}>
            {trans.__('Raw')}
          </Toggle>
        </div>
      )}
      <span className="jp-Turnbook-hint">{props.size}</span>
      <span className="jp-Turnbook-showRequest-space" />
      {props.children}
      {other && <TextButton label={other.label} onClick={other.onClick} />}
      <span role="status" className="jp-Turnbook-hint">
        {copied && trans.__('Copied')}
      </span>
      <TextButton
        label={trans.__('Copy')}
        title={copy.title}
        onClick={() => {
          Clipboard.copyToSystem(copy.text());
          setCopied(true);
        }}
      />
      {file && (
        <TextButton
          label={trans.__('Download')}
          title={trans.__('Save the exact bytes as a file')}
          onClick={() => downloadText(file.bytes as BlobPart, file.name)}
        />
      )}
    </div>
  );
}

/** Says that not all bytes can be read as text, if so. */
export function EncodingNote(props: {
  isExact: boolean;
  trans: TranslationBundle;
}): JSX.Element | null {
  return props.isExact ? null : (
    <p className="jp-Turnbook-showRequest-note">
      {props.trans.__(
        'These bytes are not UTF-8: what cannot be read is shown as �. Download gives them as they are.'
      )}
    </p>
  );
}

/** One of two buttons that choose a view. */
function Toggle(props: {
  on: boolean;
  onClick: () => void;
  children: string;
}): JSX.Element {
  return (
    <button
      type="button"
      className="jp-Turnbook-button jp-Turnbook-showRequest-toggle"
      aria-pressed={props.on}
      onClick={props.onClick}
    >
      {props.children}
    </button>
  );
}
