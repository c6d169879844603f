import { Widget } from '@lumino/widgets';

import type { IVersion } from '../../document/versionlist';
import type { StreamingMarkdown } from '../../render/streaming';
import { element } from '../../ui/dom';
import { ToolRounds } from './toolrounds';

/** An earlier version of a pair, shown in place of the current one. */
export class PastVersion extends Widget {
  constructor(version: IVersion, createText: () => StreamingMarkdown) {
    super();
    this.addClass('jp-Turnbook-pastVersion');
    this._reply = createText();
    this._rounds = new ToolRounds(createText);
    this._rounds.display(version.tools ?? [], { hasReply: true, locked: true });
    this.node.append(
      element('div', 'jp-Turnbook-pastVersion-source', version.source),
      element('div', 'jp-Turnbook-pastVersion-model', version.model),
      this._rounds.node,
      this._reply.node
    );
    this._reply.append(version.reply);
    void this._reply.finish();
  }

  override dispose(): void {
    this._reply.dispose();
    this._rounds.dispose();
    super.dispose();
  }

  private _reply: StreamingMarkdown;
  private _rounds: ToolRounds;
}
