import type { TranslationBundle } from '@jupyterlab/translation';
import { CommandRegistry } from '@lumino/commands';
import * as React from 'react';

import { FIELDS } from '../../filter/fields';
import { BodyDialog } from '../../ui/bodydialog';

export interface IKeysAndFilters {
  commands: CommandRegistry;
  /** Called with a filter that the user wants to see; absent if there is no chat. */
  onFilter?: (text: string) => void;
  trans: TranslationBundle;
}

/** Show the keys as they are set now, and the filter language; resolves when it is closed. */
export async function showKeysAndFilters(
  options: IKeysAndFilters
): Promise<void> {
  const { commands, onFilter, trans } = options;
  const apply = (text: string) => {
    dialog.reject();
    onFilter?.(text);
  };
  const dialog = new BodyDialog({
    title: trans.__('Keys and filters'),
    body: (
      <div className="jp-Turnbook-help-view">
        <Keys commands={commands} trans={trans} />
        <Filters trans={trans} {...(onFilter ? { onFilter: apply } : {})} />
      </div>
    ),
    className: 'jp-Turnbook-help',
    trans
  });
  dialog.addClass('jp-Turnbook-helpDialog');
  await dialog.launch();
}

function Keys(props: {
  commands: CommandRegistry;
  trans: TranslationBundle;
}): JSX.Element {
  const { commands, trans } = props;
  const rows: [string, string][] = [
    ['Enter', trans.__('Send the message')],
    [CommandRegistry.formatKeystroke('Shift Enter'), trans.__('New line')],
    [
      'Esc',
      trans.__('From the composer to the cells; it never stops or deletes')
    ],
    ['?', trans.__('Keys and filters')],
    ...boundKeys(commands)
  ];
  return (
    <section>
      <h3>{trans.__('Keys')}</h3>
      <p>
        {trans.__(
          'Single letters work on the cells: press Esc in the composer first. Settings → Keyboard Shortcuts changes them.'
        )}
      </p>
      <table>
        <tbody>
          {rows.map(([keys, label]) => (
            <tr key={`${keys} ${label}`}>
              <th scope="row">
                <kbd>{keys}</kbd>
              </th>
              <td>{label}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** The keys of Turnbook's commands and what they do, each command once. */
function boundKeys(commands: CommandRegistry): [string, string][] {
  const found = new Map<string, Set<string>>();
  for (const { command, keys } of commands.keyBindings) {
    if (command.startsWith('turnbook:') && commands.hasCommand(command)) {
      const shown = keys.map(CommandRegistry.formatKeystroke).join(' ');
      found.set(command, (found.get(command) ?? new Set()).add(shown));
    }
  }
  return [...found].map(([command, keys]) => [
    [...keys].join(', '),
    commands.label(command)
  ]);
}

function Filters(props: {
  onFilter?: (text: string) => void;
  trans: TranslationBundle;
}): JSX.Element {
  const { onFilter, trans } = props;
  return (
    <section>
      <h3>{trans.__('Filters')}</h3>
      <p>
        {trans.__(
          'The filter decides which pairs you see, and what it hides is not sent. Terms side by side must all match; OR, NOT (or -) and parentheses combine them.'
        )}
      </p>
      <table>
        <tbody>
          {Object.entries(FIELDS).map(([name, { example, info }]) => (
            <tr key={name}>
              <th scope="row">
                {onFilter ? (
                  <button
                    type="button"
                    className="jp-Turnbook-link"
                    title={trans.__('Filter by %1', example)}
                    onClick={() => onFilter(example)}
                  >
                    <code>{example}</code>
                  </button>
                ) : (
                  <code>{example}</code>
                )}
              </th>
              <td>{info()}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
