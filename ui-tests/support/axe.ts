import AxeBuilder from '@axe-core/playwright';
import type { IJupyterLabPageFixture } from '@jupyterlab/galata';

import { expect } from './fixtures';

/** JupyterLab's dark theme, on the server. */
const DARK = '/lab/api/themes/@jupyterlab/theme-dark-extension/index.css';

/** Looks for what people cannot use who do not see the screen, or not well, or want no motion. */
export class Axe {
  constructor(readonly page: IJupyterLabPageFixture) {}

  /**
   * Expect nothing wrong in parts of the page, with the light and the dark theme, and that nothing
   * moves; the page must prefer reduced motion. The test goes on after a finding, so that one run
   * lists all of them.
   *
   * @param state - What is seen, for the message.
   * @param parts - CSS selectors; each must find something.
   */
  async expectNothing(state: string, ...parts: string[]): Promise<void> {
    for (const part of parts) {
      await expect(this.page.locator(part).first(), state).toBeVisible();
    }
    const found = await this._findings(parts);
    found.push(...(await this._moving()));
    await this._setDark(true);
    const dark = await this._findings(parts, ['color-contrast']);
    found.push(...dark.map(finding => `dark ${finding}`));
    await this._setDark(false);
    expect.soft(found, state).toEqual([]);
  }

  private async _findings(
    parts: string[],
    rules?: string[]
  ): Promise<string[]> {
    // There are no frames in the page.
    const axe = new AxeBuilder({ page: this.page }).setLegacyMode();
    parts.forEach(part => axe.include(part));
    if (rules) {
      axe.withRules(rules);
    }
    const { violations } = await axe.analyze();
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, any, all, none }) => {
        const why = [...any, ...all, ...none].map(({ message }) => message);
        return `${id}: ${html.slice(0, 200)}: ${why.join('; ')}`;
      })
    );
  }

  /** What of ours would move by itself. */
  private _moving(): Promise<string[]> {
    return this.page.evaluate(() => {
      const own = document.querySelectorAll('[class*="jp-Turnbook"]');
      return [...own].flatMap(node =>
        [null, '::before', '::after'].flatMap(part => {
          const style = getComputedStyle(node, part);
          const moves =
            style.animationName !== 'none' ||
            style.transitionDuration.split(', ').some(time => time !== '0s') ||
            style.scrollBehavior !== 'auto';
          return moves ? [`moves: ${node.className} ${part ?? ''}`] : [];
        })
      );
    });
  }

  /** Put the dark theme over the light one, which is faster than JupyterLab's change of themes. */
  private async _setDark(isDark: boolean): Promise<void> {
    await this.page.evaluate(
      async ([url, isDark]) => {
        const id = 'turnbook-test-dark';
        let link = document.getElementById(id) as HTMLLinkElement | null;
        if (!link) {
          link = document.createElement('link');
          link.id = id;
          link.rel = 'stylesheet';
          link.href = url;
          const loaded = new Promise((resolve, reject) => {
            link!.onload = resolve;
            link!.onerror = reject;
          });
          document.head.append(link);
          await loaded;
        }
        link.disabled = !isDark;
        document.body.dataset.jpThemeLight = String(!isDark);
        await new Promise(requestAnimationFrame);
      },
      [DARK, isDark] as const
    );
  }
}
