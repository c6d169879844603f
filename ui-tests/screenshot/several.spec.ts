/** The pictures of several replies in docs/guide.md, and of docs/rerun.md. */
import * as fs from 'fs';
import * as path from 'path';

import { Chat } from '../support/chat';
import { expect } from '../support/fixtures';
import { writeChat } from '../support/prepared';
import { preparedSeveral, sibling } from '../support/several';
import { alone, ROOT, take, test } from './picture';

const REPLIES = [
  {
    model: 'scripted/scripted',
    reply:
      'Take a **stratified** sample: 12 districts, 200 households each. Draw each district on its own, so that small ones are not lost.',
    usage: { prompt_tokens: 412, completion_tokens: 31 },
    seconds: 1.4
  },
  {
    model: 'scripted/blue',
    reply:
      'Take a **cluster** sample: 60 blocks of 40 households. It costs about half as much to visit, and its design effect is near 1.6.\n\n```python\nblocks = frame.sample(60, random_state=7)\n```',
    usage: { prompt_tokens: 412, completion_tokens: 58 },
    seconds: 2.1
  },
  {
    model: 'scripted/red',
    reply:
      'Take a **stratified** sample: 12 districts, 200 households each, and visit neighbours together to save time.',
    usage: { prompt_tokens: 412, completion_tokens: 26 },
    seconds: 0.9
  }
];

test('several replies to a message', async ({ page, tmpPath }) => {
  await page.setViewportSize({ width: 1280, height: 640 });
  const file = `${tmpPath}/survey-plan.chat.ipynb`;
  const message = 'How do I draw a sample of 2,400 households?';
  await writeChat(page, file, preparedSeveral(message, REPLIES));
  const chat = new Chat(page);
  await chat.open(file);
  await alone(page);
  await expect(sibling(chat.pair(0), 2)).toBeVisible();
  await chat.atRest();
  await take(page, 'guide/several.png');
});

test('the results of a rerun, and two of them compared', async ({
  page,
  servers,
  tmpPath
}) => {
  await page.setViewportSize({ width: 1280, height: 800 });
  const results = fs.readFileSync(
    path.join(ROOT, 'examples/rerun/results.ipynb')
  );
  const file = `${tmpPath}/results.ipynb`;
  fs.writeFileSync(path.join(servers.root, file), results);
  await page.evaluate(async path => {
    const { commands } = window.jupyterapp;
    await commands.execute('docmanager:open', { path, factory: 'Notebook' });
  }, file);
  const panel = page.locator('.jp-NotebookPanel:visible');
  await expect(panel.getByRole('table')).toBeVisible();
  await alone(page);
  await expect(panel.getByText('The capital of France').first()).toBeVisible();
  await take(page, 'rerun/results.png');

  const cells = ['reply-1-6449a7610b15', 'reply-2-40c3f35d63f3'];
  await new Chat(page).execute('turnbook:compare', {
    items: cells.map(cell => ({ path: file, cell }))
  });
  const view = page.locator('.jp-Turnbook-compare:visible');
  await expect(view.getByRole('status')).toHaveText('1 difference');
  await take(page, 'rerun/compare.png');
});
