import type { IJupyterLabPageFixture } from '@jupyterlab/galata';
import type { Locator } from '@playwright/test';

import { Chat } from '../support/chat';
import { expect, test } from '../support/fixtures';
import type { IScript } from '../support/provider';
import { setSetting } from '../support/request';
import { rollDice } from '../support/tools';

/** A reply with this usage; null if the provider reports none. */
const reply = (text: string, usage: unknown): IScript => ({
  steps: [{ delta: text }, { finish: 'stop', usage }, { done: true }]
});

const counted = (input: number, output: number, more = {}) => ({
  prompt_tokens: input,
  completion_tokens: output,
  ...more
});

/** The totals of chats and days, by their accessible names. */
class Usage {
  constructor(private _page: IJupyterLabPageFixture) {}

  /** What the chat in front took, in the status bar. */
  get status(): Locator {
    return this._page
      .locator('.jp-Turnbook-usageStatus')
      .getByRole('button', { name: /^Chat: / });
  }

  get dialog(): Locator {
    return this._page.getByRole('dialog', { name: 'Usage and price' });
  }

  /** The cells of a row of a table that has these words. */
  row(table: RegExp, words: string): Locator {
    return this.dialog
      .getByRole('table', { name: table })
      .getByRole('row')
      .filter({ hasText: words });
  }

  /** How many requests of the scripted model were counted today. */
  async today(): Promise<number> {
    await this._page.evaluate(() => {
      void window.jupyterapp.commands.execute('turnbook:usage');
    });
    await expect(this.dialog).toBeVisible();
    const all = this.dialog.getByRole('region', { name: 'All chats' });
    await expect(all.getByText('Reading the journal…')).toHaveCount(0);
    const rows = all.locator('tbody').first().getByRole('row');
    const row = rows.filter({ hasText: 'scripted/scripted' });
    const count = (await row.count())
      ? Number(await row.first().getByRole('cell').first().textContent())
      : 0;
    await this.close();
    return count;
  }

  async close(): Promise<void> {
    await this.dialog.getByRole('button', { name: 'Close' }).click();
    await expect(this.dialog).toHaveCount(0);
  }
}

const CHAT = /this chat/;
const DAYS = /all chats/;

test.describe('usage and price', () => {
  test('of a chat count each request once, also regenerated ones, and say what is unknown @fresh', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    const usage = new Usage(page);
    await chat.create(tmpPath);
    await setSetting(page, 'prices', {
      'scripted/scripted': { input: 100, output: 1000, cached: 10 }
    });
    await expect(usage.status).toHaveCount(0);
    const before = await usage.today();

    const details = { prompt_tokens_details: { cached_tokens: 400 } };
    await provider.script([
      reply('One.', counted(1000, 100, details)),
      reply('Another.', counted(1000, 200))
    ]);
    await chat.say('Hello');
    await chat.expectState(0, 'succeeded');
    await expect(
      chat.pair(0).getByText('1k in (400 cached) · 100 out · $0.16')
    ).toBeVisible();
    await expect(usage.status).toHaveText('Chat: $0.16');
    await chat.choose(0);
    await chat.tool(0, /^Regenerate/).click();
    await expect(chat.pair(0)).toContainText('Another.');
    await expect(usage.status).toHaveText('Chat: $0.46');

    // What a provider does not report is unknown, and not 0.
    await provider.script(reply('Two.', null));
    await chat.say('More');
    await chat.expectState(1, 'succeeded');
    await expect(usage.status).toHaveText('Chat: $0.46 + ?');
    await usage.status.click();
    await expect(usage.dialog).toBeVisible();
    await expect(
      usage.row(CHAT, 'scripted/scripted').getByRole('cell')
    ).toHaveText(['3', '2k (400 cached) + ?', '300 + ?', '$0.46 + ?']);
    await expect(usage.dialog).toContainText(
      'The price of 1 request is unknown'
    );
    await expect(usage.dialog).toContainText('from your settings');
    await expect(usage.row(DAYS, 'scripted/scripted').first()).toBeVisible();
    await usage.close();
    expect(await usage.today()).toBe(before + 3);

    // The file knows it: after a reload it is the same, and prices may be others.
    await chat.clean();
    await chat.reload();
    await expect(usage.status).toHaveText('Chat: $0.46 + ?');
    await setSetting(page, 'prices', undefined);
    await expect(usage.status).toHaveText('Chat: 2.3k tokens + ?');
    await chat.deleteLastByKey();
    await expect(usage.status).toHaveText('Chat: 2.3k tokens');
    // What was sent was sent.
    expect(await usage.today()).toBe(before + 3);
  });

  test('count the rounds of a turn with tools, and are gone with the chat', async ({
    page,
    provider,
    tmpPath
  }) => {
    const usage = new Usage(page);
    const { chat, file, rounds } = await rollDice(page, provider, tmpPath, [
      reply('Four.', counted(50, 5))
    ]);
    await expect(rounds.result('dice')).toBeVisible();
    const first = await chat.saved(
      file,
      ({ cells }) => cells[0].outputs.length === 1
    );
    const { model, usage: taken } = first.cells[0].outputs[0].metadata.turnbook;
    expect(model).toBe('scripted/scripted');
    const { prompt_tokens: input, completion_tokens: output } = taken;
    await rounds.answer('dice', '4');
    await chat.expectState(0, 'succeeded');
    await expect(usage.status).toHaveText(
      `Chat: ${input + output + 55} tokens`
    );
    const saved = await chat.saved(
      file,
      ({ cells }) => cells[0].metadata.turnbook_run.state === 'succeeded'
    );
    expect(saved.cells[0].outputs[0].metadata.turnbook.usage).toEqual(taken);
    await chat.begin('turnbook:usage');
    await expect(
      usage.row(CHAT, 'scripted/scripted').getByRole('cell').first()
    ).toHaveText('2');
    await page.keyboard.press('Escape');
    await expect(usage.dialog).toHaveCount(0);
    await page.evaluate(() => {
      void window.jupyterapp.commands.execute('launcher:create');
    });
    await expect(usage.status).toHaveCount(0);
  });
});
