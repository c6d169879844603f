import type { Locator } from '@playwright/test';

import { hostileDiagrams } from '../fixtures/hostilediagrams';
import { EVIL_HOST } from '../fixtures/hostile';
import { Chat } from '../support/chat';
import { expect, test } from '../support/fixtures';
import { openPrepared } from '../support/prepared';
import { Replay } from '../support/replay';
import { Searching } from '../support/searching';

const code = (source: string) => `\`\`\`mermaid\n${source}\n\`\`\``;

const show = (inside: Locator) =>
  inside.getByRole('button', { name: 'Show diagram' });

const hide = (inside: Locator) =>
  inside.getByRole('button', { name: 'Show code' });

/** Whether an image has been drawn, and not only its alternative text. */
const isDrawn = (image: Locator) =>
  image.evaluate((node: HTMLImageElement) =>
    node.decode().then(() => node.naturalWidth > 0)
  );

test('a diagram is shown as a picture on request, and as code again', async ({
  page,
  tmpPath
}) => {
  const wide = Array.from({ length: 30 }, (_, n) => `n${n} --> n${n + 1}`);
  const { chat } = await openPrepared(page, tmpPath, [
    {
      id: 'plan',
      user: 'Draw it',
      reply: `Here:\n\n${code('graph TD\n  accTitle: The plan\n  A[Think<br/>first] --> B{a<b?}\n  B -->|yes| C')}`
    },
    { id: 'wide', user: 'Wider', reply: code(`graph LR\n${wide.join('\n')}`) },
    { id: 'wrong', user: 'Wrong', reply: code('graph TD\n  A -->') }
  ]);
  const pair = (id: string) =>
    chat.panel.locator(`[data-turnbook-pair="${id}"]`);

  // Nothing is drawn by itself.
  const plan = pair('plan');
  await plan.scrollIntoViewIfNeeded();
  await expect(show(plan)).toBeVisible();
  await expect(chat.panel.locator('.jp-Turnbook-diagram')).toHaveCount(0);
  await show(plan).click();
  const image = plan.getByRole('img', { name: 'The plan' });
  await expect(image).toBeVisible();
  expect(await isDrawn(image)).toBe(true);
  await expect(plan.locator('pre')).toBeHidden();
  const light = await image.getAttribute('src');

  // It is drawn again in another theme.
  const theme = (name: string) =>
    page.evaluate(
      name =>
        window.jupyterapp.commands.execute('apputils:change-theme', {
          theme: name
        }),
      name
    );
  await theme('JupyterLab Dark');
  await expect(image).not.toHaveAttribute('src', light!);
  expect(await isDrawn(image)).toBe(true);
  await theme('JupyterLab Light');
  await expect(image).toHaveAttribute('src', light!);

  // By the keyboard.
  await hide(plan).focus();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Escape');
  await expect(image).toHaveCount(0);
  await expect(plan.locator('pre')).toContainText('A[Think<br/>first]');
  await expect(show(plan)).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(image).toBeVisible();

  // What is found in the code is shown.
  const search = new Searching(chat);
  await chat.message.focus();
  await search.find('Think');
  await expect(search.counter).toHaveText('1/1');
  await page.keyboard.press('Enter');
  await search.expectCurrent('Think', plan.locator('pre'));
  await page.keyboard.press('Escape');

  // A wide one scrolls.
  await show(pair('wide')).click();
  await expect
    .poll(() =>
      pair('wide')
        .locator('.jp-Turnbook-diagram')
        .evaluate(node => node.scrollWidth > 2 * node.clientWidth)
    )
    .toBe(true);

  // A mistake is explained below the code.
  await show(pair('wrong')).click();
  await expect(pair('wrong').getByRole('status')).toContainText(
    'This diagram cannot be drawn:Parse error on line'
  );
  await expect(pair('wrong').locator('pre')).toContainText('A -->');
  await expect(
    page.locator('body > [id^="d"] svg[id^="jp-mermaid"]')
  ).toHaveCount(0);
});

test('a diagram that streams is code until it is complete, and stays open when it lands', async ({
  page,
  provider,
  tmpPath
}) => {
  const chat = new Chat(page);
  await chat.create(tmpPath);
  await provider.script({
    steps: [
      { delta: '```mermaid\ngraph TD\n  A --> B\n' },
      { wait: 'rest' },
      { delta: '  B --> C\n```\n\nDone\n\nAnd' },
      { wait: 'end' },
      { delta: '.' },
      { finish: 'stop' },
      { done: true }
    ]
  });
  await chat.say('Draw it');
  const pair = chat.pair(0);
  const block = pair.locator('.jp-Turnbook-code');
  await expect(block).toContainText('A --> B');
  await expect(block.getByRole('button', { name: 'Copy code' })).toBeVisible();
  await expect(show(pair)).toHaveCount(0);
  await provider.release('rest');
  await show(pair).click();
  const image = pair.getByRole('img', { name: 'Diagram' });
  await expect(image).toBeVisible();
  await provider.release('end');
  await chat.expectState(0, 'succeeded');
  await expect(pair.locator('.jp-Turnbook-markdown')).toHaveCount(1);
  await expect(image).toBeVisible();
  await hide(pair).click();
  await expect(image).toHaveCount(0);

  // The same in a replay.
  const replay = new Replay(page);
  await replay.open(chat);
  await show(replay.panel).click();
  await expect(
    replay.panel.getByRole('img', { name: 'Diagram' })
  ).toBeVisible();
});

test('hostile diagrams neither run nor load anything @fresh', async ({
  page,
  tmpPath
}) => {
  test.slow();
  const { chat } = await openPrepared(
    page,
    tmpPath,
    hostileDiagrams.map(({ name, markdown }, n) => ({
      id: `d${n}`,
      user: name,
      reply: markdown
    }))
  );
  const requests: string[] = [];
  page.on('request', request => requests.push(request.url()));
  await page
    .context()
    .route(new RegExp(EVIL_HOST), async route => route.abort());
  const pictures: string[] = [];
  for (const [n, { name }] of hostileDiagrams.entries()) {
    const pair = chat.panel.locator(`[data-turnbook-pair="d${n}"]`);
    await pair.scrollIntoViewIfNeeded();
    await show(pair).click();
    const image = pair.locator('.jp-Turnbook-diagram img');
    await expect(
      image.or(pair.locator('.jp-Turnbook-diagramRemark')),
      name
    ).toBeVisible();
    if (await image.count()) {
      pictures.push(name);
      await image.click();
      expect(await isDrawn(image), name).toBe(true);
    }
  }
  // Most are drawn, with what is hostile in them as text.
  expect(pictures.length).toBeGreaterThan(hostileDiagrams.length / 3);
  expect(requests.filter(url => url.includes(EVIL_HOST))).toEqual([]);
  expect(await page.evaluate(() => '__pwned' in window)).toBe(false);
  await expect(page.locator('.jp-Dialog')).toHaveCount(0);
  // Settings of one diagram are not those of the next.
  const level = await page.evaluate(
    () => [...document.querySelectorAll('iframe, svg[id^="jp-mermaid"]')].length
  );
  expect(level).toBe(0);
});
