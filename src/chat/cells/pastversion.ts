import { Widget } from '@lumino/widgets';

import type { IVersion } from '../../document/versionlist';
import type { StreamingMarkdown } from '../../render/streaming';
import { element } from '../../ui/dom';
import { TurnSteps } from './turnsteps';

/** An earlier version of a pair, shown in place of the current one. */
export class PastVersion extends Widget {
  constructor(version: IVersion, createText: () => StreamingMarkdown) {
    super();
    this.addClass('jp-Turnbook-pastVersion');
    this._reply = createText();
    this._steps = new TurnSteps(createText);
    this._steps.display(version.tools ?? [], { hasReply: true, locked: true });
    this.node.append(
      element('div', 'jp-Turnbook-pastVersion-source', version.source),
      element('div', 'jp-Turnbook-pastVersion-model', version.model),
      this._steps.node,
      this._reply.node
    );
    this._reply.append(version.reply);
    void this._reply.finish();
  }

  override dispose(): void {
    this._reply.dispose();
    this._steps.dispose();
    super.dispose();
  }

  private _reply: StreamingMarkdown;
  private _steps: TurnSteps;
}
