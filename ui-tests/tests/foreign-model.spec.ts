import type { IJupyterLabPageFixture } from '@jupyterlab/galata';
import type { Locator } from '@playwright/test';

import { Chat } from '../support/chat';
import { expect, test } from '../support/fixtures';
import { openPrepared, preparedNotebook, writeChat } from '../support/prepared';
import { Replay, startFork } from '../support/replay';
import { otherTab } from '../support/tabs';

const MODEL = 'scripted/gpt-4o';

/** Open a file that somebody else made. */
async function openForeign(
  page: IJupyterLabPageFixture,
  folder: string,
  entry: Record<string, unknown> = {}
): Promise<{ chat: Chat; file: string }> {
  const chat = new Chat(page);
  const file = `${folder}/theirs.chat.ipynb`;
  const notebook = preparedNotebook(
    [{ id: 'theirs', user: 'Their question', reply: 'Their reply' }],
    { model: MODEL }
  );
  Object.assign(notebook.metadata.turnbook, entry);
  await writeChat(page, file, notebook, { isForeign: true });
  await chat.open(file);
  await expect(chat.message).toBeFocused();
  await chat.atRest();
  return { chat, file };
}

/** The question about the file. */
function question({ page }: Chat): Locator {
  return page.getByRole('dialog').filter({ hasText: 'This chat asks' });
}

async function send(chat: Chat, text: string): Promise<void> {
  await chat.message.fill(text);
  await expect(chat.send).toBeEnabled();
  await chat.message.press('Enter');
}

/** Leave the question with a key, once it has the focus. */
async function leave(chat: Chat, key = 'Escape'): Promise<void> {
  const cancel = question(chat).getByRole('button', { name: 'Cancel' });
  await expect(cancel).toBeFocused();
  await chat.page.keyboard.press(key);
  await expect(question(chat)).toHaveCount(0);
}

async function answer(chat: Chat, label: string): Promise<void> {
  await question(chat).getByRole('button', { name: label }).click();
  await expect(question(chat)).toHaveCount(0);
}

test.describe('a file from elsewhere', () => {
  test('asks once, at the first send, and is remembered @fresh', async ({
    page,
    context,
    provider,
    tmpPath
  }) => {
    const { chat, file } = await openForeign(page, tmpPath, {
      options: { temperature: 1.5, seed: 7 }
    });
    await expect(question(chat)).toHaveCount(0);
    await send(chat, 'My question');
    await expect(question(chat)).toContainText(
      /asks to use .?scripted\/gpt-4o.?, and to send with it: .?seed.?, .?temperature.?\./
    );
    expect(await provider.completions()).toHaveLength(0);
    await answer(chat, 'Use it');
    await chat.expectState(1, 'succeeded');
    const [sent] = await provider.completions(1);
    expect(JSON.parse(sent.body)).toMatchObject({
      model: 'gpt-4o',
      temperature: 1.5,
      seed: 7
    });

    await chat.say('Another');
    await chat.expectState(2, 'succeeded');
    await chat.saved(file, nb => nb.cells[2]?.outputs?.length === 1);
    await chat.reload();
    await chat.say('After a reload');
    await chat.expectState(3, 'succeeded');
    await chat.saved(file, nb => nb.cells[3]?.outputs?.length === 1);
    const other = await otherTab(context, file);
    await other.say('In another tab');
    await other.expectState(4, 'succeeded');
    expect(await provider.completions()).toHaveLength(4);
  });

  test('keeps the text when the question is canceled with Escape, or with Enter meant for the composer', async ({
    page,
    provider,
    tmpPath
  }) => {
    const { chat } = await openForeign(page, tmpPath);
    for (const key of ['Escape', 'Enter']) {
      await send(chat, 'Not yet');
      await leave(chat, key);
      await expect(chat.message).toHaveValue('Not yet');
      await expect(chat.pairs).toHaveCount(1);
      await expect(chat.model).toHaveValue(MODEL);
    }
    expect(await provider.completions()).toHaveLength(0);
  });

  test('can be kept local: the model menu shows it, and nothing is sent', async ({
    page,
    provider,
    tmpPath
  }) => {
    const { chat, file } = await openForeign(page, tmpPath);
    await send(chat, 'For nobody else');
    await answer(chat, 'Keep local');
    await expect(chat.model).toHaveValue(/^local\//);
    await expect(chat.message).toHaveValue('For nobody else');
    await expect(chat.panel).toContainText('Nothing was sent.');
    await chat.saved(file, nb =>
      nb.metadata.turnbook.model.startsWith('local/')
    );
    await expect(chat.pairs).toHaveCount(1);
    expect(await provider.completions()).toHaveLength(0);
  });

  test('asks when a pair is sent again', async ({
    page,
    provider,
    tmpPath
  }) => {
    const { chat } = await openForeign(page, tmpPath);
    const resend = () =>
      page.evaluate(() => {
        const { session } = window.jupyterapp.shell.currentWidget as any;
        void session.resend('theirs', 'Edited');
      });
    await resend();
    await leave(chat);
    await expect(chat.pair(0)).toContainText('Their question');
    expect(await provider.completions()).toHaveLength(0);
    await resend();
    await answer(chat, 'Use it');
    await expect(chat.pair(0)).toContainText('You said: Edited');
    expect(await provider.completions()).toHaveLength(1);
  });

  test('does not ask about a model that the user chose', async ({
    page,
    provider,
    tmpPath
  }) => {
    const { chat } = await openForeign(page, tmpPath);
    await chat.model.selectOption('scripted/scripted');
    await chat.say('By my choice');
    await chat.expectState(1, 'succeeded');
    expect(await provider.completions()).toHaveLength(1);
  });

  test('asks again for a copy, and in a chat started from its replay', async ({
    page,
    provider,
    tmpPath
  }) => {
    const { chat, file } = await openForeign(page, tmpPath);
    await send(chat, 'Mine');
    await answer(chat, 'Use it');
    await chat.expectState(1, 'succeeded');
    await chat.saved(file, nb => nb.cells[1]?.outputs?.length === 1);
    const copy = await page.evaluate(
      async ([path, folder]) =>
        (await window.jupyterapp.serviceManager.contents.copy(path, folder))
          .path,
      [file, tmpPath] as const
    );
    await chat.open(copy);
    await expect(chat.pairs).toHaveCount(2);
    await chat.message.fill('In the copy');
    await chat.message.press('Enter');
    await leave(chat);
    const replay = new Replay(page);
    await replay.open(chat);
    await replay.button('Start chatting from this replay').click();
    await expect.poll(() => chat.path()).toContain('-replay.chat.ipynb');
    await send(chat, 'In the fork');
    await leave(chat);
    await expect(chat.message).toHaveValue('In the fork');
    expect(await provider.completions()).toHaveLength(1);
  });
});

test.describe('a file created here', () => {
  test('never asks: new, or saved under another name', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    const file = await chat.create(tmpPath);
    await chat.say('In a new chat');
    await chat.expectState(0, 'succeeded');
    await chat.saved(file, nb => nb.cells[0]?.outputs?.length === 1);
    await chat.begin('docmanager:save-as');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox').fill(`${tmpPath}/renamed.chat.ipynb`);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect(
      page.getByRole('tab', { name: 'renamed.chat.ipynb', selected: true })
    ).toBeVisible();
    await expect(chat.pairs).toHaveCount(1);
    await chat.say('In the saved one');
    await chat.expectState(1, 'succeeded');
    await chat.open(file);
    await chat.say('In the first');
    await chat.expectState(1, 'succeeded');
    expect(await provider.completions()).toHaveLength(3);
  });

  test('never asks in a chat started from its replay', async ({
    page,
    provider,
    tmpPath
  }) => {
    const { chat } = await openPrepared(page, tmpPath, [
      { id: 'one', user: 'One', reply: 'First' }
    ]);
    await startFork(chat, new Replay(page), 'Replay this');
    await expect.poll(() => chat.path()).toContain('-replay.chat.ipynb');
    await chat.say('In the fork');
    await expect.poll(() => provider.completions()).toHaveLength(1);
    await expect(question(chat)).toHaveCount(0);
  });
});
