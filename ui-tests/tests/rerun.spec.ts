import type { IJupyterLabPageFixture } from '@jupyterlab/galata';
import type { Locator } from '@playwright/test';

import { Axe } from '../support/axe';
import { Chat } from '../support/chat';
import { expect, test } from '../support/fixtures';
import { LOADING_MS } from '../support/loading';
import { gated, type IScript } from '../support/provider';
import { Replay } from '../support/replay';
import { otherLab } from '../support/tabs';

/** The dialog of a rerun, and the tab with all of them. */
class Reruns {
  constructor(readonly page: IJupyterLabPageFixture) {}

  get dialog(): Locator {
    return this.page.getByRole('dialog', { name: 'Rerun' });
  }

  get estimate(): Locator {
    return this.dialog.getByRole('status', { name: 'Estimate' });
  }

  /** What the list says about a rerun, by the end of its results' path. */
  item(out: string): Locator {
    return this.page
      .locator('.jp-Turnbook-reruns:visible .jp-Turnbook-reruns-item')
      .filter({ hasText: out });
  }

  async press(item: Locator, name: string): Promise<void> {
    await item.getByRole('button', { name, exact: true }).click();
  }

  async start(): Promise<void> {
    await this.dialog
      .getByRole('button', { name: 'Rerun', exact: true })
      .click();
    await expect(this.dialog).toHaveCount(0);
  }

  async cancel(): Promise<void> {
    await this.page.keyboard.press('Escape');
    await expect(this.dialog).toHaveCount(0);
  }
}

test.describe('rerun', () => {
  test('sends pairs, replays, records and folders again, after it said what that takes', async ({
    page,
    provider,
    tmpPath
  }) => {
    await page.emulateMedia({ reducedMotion: 'reduce' });
    const chat = new Chat(page);
    const reruns = new Reruns(page);
    const { dialog, estimate } = reruns;
    const file = await chat.createSaved(tmpPath, 'One');
    await chat.say('Two');
    await chat.expectState(1, 'succeeded');
    const folder = file.replace(/\.chat\.ipynb$/, '-rerun');

    // The pairs of a chat.
    await chat.choose(0);
    await page.keyboard.press('Shift+ArrowDown');
    await chat.begin('turnbook:rerun');
    await expect(dialog.getByRole('list', { name: 'Records' })).toContainText(
      /turn 1.*turn 2/
    );
    await expect(dialog).toContainText(`written to the folder ${folder} first`);
    await expect(estimate).toHaveText(/^2 requests · .* · price unknown$/);
    await dialog
      .getByRole('option', { name: 'scripted/scripted', exact: true })
      .focus();
    await page.keyboard.press('Space');
    const repeats = dialog.getByRole('spinbutton', { name: 'Repeats' });
    await repeats.press('End');
    await repeats.press('Backspace');
    await repeats.pressSequentially('2');
    await expect(repeats).toHaveValue('2');
    await dialog.getByRole('textbox', { name: 'Options' }).fill('temperature');
    await expect(dialog.getByRole('alert')).toContainText('is not path=value');
    await expect(
      dialog.getByRole('button', { name: 'Rerun', exact: true })
    ).toBeDisabled();
    await dialog
      .getByRole('textbox', { name: 'Options' })
      .fill('temperature=0');
    await expect(estimate).toHaveText(/^4 requests/);
    await new Axe(page).expectNothing('the dialog of a rerun', '.jp-Dialog');
    expect(await provider.completions()).toHaveLength(2);
    await reruns.start();
    const item = reruns.item(`${folder}/results.ipynb`);
    await expect(item).toContainText('4 of 4 replies');
    await expect(item).toContainText('Done');
    const sent = (await provider.completions(6)).slice(2);
    expect(sent.map(({ body }) => JSON.parse(body).temperature)).toEqual([
      0, 0, 0, 0
    ]);
    await new Axe(page).expectNothing('reruns', '.jp-Turnbook-reruns');
    await reruns.press(item, 'Open results');
    const results = page.locator('.jp-NotebookPanel:visible');
    await expect(results).toContainText('4 of 4 replies');
    await expect(page.locator('.jp-Dialog')).toHaveCount(0);

    // A folder of records, and one of them.
    await page.sidebar.openTab('filebrowser');
    await page.filebrowser.refresh();
    const entry = (name: string) =>
      page.locator('#filebrowser .jp-DirListing-item', { hasText: name });
    await entry('-rerun').click({ button: 'right' });
    await page.locator('.lm-Menu-item', { hasText: 'Rerun…' }).click();
    await expect(dialog).toContainText('2 records');
    await expect(
      dialog.getByRole('textbox', { name: 'Results' })
    ).toHaveAttribute('placeholder', `${folder}/results-2.ipynb`);
    await reruns.cancel();
    const records = await page.evaluate(async at => {
      const { contents } = window.jupyterapp.serviceManager;
      const { content } = await contents.get(at);
      return content
        .map(({ path }: any) => path)
        .filter((path: string) => path.endsWith('.replay.ipynb'));
    }, folder);
    expect(records).toHaveLength(2);
    await page.evaluate(async path => {
      await window.jupyterapp.commands.execute('docmanager:open', { path });
    }, records[0]);
    const replay = new Replay(page);
    await replay.button('Rerun…').click();
    await expect(dialog).toContainText('1 record');
    await expect(estimate).toHaveText(/^1 request ·/);
    await reruns.cancel();
    expect(await provider.completions()).toHaveLength(6);

    // A replay; stop, and go on.
    await chat.open(file);
    await replay.open(
      chat,
      (await chat.pair(0).getAttribute('data-turnbook-pair')) ?? ''
    );
    await provider.script(
      Array.from({ length: 20 }, () => gated('One', 'go', ' two'))
    );
    await replay.button('Rerun…').click();
    await expect(estimate).toHaveText(/^1 request ·/);
    await dialog.getByRole('spinbutton', { name: 'Repeats' }).fill('25');
    await expect(estimate).toHaveText(/^25 requests ·/);
    await reruns.start();
    const second = reruns.item(`${folder}/results-2.ipynb`);
    await provider.completions(26);
    await expect(second).toContainText('20 under way');
    await reruns.press(second, 'Stop');
    await expect(second).toContainText('Stopping: 20 requests');
    await provider.release('go');
    await expect(second).toContainText('20 of 25 replies');
    await expect(second).toHaveAttribute('data-turnbook-rerun', 'stopped');
    await reruns.press(second, 'Go on');
    await expect(second).toContainText('25 of 25 replies');
    await expect(second).toHaveAttribute('data-turnbook-rerun', 'done');
    expect(await provider.completions()).toHaveLength(31);
    await reruns.press(second, 'Remove from the list');
    await expect(second).toHaveCount(0);
  });

  test('goes on through a reload and in another tab, and a killed server doubles nothing @fresh', async ({
    page,
    context,
    mortal,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    const reruns = new Reruns(page);
    const file = await chat.createSaved(tmpPath, 'One');
    const out = file.replace(/\.chat\.ipynb$/, '-rerun/results.ipynb');
    const whole = {
      steps: [{ delta: 'Whole.' }, { finish: 'stop' }, { done: true }]
    } satisfies IScript;
    await provider.script([
      ...Array.from({ length: 2 }, () => whole),
      ...Array.from({ length: 20 }, () => gated('Half', 'go', '.'))
    ]);
    await chat.choose(0);
    await chat.begin('turnbook:rerun');
    await reruns.dialog.getByRole('spinbutton', { name: 'Repeats' }).fill('25');
    await expect(reruns.estimate).toHaveText(/^25 requests ·/);
    await reruns.start();
    const item = reruns.item(out);
    await expect(item).toContainText('2 of 25 replies · 20 under way');

    // The results are there before the last reply is, and show what comes.
    await reruns.press(item, 'Open results');
    const results = page.locator('.jp-NotebookPanel:visible');
    await expect(results).toContainText('2 of 25 replies');
    const isDirty = await page.evaluate(
      () => (window.jupyterapp.shell.currentWidget as any).context.model.dirty
    );
    expect(isDirty).toBe(false);

    // The list is there again after a reload, and in another tab.
    await chat.execute('turnbook:reruns');
    const stored = () =>
      page.evaluate(async () => {
        const { workspaces } = window.jupyterapp.serviceManager;
        const { data } = await workspaces.fetch('default');
        const layout = data['layout-restorer:data'] as any;
        return `${layout?.main?.current ?? ''}`;
      });
    await expect.poll(stored).toContain('turnbook-reruns');
    await page.reload({ waitForIsReady: false } as object);
    await expect(item).toContainText('20 under way', { timeout: LOADING_MS });
    const other = await otherLab(context);
    await other.execute('turnbook:reruns');
    const there = new Reruns(other.page).item(out);
    await expect(there).toContainText('2 of 25 replies · 20 under way');

    // Nobody knows what became of those that were under way.
    await mortal.kill();
    // JupyterLab's own.
    const lost = page.locator('.jp-Dialog', { hasText: 'Connection' });
    await page.addLocatorHandler(lost, () => page.keyboard.press('Escape'));
    await expect(
      page.locator('.jp-Turnbook-reruns').getByRole('alert')
    ).toContainText('does not respond');
    await mortal.start();
    await expect(item).toContainText('Interrupted', { timeout: 45_000 });
    await expect(there).toContainText('Interrupted', { timeout: 45_000 });
    expect(await provider.completions()).toHaveLength(23);
    await reruns.press(item, 'Go on');
    await expect(item).toContainText('5 of 25 replies · 20 unknown');
    await expect(there).toContainText('5 of 25 replies · 20 unknown');
    expect(await provider.completions()).toHaveLength(26);
    await page.getByRole('tab', { name: 'results.ipynb' }).click();
    await expect(results).toContainText('5 of 25 replies');
    await other.page.close();
  });
});
