import * as fs from 'fs';
import * as path from 'path';

import { Axe } from '../support/axe';
import { Chat } from '../support/chat';
import { expect, test } from '../support/fixtures';
import {
  openPrepared,
  preparedNotebook,
  writeChat,
  type Prepared
} from '../support/prepared';

const COMPARE = '.jp-Turnbook-compare:visible';

const PAIRS: Prepared[] = [
  { id: 'first', user: 'One', reply: 'You said: One' },
  { id: 'second', user: 'Two', reply: 'The red house.' }
];

test.describe('compare', () => {
  test('shows the versions of a pair side by side, with what differs', async ({
    page,
    provider,
    tmpPath
  }) => {
    await page.emulateMedia({ reducedMotion: 'reduce' });
    const notebook = preparedNotebook(PAIRS);
    const { turnbook_run: run } = notebook.cells[1].metadata;
    run.context = [['first', 'first', 1]];
    const file = `${tmpPath}/versions.chat.ipynb`;
    await writeChat(page, file, notebook);
    const chat = new Chat(page);
    await chat.open(file);
    const pair = chat.pair(1);
    await provider.script({
      steps: [{ delta: 'The blue house.' }, { finish: 'stop' }, { done: true }]
    });
    await chat.choose(1);
    await chat.tool(1, /^Regenerate/).click();
    await expect(pair).toContainText('The blue house.');
    await chat.expectState(1, 'succeeded');
    await pair.getByRole('button', { name: 'Compare replies' }).click();

    const view = page.locator(COMPARE);
    await expect(view.getByRole('heading', { level: 2 })).toHaveText([
      'Version 1 · scripted/scripted',
      'Version 2 (current) · scripted/scripted'
    ]);
    await expect(view.getByRole('status')).toHaveText('1 difference');
    const difference = view.getByRole('group', { name: 'Difference 1' });
    await expect(difference.locator('del')).toHaveText('red');
    await expect(difference.locator('ins')).toHaveText('blue');
    await expect(view.getByRole('table', { name: 'Facts' })).toContainText(
      'Request (sha256)'
    );
    const equal = view.getByRole('button', { name: '3 equal messages' });
    await expect(equal).toHaveAttribute('aria-expanded', 'false');

    await view.getByRole('region', { name: 'Comparison' }).focus();
    await page.keyboard.press('n');
    await expect(difference).toBeFocused();
    await page.keyboard.press('f');
    await expect(equal).toHaveAttribute('aria-expanded', 'true');
    await expect(view).toContainText('You said: One');
    await view.getByRole('button', { name: 'By line' }).click();
    await expect(difference.locator('ins')).toHaveText('The blue house.');
    await new Axe(page).expectNothing('a comparison', '.jp-Turnbook-compare');
    await page.keyboard.press('Escape');
    await expect(view).toHaveCount(0);
    await expect(chat.panel).toBeVisible();
    expect(await provider.completions(1)).toHaveLength(1);
  });

  test('shows files of the file browser, a fork and its original, and says what it cannot read', async ({
    page,
    tmpPath
  }) => {
    const { chat, file } = await openPrepared(page, tmpPath, PAIRS);
    const original = await page.evaluate(
      () => (window.jupyterapp.shell.currentWidget as any).session.info.chatId
    );
    const fork = preparedNotebook([
      PAIRS[0],
      { id: 'other', user: 'Three', reply: '<img src=x>' }
    ]);
    fork.metadata.turnbook.lineage = {
      replay_parent_session_id: original,
      replay_parent_turn_id: 'second',
      payloadHash: 'ab'.repeat(32),
      version: 1,
      requestId: 'second',
      at: 1
    };
    const forked = `${tmpPath}/forked.chat.ipynb`;
    await writeChat(page, forked, fork);

    await page.filebrowser.refresh();
    const item = (name: string) =>
      page.locator('#filebrowser .jp-DirListing-item', { hasText: name });
    await item('prepared.chat').click();
    await item('forked.chat').click({ modifiers: ['Control'] });
    await item('forked.chat').click({ button: 'right' });
    await page.locator('.lm-Menu-item', { hasText: 'Compare Replies' }).click();
    const view = page.locator(COMPARE);
    const heads = view.getByRole('heading', { level: 2 });
    await expect(heads).toHaveCount(2);
    await expect(
      view.getByRole('button', { name: '2 equal messages' })
    ).toBeVisible();
    await expect(view.getByRole('status')).toHaveText('2 differences');
    const widths = await view
      .locator('.jp-Turnbook-compare-head')
      .evaluateAll(nodes => nodes.map(node => node.clientWidth));
    expect(Math.min(...widths)).toBeGreaterThanOrEqual(355);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      view.getByRole('button', { name: 'Export as HTML' }).click()
    ]);
    const html = fs.readFileSync(await download.path(), 'utf8');
    expect(html).toContain('<del>&#60;img</del>');
    expect(html).not.toContain('<img');

    await chat.open(forked);
    await chat.panel
      .getByRole('button', { name: 'Compare with the original' })
      .click();
    await expect(heads).toHaveText(['prepared', 'forked']);

    const plain = `${tmpPath}/plain.ipynb`;
    await page.contents.uploadContent(
      JSON.stringify({
        cells: [],
        metadata: {},
        nbformat: 4,
        nbformat_minor: 5
      }),
      'text',
      plain
    );
    await chat.execute('turnbook:compare', {
      items: [
        { path: file },
        { path: plain },
        { path: `${tmpPath}/gone.ipynb` }
      ]
    });
    await expect(view.getByRole('alert')).toHaveText([
      /^plain\.ipynb is no chat, replay record or results notebook/,
      /gone\.ipynb cannot be read/
    ]);
    await expect(view).toContainText('There is nothing to compare with.');
  });

  test('shows two notebooks with results, says which was changed, and writes Markdown', async ({
    page,
    tmpPath
  }) => {
    const results = JSON.parse(
      fs.readFileSync(
        path.join(__dirname, '../../examples/rerun/results.ipynb'),
        'utf8'
      )
    );
    const changed = structuredClone(results);
    const [first] = changed.cells.filter(
      ({ metadata }: any) => metadata.turnbook_result
    );
    const { reply } = first.metadata.turnbook_result;
    reply.content = reply.content.replace('Paris', 'Lyon');
    const files = { 'results-before': results, 'results-after': changed };
    for (const [name, content] of Object.entries(files)) {
      const text = JSON.stringify(content);
      await page.contents.uploadContent(
        text,
        'text',
        `${tmpPath}/${name}.ipynb`
      );
    }
    await page.filebrowser.openDirectory(tmpPath);
    await page.filebrowser.refresh();
    const item = (name: string) =>
      page.locator('#filebrowser .jp-DirListing-item', { hasText: name });
    await item('results-before').click();
    await item('results-after').click({ modifiers: ['Control'] });
    await item('results-after').click({ button: 'right' });
    await page.locator('.lm-Menu-item', { hasText: 'Compare Replies' }).click();
    const view = page.locator(COMPARE);
    await expect(view.getByRole('status')).toHaveText('1 difference');
    await expect(view.getByRole('heading', { level: 2 })).toHaveCount(2);
    const note = 'The results were changed after they were written.';
    const head = (title: string) =>
      view
        .locator('.jp-Turnbook-compare-head')
        .filter({ has: page.getByRole('heading', { name: title }) });
    await expect(head('results-after')).toContainText(note);
    await expect(head('results-before')).not.toContainText(note);
    const difference = view.getByRole('group', { name: 'Difference 1' });
    await expect(difference).toContainText('Lyon');

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      view.getByRole('button', { name: 'Export as Markdown' }).click()
    ]);
    expect(download.suggestedFilename()).toBe('comparison.md');
    const text = fs.readFileSync(await download.path(), 'utf8');
    expect(text).toContain(note);
    expect(text).toContain('The capital of France is Paris.');
    expect(text).toContain('The capital of France is Lyon.');
  });
});
