import type { TranslationBundle } from '@jupyterlab/translation';
import React, { useState } from 'react';

import {
  beginning,
  pieces,
  type IInspected,
  type IShownMessage
} from '../../request/inspect';

/** How much of a body is shown at first, in characters. */
const FIRST = 200_000;

/** The browser lays out pieces of this size one by one, as they come into view. */
const PIECE = 50_000;

/** How many messages are shown at first, and how many more each time. */
const MESSAGES = 100;

/** Messages with at least this many characters are folded. */
const LONG = 1500;

/** A text in pieces, so that a large one does not block the page. */
export function RawView(props: {
  text: string;
  /** The accessible name. */
  label: string;
  trans: TranslationBundle;
}): JSX.Element {
  const { text, label, trans } = props;
  const [all, setAll] = useState(text.length <= FIRST);
  const shown = all ? text : beginning(text, FIRST);
  return (
    <>
      {!all && (
        <p className="jp-Turnbook-showRequest-note">
          {trans.__(
            'The first %1 of %2 characters.',
            shown.length.toLocaleString(),
            text.length.toLocaleString()
          )}{' '}
          <button
            type="button"
            className="jp-Turnbook-button"
            onClick={() => setAll(true)}
          >
            {trans.__('Show all')}
          </button>
        </p>
      )}
      <pre
        className="jp-Turnbook-showRequest-raw"
        tabIndex={0}
        role="region"
        aria-label={label}
        onCopy={copyExact}
      >
        {pieces(shown, PIECE).map((piece, index) => (
          <div key={index}>{piece}</div>
        ))}
      </pre>
    </>
  );
}

/** The messages of a request in order, then its options. */
export function MessagesView(props: {
  shown: IInspected;
  trans: TranslationBundle;
}): JSX.Element {
  const { shown, trans } = props;
  const { messages, options } = shown;
  const [count, setCount] = useState(MESSAGES);
  if (messages === null) {
    return (
      <p className="jp-Turnbook-showRequest-note">
        {trans.__(
          'These bytes are not a request with messages. Raw shows them as they are.'
        )}
      </p>
    );
  }
  const left = messages.length - count;
  return (
    <div
      className="jp-Turnbook-showRequest-messages"
      tabIndex={0}
      role="region"
      aria-label={trans.__('Messages of the request')}
    >
      <ol>
        {messages.slice(0, count).map((message, index) => (
          <MessageItem key={index} message={message} trans={trans} />
        ))}
      </ol>
      {left > 0 && (
        <button
          type="button"
          className="jp-Turnbook-button"
          onClick={() => setCount(count + 5 * MESSAGES)}
        >
          {trans._n('Show more (%1 left)', 'Show more (%1 left)', left)}
        </button>
      )}
      <Values
        name={trans.__('Options of the request')}
        values={options}
        trans={trans}
      />
    </div>
  );
}

function MessageItem(props: {
  message: IShownMessage;
  trans: TranslationBundle;
}): JSX.Element {
  const { message, trans } = props;
  return (
    <li
      className="jp-Turnbook-showRequest-message"
      data-turnbook-role={message.role}
    >
      <span className="jp-Turnbook-showRequest-role">
        {message.role || trans.__('(no role)')}
      </span>
      <Folding text={message.text} trans={trans} />
      <Values
        name={trans.__('More of this message')}
        values={message.rest}
        trans={trans}
      />
    </li>
  );
}

function Values(props: {
  name: string;
  values: readonly [string, string][];
  trans: TranslationBundle;
}): JSX.Element | null {
  if (props.values.length === 0) {
    return null;
  }
  return (
    <dl className="jp-Turnbook-showRequest-values" aria-label={props.name}>
      {props.values.map(([key, value]) => (
        <div key={key}>
          <dt>{key}:</dt>
          <dd>
            <Folding text={value} trans={props.trans} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** A text of which only the beginning is shown at first, if it is long. */
export function Folding(props: {
  text: string;
  trans: TranslationBundle;
}): JSX.Element {
  const { text, trans } = props;
  const [open, setOpen] = useState(false);
  const long = text.length > LONG;
  return (
    <div className="jp-Turnbook-showRequest-text" onCopy={copyExact}>
      {long && !open
        ? `${beginning(text, LONG / 2)}…`
        : pieces(text, PIECE).map((piece, index) => (
            <div key={index}>{piece}</div>
          ))}
      {long && (
        <button
          type="button"
          className="jp-Turnbook-button jp-Turnbook-showRequest-fold"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        >
          {open
            ? trans.__('Show less')
            : trans.__(
                'Show the whole text (%1 characters)',
                text.length.toLocaleString()
              )}
        </button>
      )}
    </div>
  );
}

/** The boundaries of pieces are not line ends, so copy the selected text exactly. */
function copyExact(event: React.ClipboardEvent): void {
  const selection = document.getSelection();
  const within = event.currentTarget;
  if (
    selection?.rangeCount === 1 &&
    within.contains(selection.anchorNode) &&
    within.contains(selection.focusNode)
  ) {
    const text = selection.getRangeAt(0).cloneContents().textContent ?? '';
    event.clipboardData.setData('text/plain', text);
    event.preventDefault();
  }
}
