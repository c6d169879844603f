/** What a new user sees and tries first. */
import AxeBuilder from '@axe-core/playwright';

import { Chat } from '../support/chat';
import { Filtering } from '../support/filtering';
import { expect, test } from '../support/fixtures';
import { Replay } from '../support/replay';
import { messagesOf, RequestUI } from '../support/request';

/** What each step of the example's note says to write and to click. */
async function stepsOf(
  chat: Chat
): Promise<{ write: string; click: string }[]> {
  const items = chat.panel.locator('.jp-RenderedMarkdown ol > li');
  await expect(items).toHaveCount(5);
  return items.evaluateAll(nodes =>
    nodes.map(node => ({
      write: node.querySelector('code')?.textContent ?? '',
      click: node.querySelector('em')?.textContent ?? ''
    }))
  );
}

test('The first screen has a chat and an example, and the example walks from filter to a new chat @smoke @fresh', async ({
  page,
  provider,
  tmpPath
}) => {
  test.slow();
  const card = (name: RegExp) =>
    page.locator('.jp-LauncherCard:visible', { hasText: name });
  await expect(card(/^\s*Chat\s*$/)).toBeVisible();
  await expect(card(/^\s*Example chat\s*$/)).toBeVisible();

  const chat = new Chat(page);
  await chat.execute('launcher:create', { cwd: tmpPath });
  await card(/^\s*Example chat\s*$/).click();
  await expect(chat.message).toBeFocused();
  await chat.atRest();
  expect(await chat.path()).toBe(`${tmpPath}/example.chat.ipynb`);
  await expect(chat.pairs).toHaveCount(4);
  await expect(chat.panel).toContainText('Try it on this chat');

  // Each step is done by what the note says: what to write, and which button to click.
  const [filter, open, edit, replayIt, start] = await stepsOf(chat);
  expect([edit.write, edit.click]).toEqual(['', '']);
  await chat.panel
    .getByRole('button', { name: filter.click, exact: true })
    .click();
  await expect(new Filtering(chat).input).toBeFocused();
  await page.keyboard.type(filter.write);
  await expect(chat.pairs).toHaveCount(3);
  await expect(chat.pairs.filter({ hasText: 'leeks' })).toHaveCount(0);

  await chat.message.fill('How long does the fieldwork take?');
  await chat.panel
    .getByRole('button', { name: open.click, exact: true })
    .click();
  const request = new RequestUI(chat);
  await expect(request.row(0)).toContainText('You help to plan');
  await expect(request.rows.filter({ hasText: 'leeks' })).toHaveCount(0);
  await request.write(2, 'About 1,100.');
  await expect(chat.pair(0)).toContainText('About 1,070');
  await request.button(replayIt.click).click();

  const replay = new Replay(page);
  await expect(replay.badge).toBeVisible();
  await expect(replay.panel).toContainText('About 1,100.');
  await replay.button(start.click).click();
  await expect(chat.message).toBeFocused();
  await expect(chat.panel).toContainText('About 1,100.');
  expect(await provider.completions()).toHaveLength(0);

  await chat.panel.getByRole('button', { name: 'Send this message' }).click();
  await expect.poll(async () => (await provider.completions()).length).toBe(1);
  const [sent] = await provider.completions();
  const texts = messagesOf(sent).map(({ content }) => content);
  expect(texts).toContain('About 1,100.');
  expect(texts.at(-1)).toBe('How long does the fieldwork take?');
  expect(texts.join()).not.toContain('leeks');
});

test('An empty chat offers a question, its request and its replay, and sends nothing @fresh', async ({
  page,
  provider,
  tmpPath
}) => {
  const chat = new Chat(page);
  await chat.create(tmpPath);
  const offer = (name: RegExp) => chat.panel.getByRole('button', { name });
  const question = 'What is the difference between a list and a tuple?';
  const { violations } = await new AxeBuilder({ page })
    .include('.jp-Turnbook-empty')
    .analyze();
  expect(violations).toEqual([]);
  await expect(chat.panel).not.toContainText('is often wrong');

  await offer(/^Ask something/).click();
  await expect(chat.message).toBeFocused();
  await expect(chat.message).toHaveValue(question);
  // What the user wrote stays.
  await chat.message.fill('Hello');
  await offer(/^See the request/).click();
  const request = new RequestUI(chat);
  await request.expectText(0, 'Hello');
  await offer(/^Replay it/).click();
  const replay = new Replay(page);
  await expect(replay.cells.first()).toContainText('Hello');
  expect(await provider.completions()).toHaveLength(0);
  await replay.button('Back to conversation').click();

  // The embedded model says what it is for.
  await chat.model.selectOption({ label: 'SmolLM2-135M-Instruct' });
  await expect(chat.panel).toContainText('is often wrong');
  await offer(/^Use a better model/).click();
  const models = page.getByRole('dialog', { name: 'Local models' });
  await expect(models.getByRole('listitem').first()).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(models).toBeHidden();
  await chat.model.selectOption('scripted/scripted');
  await expect(chat.panel).not.toContainText('is often wrong');
  await chat.say('Hello');
  await expect(offer(/^Ask something/)).toBeHidden();
});

test('A question mark opens keys and filters, unless one is typing @fresh', async ({
  page,
  tmpPath
}) => {
  const chat = new Chat(page);
  await chat.create(tmpPath);
  const help = page.getByRole('dialog', { name: 'Keys and filters' });
  await chat.message.pressSequentially('Why?');
  await expect(chat.message).toHaveValue('Why?');
  await expect(help).toHaveCount(0);
  await chat.message.press('Escape');
  await page.keyboard.press('?');
  await expect(help).toContainText('Regenerate');
  await expect(help).toContainText('topic:ml/nlp');
  const { violations } = await new AxeBuilder({ page })
    .include('.jp-Turnbook-help')
    .analyze();
  expect(violations).toEqual([]);
  await help.getByRole('button', { name: 'is:error' }).click();
  await expect(help).toHaveCount(0);
  await expect(new Filtering(chat).input).toHaveText('is:error');
});

test('The tour can be left at any step and found again in Help @fresh', async ({
  page,
  tmpPath
}) => {
  const chat = new Chat(page);
  await chat.create(tmpPath);
  const tour = page.getByRole('dialog', { name: 'Tour' });
  const button = (name: string) => tour.getByRole('button', { name });
  await expect(tour).toHaveCount(0);
  await chat.panel.getByRole('button', { name: 'Take the tour' }).click();
  await expect(tour).toContainText('Write a message');
  await expect(tour).toContainText('1 of 5');
  await expect(button('Next')).toBeFocused();
  await button('Next').click();
  await expect(tour).toContainText('Choose a model');
  await page.keyboard.press('Escape');
  await expect(tour).toHaveCount(0);
  await expect(chat.message).toBeFocused();

  await page.menu.clickMenuItem('Help>Tour of Chats');
  for (let step = 1; step < 5; step++) {
    await expect(tour).toContainText(`${step} of 5`);
    await expect(tour).toBeInViewport({ ratio: 1 });
    await button('Next').click();
  }
  await button('Back').click();
  await expect(tour).toContainText('4 of 5');
  await button('Leave').click();
  await expect(tour).toHaveCount(0);

  // It stays with its chat, and makes one if there is none.
  await chat.panel.getByRole('button', { name: 'Take the tour' }).click();
  await expect(tour).toBeVisible();
  await page.getByRole('tab', { name: 'Launcher' }).click();
  await expect(tour).toHaveCount(0);
  await page.evaluate(async path => {
    await window.jupyterapp.commands.execute('filebrowser:go-to-path', {
      path
    });
  }, tmpPath);
  await page.menu.clickMenuItem('Help>Tour of Chats');
  await expect(chat.panel).toContainText('Try it on this chat');
  await expect(tour).toContainText('1 of 5');
  await button('Leave').click();

  // Nothing comes by itself.
  await chat.reload();
  await expect(tour).toHaveCount(0);
  await expect(page.locator('.jp-Turnbook-tour-target')).toHaveCount(0);
});
