import type { TranslationBundle } from '@jupyterlab/translation';
import { addIcon, closeIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import { shortValue } from '../../request/optiontext';
import type { IShownOption } from '../../request/shownoptions';
import type { ChatOptions } from '../../session/chatoptions';
import { IconButton, TextButton } from '../../ui/controls';
import { safeName } from '../../ui/safename';
import { askOption } from './optiondialog';

/** How many options are shown; a file may have any number. */
const MAX_CHIPS = 8;

/** The options that go with the next message, each with a way to change and to remove it. */
export function OptionChips(props: {
  options: Pick<ChatOptions, 'shown' | 'set' | 'remove' | 'undoable' | 'undo'>;
  /** Show the request of the message being written. */
  openRequest: () => void;
  /** Called when a dialog for an option was closed. */
  onAsked: () => void;
  trans: TranslationBundle;
}): JSX.Element {
  const { options, openRequest, trans } = props;
  const edit = (option: IShownOption | null) =>
    void askOption(options, option, trans).then(props.onAsked);
  const { shown, undoable } = options;
  const group = React.useRef<HTMLSpanElement>(null);
  return (
    <span
      ref={group}
      className="jp-Turnbook-optionChips"
      role="group"
      aria-label={trans.__('Options of this chat')}
    >
      {shown.slice(0, MAX_CHIPS).map(option => (
        <OptionChip
          key={option.name}
          option={option}
          trans={trans}
          open={() => (option.scope === 'chat' ? edit(option) : openRequest())}
          remove={() => {
            options.remove(option);
            // The button that had the focus is gone.
            group.current?.querySelector<HTMLElement>('[data-add]')?.focus();
          }}
        />
      ))}
      {shown.length > MAX_CHIPS && (
        <TextButton
          link
          label={trans._n(
            '%1 more option',
            '%1 more options',
            shown.length - MAX_CHIPS,
            shown.length - MAX_CHIPS
          )}
          title={trans.__('Show all options in the Request panel')}
          onClick={openRequest}
        />
      )}
      {undoable !== null && (
        <TextButton
          link
          label={trans.__('Undo')}
          title={trans.__('Undo the change of %1', safeName(undoable))}
          onClick={() => options.undo()}
        />
      )}
      <button
        type="button"
        data-add
        className="jp-Turnbook-optionChips-add"
        aria-label={trans.__('Add an option')}
        title={trans.__(
          'Add an option for all messages of this chat, such as temperature or tools'
        )}
        onClick={() => edit(null)}
      >
        <addIcon.react tag="span" width="12px" height="12px" />
        {shown.length ? null : trans.__('Option')}
      </button>
    </span>
  );
}

function OptionChip(props: {
  option: IShownOption;
  open: () => void;
  remove: () => void;
  trans: TranslationBundle;
}): JSX.Element {
  const { trans } = props;
  const { name, value, scope, problem } = props.option;
  const shown = safeName(name);
  const words =
    value === undefined
      ? trans.__('%1 not sent', shown)
      : `${shown} ${safeName(shortValue(value))}`;
  const isOnce = scope === 'message';
  const title = isOnce
    ? trans.__('Sent with the next message only')
    : trans.__('Sent with all messages of this chat; click to change it');
  const kind = isOnce ? 'edited' : problem === null ? 'plain' : 'warning';
  return (
    <span
      className={`jp-Turnbook-optionChip jp-Turnbook-chip jp-mod-${kind}`}
      data-turnbook-chip={name}
      data-scope={scope}
    >
      <button
        type="button"
        className="jp-Turnbook-optionChip-open"
        title={problem === null ? title : `${problem}\n${title}`}
        onClick={props.open}
      >
        {problem !== null && '⚠ '}
        {isOnce ? trans.__('%1 · once', words) : words}
      </button>
      <IconButton
        icon={closeIcon}
        label={
          isOnce
            ? trans.__('Discard the edit of %1', shown)
            : trans.__('Remove %1', shown)
        }
        onClick={props.remove}
      />
    </span>
  );
}
