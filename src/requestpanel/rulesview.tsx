import { deleteIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import type { IRule } from '../request/rules';
import { IconButton, Switch } from '../ui/controls';
import { useWords } from '../ui/language';
import { kindWord } from './sectionview';

/** The part of the rules that the list uses. */
export interface IRuleList {
  readonly list: readonly IRule[];
  set(id: string, change: Partial<Pick<IRule, 'on' | 'scope'>>): void;
  remove(id: string): void;
}

/** The edits that are applied to later sends, each with its switch. */
export function RulesView({ rules }: { rules: IRuleList }): JSX.Element {
  const trans = useWords();
  if (!rules.list.length) {
    return (
      <p className="jp-Turnbook-panel-none">
        {trans.__(
          'Edit a system or context section and send the message: the edit is then applied to later sends too. While Auto-apply is off, choose Keep on the section.'
        )}
      </p>
    );
  }
  return (
    <div className="jp-Turnbook-rules">
      <ul aria-label={trans.__('Rules of Auto-apply')}>
        {rules.list.map(rule => (
          <Rule key={rule.id} rule={rule} rules={rules} />
        ))}
      </ul>
    </div>
  );
}

function Rule(props: { rule: IRule; rules: IRuleList }): JSX.Element {
  const { rule, rules } = props;
  const trans = useWords();
  const what =
    rule.edit.kind === 'delete'
      ? trans.__('delete %1', kindWord(rule.section.kind, trans))
      : trans.__('edit %1', kindWord(rule.section.kind, trans));
  const text =
    rule.edit.kind === 'message' &&
    typeof rule.edit.message.content === 'string'
      ? rule.edit.message.content
      : '';
  return (
    <li data-turnbook-rule={rule.id}>
      <Switch
        bare
        label={trans.__('Rule: %1', what)}
        checked={rule.on}
        onChange={on => rules.set(rule.id, { on })}
      />
      <span className="jp-Turnbook-rules-what" title={text}>
        {what}
        {text && <q dir="auto">{text}</q>}
      </span>
      <IconButton
        icon={deleteIcon}
        label={trans.__('Delete rule')}
        onClick={() => rules.remove(rule.id)}
      />
      <span className="jp-Turnbook-rules-scope">
        <select
          aria-label={trans.__('Where it applies')}
          title={trans.__('Where it applies')}
          value={rule.scope}
          onChange={event =>
            rules.set(rule.id, { scope: event.target.value as IRule['scope'] })
          }
        >
          <option value="chat">{trans.__('this chat')}</option>
          <option value="all">{trans.__('all chats')}</option>
        </select>
        <span
          className="jp-Turnbook-hint"
          title={trans.__('Made on the request of pair %1', rule.origin.pair)}
        >
          {new Date(rule.origin.at).toLocaleDateString()}
        </span>
      </span>
    </li>
  );
}
