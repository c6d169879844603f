import { Chat } from '../support/chat';
import { expect, test } from '../support/fixtures';
import { preparedNotebook, writeChat } from '../support/prepared';
import { gated } from '../support/provider';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

test.describe('a chat and its runs', () => {
  test('a file with an invalid id gets nothing from other chats', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    await provider.script(gated('Half', 'go', ' and whole.'));
    const file = await chat.create(tmpPath);
    await chat.say('Mine');
    await expect(chat.pair(0)).toContainText('Half');
    await chat.message.fill('My next thought');

    for (const [n, chatId] of ['*', 'all chats', file, 7].entries()) {
      const odd = `${tmpPath}/odd-${n}.chat.ipynb`;
      const notebook = preparedNotebook([
        { id: 'theirs', user: 'Theirs', reply: 'Yes' }
      ]);
      notebook.metadata.turnbook.chatId = chatId;
      await writeChat(page, odd, notebook, { isForeign: true });
      await chat.open(odd);
      await expect(chat.pairs).toHaveCount(1);
      await expect(chat.panel).toContainText('cannot be read');
      await expect(chat.message).toHaveValue('');
      // Another chat's reply does not block this one.
      await chat.say('Hello');
      await chat.expectState(1, 'succeeded');
      const saved = await chat.saved(
        odd,
        ({ cells }) => cells[1]?.outputs.length === 1
      );
      expect(saved.metadata.turnbook.chatId).toMatch(UUID);
      expect(JSON.stringify(saved)).not.toContain('Mine');
    }

    await chat.open(file);
    await provider.release('go');
    await expect(chat.pair(0)).toContainText('Half and whole.');
    await expect(chat.message).toHaveValue('My next thought');
    await chat.saved(file, ({ cells }) =>
      JSON.stringify(cells[0]?.outputs ?? '').includes('Half and whole.')
    );
  });

  test('a copy cannot reach the original’s reply, and takes it over only on request', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    await provider.script(gated('Half', 'go', ' and whole.'));
    const file = await chat.create(tmpPath);
    await chat.say('One');
    await expect(chat.pair(0)).toContainText('Half');
    await page.evaluate(() =>
      (window.jupyterapp.shell.currentWidget as any).context.save()
    );
    const content = await chat.saved(
      file,
      ({ cells }) => cells[0]?.source === 'One'
    );
    const { chatId } = content.metadata.turnbook;

    const copy = `${tmpPath}/copy.chat.ipynb`;
    await writeChat(page, copy, content, { isForeign: true });
    await chat.open(copy);
    await expect(chat.pairs).toHaveCount(1);
    await page.evaluate(async () => {
      const panel = window.jupyterapp.shell.currentWidget as any;
      await panel.session.actions.delete(panel.session.context.records[0].id);
    });
    await expect(chat.pairs).toHaveCount(0);

    // The original continues, and then its file disappears before the reply is in it.
    const away = `${tmpPath}/away.chat.ipynb`;
    await page.evaluate(
      async ([from, to, id]) => {
        const { shell, serviceManager } = window.jupyterapp;
        for (const widget of [...shell.widgets('main')]) {
          if ((widget as any).session?.info?.chatId === id) {
            widget.dispose();
          }
        }
        await serviceManager.contents.rename(from, to);
      },
      [file, away, chatId] as const
    );
    await provider.release('go');
    await chat.open(away);
    const question = chat.panel.getByRole('group', { name: 'Unsaved replies' });
    await expect(question).toContainText('one reply was never saved');
    await expect(chat.panel).not.toContainText('and whole.');
    await chat.message.fill('Not yet');
    await chat.message.press('Enter');
    await expect(chat.panel).toContainText('Nothing was sent');
    await expect(chat.message).toHaveValue('Not yet');

    await question.getByRole('button', { name: 'Take over' }).click();
    await expect(question).toHaveCount(0);
    await chat.expectState(0, 'succeeded');
    await expect(chat.pair(0)).toContainText('Half and whole.');
    await chat.saved(away, ({ cells }) =>
      JSON.stringify(cells[0]?.outputs ?? '').includes('Half and whole.')
    );
    expect(await provider.completions(1)).toHaveLength(1);
  });
});
