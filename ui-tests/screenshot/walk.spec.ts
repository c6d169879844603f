/** The pictures of docs/walk.md, in the order in which they appear there; docs/look.md has some of them, too. */
import { readFileSync } from 'fs';
import * as path from 'path';

import { Chat } from '../support/chat';
import { Filtering } from '../support/filtering';
import { chooseSmall } from '../support/models';
import { expect } from '../support/fixtures';
import type { Prepared } from '../support/prepared';
import { alone, choose, dress, openAs, ROOT, take, test } from './picture';

/** A chat about a survey, on three topics. */
const SURVEY: Prepared[] = [
  { id: 'system', system: 'You help with a survey. Answer briefly.' },
  {
    id: 'note',
    note: 'Survey of 2026. *Notes like this one are never sent.*'
  },
  {
    id: 'size',
    user: 'How many people must we ask for a margin of 3 %?',
    reply:
      'About **1,070**, at 95 % confidence, if the sample is random:\n\n$$n = \\frac{1.96^2 \\cdot 0.25}{0.03^2} \\approx 1067$$',
    topic: 'survey/design',
    star: 2,
    days: 9
  },
  {
    id: 'frame',
    user: 'Is a list of phone numbers a good frame?',
    reply:
      'Only in part: it leaves out people without a listed number. An area frame covers them, at a higher cost.',
    topic: 'survey/design',
    days: 8
  },
  {
    id: 'title',
    user: 'A title for the report?',
    reply: '*Who answers, and who does not*',
    topic: 'report',
    days: 3
  },
  {
    id: 'weights',
    user: 'Write the weighting step in Python.',
    reply:
      '```python\nweights = population.share / sample.share\ndata["weight"] = data["group"].map(weights)\n```',
    topic: 'survey/analysis',
    star: 3,
    days: 1
  }
];

const WALK = readFileSync(path.join(ROOT, 'docs', 'walk.md'), 'utf-8');

/** The reply to the last question of the survey. */
const FRAMES = [
  '| frame | covers | cost |\n| --- | --- | --- |\n',
  '| phone numbers | people with a listed number | low |\n',
  '| area | everybody with an address | high |\n\n',
  'With both, a person may be drawn twice: '
];

test('empty, thinking, growing', async ({ page, provider, tmpPath }) => {
  const chat = new Chat(page);
  await chat.create(tmpPath);
  await alone(page);
  await chat.message.focus();
  const estimate = chat.panel.getByRole('status', { name: 'Token estimate' });
  await take(page, 'walk/empty.png');

  await provider.script({
    steps: [
      { wait: 'first' },
      ...FRAMES.map(delta => ({ delta })),
      { wait: 'rest' },
      { delta: 'weight them by the inverse of that chance.' },
      { finish: 'stop' },
      { done: true }
    ]
  });
  await chat.say('Compare both frames as a table.');
  await expect(chat.pair(0)).toContainText('thinking…');
  await take(page, 'walk/thinking.png');
  await provider.release('first');
  await expect(chat.pair(0)).toContainText('drawn twice');
  await chat.message.fill('And if we use both? (I can write on meanwhile.)');
  await expect(estimate).toHaveText('~20');
  await take(page, 'walk/growing.png');
  await provider.release('rest');
  await chat.expectState(0, 'succeeded');
});

test('a filter in force, a typo, topics', async ({ page, tmpPath }) => {
  const chat = await openAs(page, `${tmpPath}/survey.chat.ipynb`, SURVEY);
  const filter = new Filtering(chat);
  await filter.apply('topic:survey/** -star:3');
  await expect(filter.counter).toHaveText('2 / 2');
  await chat.message.fill('Compare both frames as a table.');
  await expect(
    chat.panel.getByRole('status', { name: 'Token estimate' })
  ).not.toHaveText('~0');
  await take(page, 'walk/filter.png');

  await filter.write('topic:survey/** age<1m');
  await expect(filter.notice).toBeVisible();
  await take(page, 'walk/typo.png');

  await filter.apply('');
  await expect(chat.pairs).toHaveCount(4);
  await chat.execute('turnbook:topics');
  await expect(page.getByRole('tree', { name: 'Topics' })).toBeVisible();
  await take(page, 'walk/topics.png');
});

test('pairs over budget', async ({ page, servers, tmpPath }) => {
  const long = (n: number): Prepared => ({
    id: `p${n}`,
    user: `Chapter ${n}, please.`,
    reply: `Chapter ${n}. ${'It goes on and on, as chapters do. '.repeat(28)}`
  });
  const chat = await openAs(page, `${tmpPath}/novel.chat.ipynb`, [
    { id: 'system', system: 'Write like a patient author.' },
    ...[1, 2, 3, 4, 5, 6].map(long)
  ]);
  await chooseSmall(servers, chat);
  const { counter } = new Filtering(chat);
  await expect(counter).toHaveText('4 / 6');
  await chat.message.fill('Chapter 7, please.');
  await expect(
    chat.panel.getByRole('status', { name: 'Token estimate' })
  ).toHaveText('~1,024');
  await chat.message.press('Escape');
  await page.keyboard.press('Shift+O');
  const first = chat.panel.locator('[data-turnbook-pair="p3"]');
  await expect(first).toBeInViewport();
  // The picture shows both sides of the boundary.
  await first.evaluate(node => node.scrollIntoView({ block: 'center' }));
  await take(page, 'walk/out.png');
  const words = await chat.panel
    .locator('.jp-Turnbook-counter')
    .getAttribute('title');
  // The page quotes what the counter says.
  expect(WALK).toContain(words!);
});

test('edit & resend, versions', async ({ page, provider, tmpPath }) => {
  // Without the title everything fits on the screen.
  const chat = await openAs(
    page,
    `${tmpPath}/survey.chat.ipynb`,
    SURVEY.filter(({ id }) => id !== 'title')
  );
  await choose(chat, 'frame');
  await chat.editByKey();
  const pair = chat.panel.locator('[data-turnbook-pair="frame"]');
  const editor = pair.getByRole('textbox', { name: 'Edited text' });
  await editor.fill(
    'Is a list of phone numbers a good frame for a survey of the whole country?'
  );
  await take(page, 'walk/edit.png');

  await provider.reply(
    'Not by itself. Many people have no listed number, and they differ from the others; add an area frame.'
  );
  await editor.press('Enter');
  await expect(pair).toContainText('Not by itself.');
  await expect(pair).toHaveAttribute('data-turnbook-state', 'succeeded');
  await pair.getByRole('button', { name: 'Previous version' }).click();
  await expect(pair.getByRole('button', { name: 'Restore' })).toBeVisible();
  await expect(pair).toContainText('1 / 2');
  await take(page, 'walk/versions.png');
});

test('an error with its ways out', async ({ page, provider, tmpPath }) => {
  const chat = await openAs(
    page,
    `${tmpPath}/survey.chat.ipynb`,
    SURVEY.slice(0, 4)
  );
  await provider.script({
    status: 503,
    steps: [{ body: { error: { message: 'The model is overloaded.' } } }]
  });
  await chat.say('Compare both frames as a table.');
  await chat.saved(
    `${tmpPath}/survey.chat.ipynb`,
    nb => nb.cells.at(-1).metadata.turnbook_run?.state === 'error'
  );
  await expect(chat.send).toBeVisible();
  await expect(chat.pair(2)).toContainText('[error: 503]');
  await take(page, 'walk/error.png');
});

test('the request and its proof', async ({ page, provider, tmpPath }) => {
  const chat = await openAs(page, `${tmpPath}/survey.chat.ipynb`, SURVEY);
  const filter = new Filtering(chat);
  await filter.apply('topic:survey/design');
  await provider.reply(FRAMES.slice(0, 3).join(''));
  await chat.message.fill('Compare both frames as a table.');
  await chat.message.press('Enter');
  await provider.completions(1);
  await filter.apply('');
  await chat.expectState(4, 'succeeded');
  await choose(chat, (await chat.pair(4).getAttribute('data-turnbook-pair'))!);
  await chat
    .pair(4)
    .getByRole('button', { name: /^Show request/i })
    .click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('The hash agrees');
  await take(page, 'walk/request.png');
  await dress(page, 'JupyterLab Dark');
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await take(page, 'walk/dark.png');
});

test('recovered replies', async ({ page, provider, tmpPath }) => {
  const chat = await openAs(
    page,
    `${tmpPath}/survey.chat.ipynb`,
    SURVEY.slice(0, 4)
  );
  await provider.reply(FRAMES.join(''));
  await chat.say('Compare both frames as a table.');
  await chat.expectState(2, 'succeeded');
  await chat.saved(
    `${tmpPath}/survey.chat.ipynb`,
    nb => nb.cells.length === 5 && nb.cells[4].outputs?.length === 1
  );
  await choose(chat, (await chat.pair(2).getAttribute('data-turnbook-pair'))!);
  await page.keyboard.press('x');
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await expect(chat.pairs).toHaveCount(2);
  const shown = chat.execute('turnbook:recovered-replies');
  await expect(dialog).toContainText('Compare both frames');
  await take(page, 'walk/recovered.png');
  await page.keyboard.press('Escape');
  await shown;
});
