import type { ISharedNotebook } from '@jupyter/ydoc';
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { ChatPanel } from '../../chat/panel';
import { chatEntry } from '../../document/chatentry';
import { optionNames, writeFrame } from '../../request/chatframe';
import { Link } from './banner';
import { FittedWidget } from './fitted';

/** Show above a chat that its requests have their own options, since a file may bring any. */
export function watchOptions(
  chat: ChatPanel,
  options: { openEditor: () => void; trans: TranslationBundle }
): void {
  const { sharedModel } = chat.model!;
  const bar = new OptionsBar(sharedModel, options);
  chat.contentHeader.insertWidget(0, bar);
  const show = () => {
    bar.setHidden(!namesOf(sharedModel).length);
    bar.update();
  };
  sharedModel.metadataChanged.connect(show, bar);
  show();
}

class OptionsBar extends FittedWidget {
  constructor(
    private _notebook: ISharedNotebook,
    private _options: { openEditor: () => void; trans: TranslationBundle }
  ) {
    super();
    this.addClass('jp-Turnbook-forkBar');
    this.node.setAttribute('role', 'note');
    this.node.setAttribute(
      'aria-label',
      _options.trans.__('Options of this chat')
    );
  }

  protected override render(): JSX.Element {
    const { trans, openEditor } = this._options;
    return (
      <div className="jp-Turnbook-forkBar-body">
        <span>
          {trans.__(
            'Requests of this chat have options: %1.',
            namesOf(this._notebook).join(', ')
          )}
        </span>
        <Link onClick={openEditor}>{trans.__('Open request editor')}</Link>
        <Link onClick={() => writeFrame(this._notebook, {})}>
          {trans.__('Remove the options')}
        </Link>
      </div>
    );
  }
}

function namesOf(notebook: ISharedNotebook): string[] {
  return optionNames(chatEntry(notebook));
}
