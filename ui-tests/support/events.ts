import type { IJupyterLabPageFixture } from '@jupyterlab/galata';

import { expect } from './fixtures';

/** An event from Jupyter's event system. */
export type Heard = { event: string } & Record<string, any>;

/** Listens to Turnbook's events, as any JupyterLab extension could. */
export class Listener {
  private constructor(private _page: IJupyterLabPageFixture) {}

  static async on(page: IJupyterLabPageFixture): Promise<Listener> {
    // What happens before the page is connected is not reported.
    await page.waitForFunction(
      () =>
        (window.jupyterapp.serviceManager.events as any)._socket?.readyState ===
        WebSocket.OPEN
    );
    await page.evaluate(() => {
      const heard: unknown[] = ((window as any).turnbookHeard = []);
      window.jupyterapp.serviceManager.events.stream.connect((_, emission) => {
        heard.push(emission);
      });
    });
    return new Listener(page);
  }

  /** All events so far, once there are those with these names; their order is not certain. */
  async until(...names: string[]): Promise<Heard[]> {
    let all: Heard[] = [];
    await expect
      .poll(async () => {
        all = await this._all();
        const missing = [...names];
        for (const { event } of all) {
          const place = missing.indexOf(event);
          missing.splice(place, place < 0 ? 0 : 1);
        }
        return missing;
      })
      .toEqual([]);
    return all;
  }

  private async _all(): Promise<Heard[]> {
    const heard: any[] = await this._page.evaluate(
      () => (window as any).turnbookHeard
    );
    const prefix = 'urn:jupyterlab-turnbook:';
    return heard
      .filter(({ schema_id: id }) => id?.startsWith(prefix))
      .map(({ schema_id: id, ...data }) => ({
        event: id.slice(prefix.length),
        ...data
      }));
  }
}
