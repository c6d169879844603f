import type { IJupyterLabPageFixture } from '@jupyterlab/galata';
import type { Locator } from '@playwright/test';

import type { Chat } from '../support/chat';
import { expect, test } from '../support/fixtures';
import { openPrepared, type Prepared } from '../support/prepared';
import { Replay } from '../support/replay';
import { RequestUI } from '../support/request';
import { keepMessages, pairMessages } from '../../src/document/messages';

const LONG = 'The frame of a survey lists each dwelling once. '.repeat(30);

/** Messages that need room: long words, long texts, and tool calls with deep arguments. */
const CELLS: Prepared[] = [
  { id: 'sys-0001', system: 'You help to design household surveys.' },
  { id: 'pair-0001', user: `Why ${'unbreakable'.repeat(12)}?`, reply: LONG },
  { id: 'pair-0002', user: LONG, reply: 'Because.' },
  {
    id: 'pair-0003',
    user: 'Roll the dice',
    reply: 'Five.',
    kept: keepMessages(
      [
        { role: 'user', content: 'Roll the dice' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            {
              id: 'call_0123456789abcdef0123456789abcdef',
              type: 'function',
              function: {
                name: 'roll_the_dice_of_the_household_survey',
                arguments: JSON.stringify({
                  a_long_name_of_an_argument: { deeper: [{ still: LONG }] }
                })
              }
            }
          ]
        },
        {
          role: 'tool',
          tool_call_id: 'call_0123456789abcdef0123456789abcdef',
          content: '5'
        },
        { role: 'assistant', content: 'Five.' }
      ],
      pairMessages({ user: 'Roll the dice', reply: 'Five.' })
    )
  }
];

async function open(
  page: IJupyterLabPageFixture,
  folder: string,
  cells: Prepared[],
  text: string
): Promise<{ chat: Chat; request: RequestUI }> {
  const { chat } = await openPrepared(page, folder, cells);
  const request = new RequestUI(chat);
  await chat.message.fill(text);
  await request.open();
  return { chat, request };
}

/**
 * What of the panel a user cannot read without scrolling sideways: elements beyond its edges, cut
 * texts, and values, choices and hints that are longer than their fields.
 */
function cutOff(panel: HTMLElement): string[] {
  const edges = panel.getBoundingClientRect();
  const canvas = document.createElement('canvas').getContext('2d')!;
  const found: string[] = [];
  for (const node of panel.querySelectorAll<HTMLElement>('*')) {
    const { left, right, width } = node.getBoundingClientRect();
    if (!width || !node.checkVisibility() || node.closest('svg')) {
      continue;
    }
    const chips = node.closest('.jp-Turnbook-section-chips');
    if (chips) {
      // A mark is seen as a whole, or not at all.
      const frame = chips.getBoundingClientRect();
      const box = node.getBoundingClientRect();
      if (node !== chips && box.top < frame.bottom && right > frame.right + 1) {
        found.push(`cut mark: ${node.textContent}`);
      }
      continue;
    }
    const style = getComputedStyle(node);
    const what = `${node.className} ${(node.textContent ?? '').slice(0, 40)}`;
    if (left < edges.left - 1 || right > edges.right + 1) {
      found.push(`beyond the edge: ${what}`);
    }
    const isField = node.matches('input, textarea, select');
    if (
      !isField &&
      style.overflowX !== 'visible' &&
      node.scrollWidth > node.clientWidth + 1
    ) {
      found.push(`cut: ${what}`);
    }
    // A past pair's text can be longer than any field; the tooltip has all of it.
    const text = node.matches('select:not([aria-label="Request of"])')
      ? (node as HTMLSelectElement).selectedOptions[0]?.text
      : node.getAttribute('placeholder');
    if (text) {
      canvas.font = style.font;
      const sides = parseFloat(style.paddingLeft) * 2;
      const arrow = node.matches('select') ? 16 : 0;
      const room = node.clientWidth - sides - arrow;
      if (canvas.measureText(text).width > room) {
        found.push(`longer than its field: ${text}`);
      }
    }
  }
  return found;
}

/** Open everything that is closed in a part of the panel. */
async function unfold(part: Locator): Promise<void> {
  const closed = part.locator(
    'button[aria-expanded="false"]:is(.jp-Turnbook-tree-branch, .jp-Turnbook-section-name)'
  );
  while (await closed.count()) {
    await closed.first().click();
  }
}

test.describe('the layout of the Request panel', () => {
  test('cuts nothing off at 320 px', async ({ page, tmpPath }) => {
    const { chat, request } = await open(
      page,
      tmpPath,
      CELLS,
      'What does it cost?'
    );
    await request.resize(320);
    const expectWhole = async (state: string) => {
      await expect
        .poll(() => request.panel.evaluate(cutOff), { message: state })
        .toEqual([]);
    };
    await expectWhole('as it opens');

    const prompt = request.part('Prompt');
    await request.write(0, 'You help to design surveys of households.');
    await request.header(0).hover();
    await expect(request.button('Compare with the original')).toBeVisible();
    await expectWhole('tools of an edited section');
    await request.write(4, 'Because it is so.');
    await request.header(4).hover();
    await expect(request.button('Delete section')).toBeVisible();
    await expectWhole('tools of an edited reply');
    await request.header(2).hover();
    await expect(request.button('Delete section')).toBeVisible();
    await expectWhole('tools of a section');
    await request.button('Delete section').click();
    await expectWhole('a deleted section');
    await unfold(prompt);
    await expectWhole('open sections');
    // The rows of the tool calls, from the end on.
    await request.panel
      .locator('.jp-Turnbook-section-name')
      .first()
      .press('End');
    await expect(request.rows.last()).toContainText('What does it cost?');
    await unfold(prompt);
    await expectWhole('tool calls');
    await prompt.getByRole('button', { name: 'Prompt', exact: true }).click();

    const options = await request.openPart('Options');
    await options.getByRole('textbox', { name: 'Temperature' }).fill('0.3');
    await options.getByRole('textbox', { name: 'Tools' }).click();
    await request.replace('[{"type": ');
    await options.getByRole('textbox', { name: 'Seed' }).fill('many');
    await options
      .getByRole('textbox', { name: 'Name of a further option' })
      .fill('x_a_long_name_of_an_option_that_only_one_provider_knows');
    await options
      .getByRole('textbox', { name: 'Value of a further option' })
      .fill('true');
    await options.getByRole('button', { name: 'Add option' }).click();
    await expect(options.getByText('Edited')).toHaveCount(2);
    await expectWhole('options');
    await options.getByRole('button', { name: 'Options' }).click();

    const snapshot = await request.openPart('Session Snapshot');
    await expectWhole('snapshot');
    const editor = snapshot.getByRole('textbox', {
      name: 'Session Snapshot as JSON'
    });
    await editor.click();
    await request.replace('{"turns": [');
    await expect(snapshot.getByRole('alert')).toContainText('line 1');
    await expectWhole('an invalid snapshot');
    await snapshot.getByRole('button', { name: 'Refresh snapshot' }).click();
    await snapshot.getByRole('button', { name: 'Tree' }).click();
    await unfold(snapshot);
    await expectWhole('the tree of a snapshot');
    await snapshot.getByRole('button', { name: 'Session Snapshot' }).click();

    const versions = await request.openPart('Versions');
    await expectWhole('no version');
    await request.openPart('Replays');
    await expectWhole('no replay');
    const replay = new Replay(page);
    for (const text of ['What does it cost?', 'How long does it take?']) {
      await chat.message.fill(text);
      await replay.open(chat);
      await replay.button('Back to conversation').click();
      await replay.left();
    }
    await expect(versions.getByRole('listitem')).toHaveCount(2);
    await expectWhole('versions and replays');

    await request.toggle('Auto-apply').click();
    await chat.execute('turnbook:pause-next');
    await chat.message.press('Enter');
    await request.paused();
    await expectWhole('paused');
    await request.button('Resume send').click();
    await expect(request.panel.getByText('agrees ✓')).toBeVisible();
    const rules = await request.openPart('Auto-apply');
    await expect(rules.getByRole('listitem')).toHaveCount(1);
    await expectWhole('sent, with a rule');
    await request.target.selectOption({
      label: 'turn 4 · How long does it take?'
    });
    await expect(
      request.panel.getByRole('button', { name: 'Show changes' }).first()
    ).toBeVisible();
    await expectWhole('a past pair');
  });

  test('shows the messages and buttons of a long snapshot at 900 × 700', async ({
    page,
    tmpPath
  }) => {
    await page.setViewportSize({ width: 900, height: 700 });
    const { request } = await open(
      page,
      tmpPath,
      Array.from({ length: 12 }, (_, n) => ({
        id: `pair-${n}`,
        user: `Question ${n}`,
        reply: LONG
      })),
      'Go on'
    );
    for (const part of ['Options', 'Versions', 'Replays']) {
      await request.openPart(part);
    }
    const part = await request.openPart('Session Snapshot');
    const apply = part.getByRole('button', { name: 'Apply to prompt' });
    const replay = part.getByRole('button', { name: 'Apply & Replay' });
    const editor = part.getByRole('textbox', {
      name: 'Session Snapshot as JSON'
    });
    const seen = async (...parts: Locator[]) => {
      for (const one of parts) {
        await expect(one).toBeInViewport({ ratio: 1 });
      }
      // What scrolls is the text, not the part around it.
      const body = part.locator('.jp-Turnbook-part-body');
      const beyond = await body.evaluate(
        node => node.scrollHeight - node.clientHeight
      );
      expect(beyond).toBeLessThanOrEqual(1);
    };
    await seen(apply, replay, editor.locator('.cm-line').first());

    const text = await editor.evaluate(
      node => (node as any).cmTile.view.state.doc.toString() as string
    );
    const at = text.lastIndexOf('"user"');
    await editor.locator('.cm-line').first().click();
    await request.replace(`${text.slice(0, at)}7${text.slice(at + 6)}`);
    const alert = part.getByRole('alert');
    await expect(alert).toContainText('must be one of');
    await seen(alert, apply);
    await expect(apply).toBeDisabled();
    await expect(part.getByRole('button', { name: 'Tree' })).toBeDisabled();
    // The message leads to the error, which is far below.
    await part.getByRole('button', { name: /^Go to line \d+$/ }).click();
    await expect(editor).toBeFocused();
    await page.keyboard.press('Delete');
    await page.keyboard.insertText('"user"');
    await expect(alert).toHaveCount(0);
    await expect(apply).toBeEnabled();

    await editor.focus();
    await request.replace(text.replace('"scripted"', '"elsewhere"'));
    await apply.click();
    await expect(alert).toContainText('The provider is scripted');
    await seen(alert, apply, replay);
    await part.getByRole('button', { name: 'Dismiss' }).click();
    await part.getByRole('button', { name: 'Tree' }).click();
    await seen(apply, replay);
  });

  test('makes Diff look on while it is on, also under the pointer', async ({
    page,
    tmpPath
  }) => {
    const { request } = await open(page, tmpPath, CELLS.slice(0, 1), 'Go on');
    await request.write(0, 'You help to design household censuses.');
    await request.panel.getByRole('heading', { name: 'Request' }).click();
    const diff = request.button('Diff');
    const look = () =>
      diff.evaluate(node => {
        const style = getComputedStyle(node);
        return [style.backgroundColor, style.borderColor, style.boxShadow];
      });
    const marks = request.row(0).locator('.cm-changedText, ins');
    await diff.hover();
    await expect(diff).toHaveAttribute('aria-pressed', 'true');
    await expect(marks.first()).toBeVisible();
    const on = await look();
    await diff.click();
    await expect(diff).toHaveAttribute('aria-pressed', 'false');
    await expect(marks).toHaveCount(0);
    const off = await look();
    on.forEach((value, n) => expect(value).not.toBe(off[n]));
    await diff.click();
    await expect.poll(look).toEqual(on);
  });

  test('aligns the rows of versions', async ({ page, tmpPath }) => {
    const { chat, request } = await open(
      page,
      tmpPath,
      CELLS.slice(0, 1),
      'Go on'
    );
    const replay = new Replay(page);
    for (const text of ['One', 'Two, with more words']) {
      await request.write(0, text);
      await replay.open(chat);
      await replay.button('Back to conversation').click();
      await replay.left();
    }
    await chat.execute('turnbook:pause-next');
    await chat.message.press('Enter');
    await request.paused();
    const rows = (await request.openPart('Versions')).getByRole('listitem');
    await expect(rows).toHaveCount(2);
    await expect(rows.first()).toContainText('replayed, paused');
    const columns = await rows.evaluateAll(rows =>
      rows.map(row => {
        const cells = [...row.children].map(cell => {
          const { left, right } = cell.getBoundingClientRect();
          return { left: Math.round(left), right: Math.round(right) };
        });
        // Of three columns, the first two are aligned at the left, the last at the right.
        return cells.map(({ left, right }, n) => (n % 3 === 2 ? right : left));
      })
    );
    expect(columns[0]).toHaveLength(6);
    expect(columns[0].slice(0, 3)).toEqual(columns[0].slice(3));
    expect(columns[1]).toEqual(columns[0]);
  });

  test('names each option once, with help', async ({ page, tmpPath }) => {
    const { request } = await open(page, tmpPath, CELLS.slice(0, 1), 'Go on');
    const part = await request.openPart('Options');
    await part
      .getByRole('textbox', { name: 'Name of a further option' })
      .fill('x_vendor');
    await part
      .getByRole('textbox', { name: 'Value of a further option' })
      .fill('1');
    await part.getByRole('button', { name: 'Add option' }).click();
    const options = part.locator('[data-turnbook-option]');
    await expect(options.last()).toContainText('x_vendor');
    const shown = await options.evaluateAll(options =>
      options.map(option => {
        const label = option.querySelector<HTMLElement>('[title]')!;
        const field = option.querySelector(
          'input, select, textarea, [role="textbox"]'
        );
        const help = (field?.getAttribute('aria-describedby') ?? '')
          .split(' ')
          .map(id => document.getElementById(id)?.textContent ?? '')
          .join('');
        return {
          name: (option as HTMLElement).dataset.turnbookOption!,
          texts: (option as HTMLElement).innerText.toLowerCase(),
          label: label.innerText,
          title: label.title,
          field: field?.getAttribute('aria-label') ?? null,
          help
        };
      })
    );
    expect(shown.length).toBeGreaterThan(12);
    const labels = shown.map(({ label }) => label);
    expect(new Set(labels).size).toBe(labels.length);
    for (const { name, texts, label, title, field, help } of shown) {
      expect(texts.split(label.toLowerCase()), name).toHaveLength(2);
      if (label !== name) {
        expect(texts, name).not.toContain(name.replace(/^[a-z]+$/, '\0'));
        expect(title.split('\n')[0]).toBe(name);
      }
      expect(title.split('\n').pop()!.length, name).toBeGreaterThan(10);
      if (field !== null) {
        expect(field).toBe(label);
        expect(title).toContain(help);
        expect(help).not.toBe('');
      }
    }
  });
});

test.describe('texts from right to left', () => {
  const RTL: Prepared[] = [
    { id: 'sys-0001', system: 'ענה בקצרה.' },
    { id: 'pair-0001', user: 'مرحبا\nIn English', reply: 'نعم.' }
  ];
  const direction = (node: Locator) =>
    node.evaluate(node => getComputedStyle(node).direction);

  test('are in their direction in the panel, its editors and comparisons', async ({
    page,
    tmpPath
  }) => {
    const { chat, request } = await open(page, tmpPath, RTL, 'שלום');
    for (const n of [0, 1, 2, 3]) {
      await expect.poll(() => direction(request.text(n))).toBe('rtl');
    }
    // The cells and the composer beside it.
    const lines = chat.pair(0).locator('.jp-InputArea-editor .cm-line');
    await expect
      .poll(async () => [
        await direction(lines.first()),
        await direction(lines.nth(1)),
        await direction(chat.message)
      ])
      .toEqual(['rtl', 'ltr', 'rtl']);

    // The keys follow the direction: End is the end of the text, not the right edge.
    await request.text(1).click();
    const edited = request.text(1).locator('.cm-line');
    await expect
      .poll(async () => [
        await direction(edited.first()),
        await direction(edited.nth(1))
      ])
      .toEqual(['rtl', 'ltr']);
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('End');
    await page.keyboard.insertText('؟');
    await request.expectText(1, 'مرحبا؟\nIn English');

    await request.header(1).hover();
    await request.button('Compare with the original').click();
    const dialog = page.getByRole('dialog');
    const compared = dialog.locator('.cm-line');
    await expect
      .poll(async () => [
        await direction(compared.first()),
        await direction(compared.nth(1))
      ])
      .toEqual(['rtl', 'ltr']);
    await dialog.getByRole('button', { name: 'Close' }).click();

    const snapshot = await request.openPart('Session Snapshot');
    await snapshot.getByRole('button', { name: 'Tree' }).click();
    await unfold(snapshot);
    await expect
      .poll(() =>
        direction(snapshot.locator('textarea').filter({ hasText: 'ענה' }))
      )
      .toBe('rtl');
  });

  test('are in their direction in replays and while a message is edited', async ({
    page,
    tmpPath
  }) => {
    const { chat, request } = await open(page, tmpPath, RTL, 'שלום');
    await request.write(0, 'ענה באריכות.');
    const replay = new Replay(page);
    await request.button('Replay edited prompt').click();
    await expect(replay.badge).toBeVisible();
    const system = replay.cells.first();
    await expect
      .poll(() => direction(system.locator('.cm-line').first()))
      .toBe('rtl');
    await system.getByText(/^Edited/).hover();
    const tip = page.locator('.jp-Turnbook-changeTip');
    await expect(tip).toBeVisible();
    await expect.poll(() => direction(tip)).toBe('rtl');
    await replay.button('Back to conversation').click();
    await replay.left();
    await chat.choose(1);
    await chat.editByKey();
    const editor = chat.pair(0).getByRole('textbox', { name: 'Edited text' });
    await expect.poll(() => direction(editor)).toBe('rtl');
  });
});
