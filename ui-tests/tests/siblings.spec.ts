import { Axe } from '../support/axe';
import { Chat } from '../support/chat';
import { expect, test } from '../support/fixtures';
import { gated, type IScript } from '../support/provider';
import { writeChat } from '../support/prepared';
import { messagesOf } from '../support/request';
import {
  ask,
  dialog,
  preparedSeveral,
  sibling,
  withModels
} from '../support/several';

const says = (text: string): IScript => ({
  steps: [{ delta: text }, { finish: 'stop' }, { done: true }]
});

test.describe('several replies', () => {
  test('are asked for at once, stream side by side, and one is chosen', async ({
    page,
    provider,
    servers,
    tmpPath
  }) => {
    const chat = new Chat(page);
    const file = await chat.create(tmpPath);
    await withModels(servers, chat);
    await provider.script(gated('One ', 'rest', 'first.'), 'scripted');
    await provider.script(gated('Two ', 'rest', 'second.'), 'blue');
    await provider.script(gated('Three ', 'rest', 'third.'), 'red');
    await ask(chat, 'Which?', ['scripted/blue', 'scripted/red']);
    const pair = chat.pair(0);
    const replies = pair.locator('[data-turnbook-sibling]');
    await expect(replies).toHaveCount(3);
    await expect(pair).toContainText('One');
    await expect(pair).toContainText('Two');
    await expect(pair).toContainText('Three');
    const sent = await provider.completions(3);
    const bodies = sent.map(({ body }) => body as string);
    const models = bodies.map(body => JSON.parse(body).model as string).sort();
    expect(models).toEqual(['blue', 'red', 'scripted']);
    const same = bodies.map(body =>
      body.replace(/"model":"[a-z]+"/, '"model":""')
    );
    expect(new Set(same).size).toBe(1);

    // One is stopped; the others go on.
    await sibling(pair, 1).getByRole('button', { name: 'Stop' }).click();
    await expect(sibling(pair, 1)).toHaveAttribute(
      'data-turnbook-state',
      'canceled'
    );
    await chat.expectState(0, 'awaiting');
    await provider.release('rest');
    await chat.expectState(0, 'succeeded');
    await expect(sibling(pair, 0)).toHaveAttribute('data-turnbook-chosen', '');

    // By key, which is a step of undo.
    await chat.choose(0);
    await page.keyboard.press('3');
    await expect(sibling(pair, 2)).toHaveAttribute('data-turnbook-chosen', '');
    await expect(pair.locator('[data-turnbook-chosen]')).toHaveCount(1);
    await page.keyboard.press('z');
    await expect(sibling(pair, 0)).toHaveAttribute('data-turnbook-chosen', '');
    await page.keyboard.press('Shift+Z');
    await expect(sibling(pair, 2)).toHaveAttribute('data-turnbook-chosen', '');
    const third = (await sibling(pair, 2)
      .locator('.jp-Turnbook-sibling-body')
      .textContent())!.trim();
    await chat.say('Go on');
    await chat.expectState(1, 'succeeded');
    const next = (await provider.completions(4))[3];
    expect(messagesOf(next)[1]).toEqual({ role: 'assistant', content: third });
    const saved = await chat.saved(
      file,
      ({ cells }) => cells[1]?.outputs?.length === 1
    );
    const { metadata, outputs } = saved.cells[0];
    expect(outputs[0].data['text/markdown'].trim()).toBe(third);
    expect(metadata.turnbook_run.sibling).toBe(2);
    expect(metadata.turnbook_versions).toHaveLength(2);

    // Combining them sends nothing.
    await pair.getByRole('button', { name: 'Combine these replies' }).click();
    await expect(chat.message).toHaveValue(/^Combine these replies/);
    await expect(
      chat.panel
        .getByRole('list', { name: 'Attachments' })
        .getByRole('listitem')
    ).toHaveCount(3);
    await provider.completions(4);
  });

  test('survive a reload while they stream; one that fails is retried alone @fresh', async ({
    page,
    provider,
    servers,
    tmpPath
  }) => {
    const chat = new Chat(page);
    const file = await chat.create(tmpPath);
    await withModels(servers, chat);
    const error = { error: { message: 'No key' } };
    await provider.script({ status: 401, steps: [{ body: error }] }, 'blue');
    await provider.script(gated('Slow ', 'rest', 'reply.'), 'scripted');
    await ask(chat, 'Which?', ['scripted/blue']);
    const pair = chat.pair(0);
    await expect(pair).toContainText('Slow');
    await chat.reload();
    await expect(pair.locator('[data-turnbook-sibling]')).toHaveCount(2);
    await expect(pair).toContainText('Slow');
    const failed = pair.locator('[data-turnbook-state="error"]');
    await expect(failed).toContainText('[error:');
    await provider.release('rest');
    await expect(
      pair.locator('[data-turnbook-sibling][data-turnbook-state="succeeded"]')
    ).toContainText('Slow reply.');
    await provider.script(says('At last.'));
    await failed.getByRole('button', { name: 'Retry now' }).click();
    await expect(pair).toContainText('At last.');
    await chat.expectState(0, 'succeeded');
    await chat.saved(file, ({ cells: [{ metadata }] }) => {
      const { turnbook_run: run, turnbook_versions: versions } = metadata;
      return (
        run.state === 'succeeded' &&
        versions.length === 1 &&
        versions[0].run.state === 'succeeded' &&
        versions[0].group === run.group
      );
    });
    await provider.completions(3);
  });

  test('are added to an earlier pair with the same bytes, in tabs where there is little room @fresh', async ({
    page,
    provider,
    servers,
    tmpPath
  }) => {
    await page.emulateMedia({ reducedMotion: 'reduce' });
    const chat = new Chat(page);
    await chat.createAnswered(tmpPath, 'Hello');
    await withModels(servers, chat);
    await chat.choose(0);
    await chat.begin('turnbook:regenerate-with');
    const list = dialog(chat).getByRole('listbox', { name: 'Models' });
    await list.getByRole('option', { name: 'scripted/red' }).focus();
    await page.keyboard.press('Space');
    const axe = new Axe(page);
    await axe.expectNothing('the dialog', '.jp-Turnbook-several');
    await dialog(chat)
      .getByRole('button', { name: 'Ask', exact: true })
      .click();
    const pair = chat.pair(0);
    await expect(pair.locator('[data-turnbook-sibling]')).toHaveCount(2);
    await chat.expectState(0, 'succeeded');
    const [first, second] = await provider.completions(2);
    expect(second.body).toBe(
      (first.body as string).replace('"model":"scripted"', '"model":"red"')
    );
    await expect(sibling(pair, 0)).toHaveAttribute('data-turnbook-chosen', '');
    await axe.expectNothing('columns', '.jp-Turnbook-siblings');
    await page.setViewportSize({ width: 700, height: 700 });
    await expect(pair.getByRole('tab')).toHaveCount(2);
    await pair.getByRole('tab', { name: /red/ }).click();
    await expect(sibling(pair, 1)).toBeVisible();
    await expect(sibling(pair, 0)).toBeHidden();
    await axe.expectNothing('tabs', '.jp-Turnbook-siblings');
    await sibling(pair, 1)
      .getByRole('button', { name: 'Choose this reply' })
      .click();
    await expect(sibling(pair, 1)).toHaveAttribute('data-turnbook-chosen', '');
  });

  test('are combined by a message that refers to each, with the instruction as the user edits it', async ({
    page,
    provider,
    tmpPath
  }) => {
    const replies = ['scripted', 'blue', 'red'].map(model => ({
      model: `scripted/${model}`,
      reply: `The ${model} reply.`
    }));
    const notebook = preparedSeveral('Which?', replies);
    const file = `${tmpPath}/several.chat.ipynb`;
    await writeChat(page, file, notebook);
    const chat = new Chat(page);
    await chat.open(file);
    const combine = chat
      .pair(0)
      .getByRole('button', { name: 'Combine these replies' });
    await combine.click();
    await expect(chat.message).toHaveValue(/^Combine these replies/);
    await chat.message.fill('Combine them, and be brief.');
    await chat.submit();
    await chat.expectState(1, 'succeeded');
    const [sent] = await provider.completions(1);
    const texts = replies.map(
      ({ model, reply }, n) =>
        `Earlier message: several.chat.ipynb · cell 1 · reply ${n + 1} · ${model.split('/')[1]}\n\n\`\`\`markdown\n${reply}\n\`\`\``
    );
    expect(messagesOf(sent)).toEqual([
      { role: 'user', content: 'Which?' },
      { role: 'assistant', content: replies[0].reply },
      {
        role: 'user',
        content: [...texts, 'Combine them, and be brief.'].join('\n\n')
      }
    ]);
    const saved = await chat.savedInState(file, 1, 'succeeded');
    const { group } = notebook.cells[0].metadata.turnbook_run;
    const parts = saved.cells[1].outputs.slice(0, 3);
    expect(
      parts.map(
        ({ data }: any) => data['application/vnd.turnbook.reference+json']
      )
    ).toMatchObject(
      [0, 1, 2].map(n => ({
        kind: 'pair',
        cellId: 'several',
        group,
        sibling: n
      }))
    );
    expect(saved.cells[1].source).toBe('Combine them, and be brief.');
  });
});
