import AxeBuilder from '@axe-core/playwright';

import { expect, test } from '../support/fixtures';
import { openPrepared } from '../support/prepared';
import { RequestUI } from '../support/request';

const CELLS = [
  { id: 'sys-0001', system: 'Answer briefly.' },
  { id: 'pair-0001', user: 'Which frames?', reply: 'Area frames.' },
  { id: 'pair-0002', user: 'And others?', reply: 'Long. '.repeat(200) }
];

for (const theme of ['JupyterLab Light', 'JupyterLab Dark']) {
  test(`axe finds nothing in the Request panel, ${theme} @fresh`, async ({
    page,
    tmpPath
  }) => {
    await page.theme.setTheme(theme);
    const { chat } = await openPrepared(page, tmpPath, CELLS);
    const request = new RequestUI(chat);
    await chat.message.fill('Go on');
    await request.open();
    const scan = async (state: string) => {
      const { violations } = await new AxeBuilder({ page })
        .include('.jp-Turnbook-panel')
        .include('.jp-Turnbook-composer')
        .analyze();
      expect(
        violations.map(({ id, nodes }) => [id, nodes.map(node => node.html)]),
        state
      ).toEqual([]);
    };
    await scan('as it opens');
    await request.write(0, 'Answer at length.');
    await request.header(1).hover();
    await request
      .row(1)
      .getByRole('button', { name: 'Delete section' })
      .click();
    await request.header(2).hover();
    await request.row(2).getByRole('button', { name: 'As JSON' }).click();
    await request.toggle('Auto-apply').click();
    await scan('with edits');
    await chat.execute('turnbook:pause-next');
    await chat.message.press('Enter');
    await expect(
      request.panel.getByText('Paused before sending.')
    ).toBeVisible();
    await scan('paused');
    for (const part of [
      'Options',
      'Session Snapshot',
      'Versions',
      'Auto-apply'
    ]) {
      await request.openPart(part);
      await scan(part);
      await request
        .part(part)
        .getByRole('button', { name: part, exact: true })
        .click();
    }
    await request.openPart('Session Snapshot');
    await request
      .part('Session Snapshot')
      .getByRole('button', { name: 'Tree' })
      .click();
    await scan('tree');
  });
}

test('everything in the panel can be reached by Tab, in order', async ({
  page,
  tmpPath
}) => {
  const { chat } = await openPrepared(page, tmpPath, CELLS.slice(0, 2));
  const request = new RequestUI(chat);
  await chat.message.fill('Go on');
  await request.open();
  await request.target.focus();
  const seen: string[] = [];
  for (let n = 0; n < 80; n++) {
    await page.keyboard.press('Tab');
    const name = await page.evaluate(() => {
      const node = document.activeElement as HTMLElement;
      return node.closest('.jp-Turnbook-panel')
        ? (node.getAttribute('aria-label') ?? node.textContent ?? '')
        : null;
    });
    if (name === null) {
      break;
    }
    seen.push(name.trim());
  }
  const expected = [
    'Diff',
    'Prompt',
    'system',
    'Add section',
    'Options',
    'Session Snapshot',
    'Versions',
    'Auto-apply'
  ];
  // A section's name and its text have the same accessible name.
  const stops = [...new Set(seen)].filter(name => expected.includes(name));
  expect(stops).toEqual(expected);
  expect(seen.every(name => name !== '')).toBe(true);
});
