import { ReactWidget } from '@jupyterlab/ui-components';
import type { Message } from '@lumino/messaging';

import { fitHeight } from '../../base/fit';

/** A widget that is as tall as its content. */
export abstract class FittedWidget extends ReactWidget {
  override dispose(): void {
    this._observer.disconnect();
    super.dispose();
  }

  protected override onAfterAttach(msg: Message): void {
    super.onAfterAttach(msg);
    this.update();
  }

  protected override onUpdateRequest(msg: Message): void {
    super.onUpdateRequest(msg);
    void this.renderPromise?.then(() => {
      const body = this.node.firstElementChild;
      if (body && body !== this._body) {
        this._body = body;
        this._observer.disconnect();
        this._observer.observe(body);
      }
    });
  }

  private _fit(): void {
    const { height } = this._body!.getBoundingClientRect();
    fitHeight(this, Math.ceil(height));
  }

  private _body: Element | null = null;
  private _observer = new ResizeObserver(() => this._fit());
}
