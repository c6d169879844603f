import { Beside, code } from '../support/beside';
import { Chat } from '../support/chat';
import { expect, test } from '../support/fixtures';
import { writeChat } from '../support/prepared';
import { messagesOf, RequestUI } from '../support/request';
import { Searching } from '../support/searching';
import {
  ask,
  dialog,
  preparedSeveral,
  sibling,
  withModels
} from '../support/several';

const block = (text: string) => `\`\`\`python\n${text}\n\`\`\``;

const REPLIES = [
  {
    model: 'scripted/scripted',
    reply: `A needle, first.\n\n${block('one = 1')}`
  },
  { model: 'scripted/blue', reply: `Nothing here.\n\n${block('two = 2')}` },
  { model: 'scripted/red', reply: `Third.\n\n${block('three = 3')}\n\nneedle` }
];

test.describe('the columns of several replies', () => {
  test('are announced once by Pause & review, with what differs', async ({
    page,
    provider,
    servers,
    tmpPath
  }) => {
    const chat = new Chat(page);
    const request = new RequestUI(chat);
    await chat.create(tmpPath);
    await withModels(servers, chat);
    await chat.panel.getByRole('switch', { name: 'Pause & review' }).click();
    await ask(chat, 'Which?', ['scripted/blue', 'scripted/red'], 2);
    await request.paused();
    const banner = request.panel
      .getByRole('alert')
      .filter({ hasText: 'Paused before sending.' });
    await expect(banner).toHaveCount(1);
    for (const model of ['scripted', 'blue', 'red']) {
      await expect(banner).toContainText(model);
    }
    expect(await provider.completions()).toHaveLength(0);
    await request.write(0, 'Which one?');
    await request.button('Resume send').click();
    const sent = await provider.completions(6);
    expect(sent.flatMap(messagesOf)).toEqual(
      Array(6).fill({ role: 'user', content: 'Which one?' })
    );
    await chat.expectState(0, 'succeeded');
    await expect(
      chat.pair(0).locator('[data-turnbook-state="succeeded"]')
    ).toHaveCount(6);
  });

  test('that are added with Regenerate with… are announced once, too', async ({
    page,
    provider,
    servers,
    tmpPath
  }) => {
    const chat = new Chat(page);
    const request = new RequestUI(chat);
    await chat.createAnswered(tmpPath, 'Hello');
    await withModels(servers, chat);
    await chat.panel.getByRole('switch', { name: 'Pause & review' }).click();
    await chat.choose(0);
    await chat.begin('turnbook:regenerate-with');
    for (const model of ['scripted/blue', 'scripted/red']) {
      await dialog(chat).getByRole('option', { name: model }).click();
    }
    await dialog(chat)
      .getByRole('button', { name: 'Ask', exact: true })
      .click();
    await request.paused();
    const banner = request.panel
      .getByRole('alert')
      .filter({ hasText: 'Paused before sending.' });
    await expect(banner).toHaveCount(1);
    await expect(banner).toContainText('blue');
    await expect(banner).toContainText('red');
    await expect(chat.pair(0).locator('[data-turnbook-sibling]')).toHaveCount(
      0
    );
    await provider.completions(1);
    await request.button('Resume send').click();
    const [first, ...more] = await provider.completions(3);
    const body = first.body as string;
    expect(more.map(sent => sent.body).sort()).toEqual(
      ['blue', 'red'].map(model =>
        body.replace('"model":"scripted"', `"model":"${model}"`)
      )
    );
    await expect(
      chat.pair(0).locator('[data-turnbook-state="succeeded"]')
    ).toHaveCount(3);
    await expect(banner).toHaveCount(0);
  });

  test('have code tools, are searched, and show one reply where there is no room for two', async ({
    page,
    provider,
    tmpPath
  }) => {
    await page.setViewportSize({ width: 1280, height: 800 });
    const work = `${tmpPath}/work.ipynb`;
    await new Beside(page).prepare(work, [code('a = 1')]);
    const notebook = preparedSeveral('Where is the needle?', REPLIES);
    const file = `${tmpPath}/several.chat.ipynb`;
    await writeChat(page, file, notebook);
    const chat = new Chat(page);
    await chat.open(file);
    const pair = chat.pair(0);
    await expect(pair.locator('[data-turnbook-sibling]')).toHaveCount(3);
    for (const index of [0, 1, 2]) {
      const width = async () =>
        (await sibling(pair, index).boundingBox())?.width ?? 0;
      await expect.poll(width).toBeGreaterThanOrEqual(360);
    }

    // The code of a reply that is not chosen, with the run that it came from.
    const tools = sibling(pair, 1).locator('.jp-Turnbook-code');
    await expect(tools).toHaveCount(1);
    await tools.hover();
    await tools.getByRole('button', { name: 'Insert below' }).click();
    const inserted = () =>
      page.evaluate(path => {
        for (const widget of window.jupyterapp.shell.widgets('main')) {
          const { context, content } = widget as any;
          if (context?.path === path) {
            return content.model.sharedModel.toJSON().cells[1];
          }
        }
        return null;
      }, work);
    await expect.poll(async () => (await inserted())?.source).toBe('two = 2');
    const [other] = notebook.cells[0].metadata.turnbook_versions;
    expect((await inserted()).metadata.turnbook_from).toMatchObject({
      pair: 'several',
      run: other.runId
    });

    // The message, the first reply and the third one.
    await chat.open(file);
    await chat.choose(0);
    const search = new Searching(chat);
    await search.find('needle');
    await expect(search.counter).toHaveText('1/3');
    await search.expectAll(['needle', 'needle', 'needle']);
    await page.keyboard.press('Enter');
    await search.expectCurrent('needle', sibling(pair, 0));
    await page.keyboard.press('Enter');
    await expect(search.counter).toHaveText('3/3');
    await search.expectCurrent('needle', sibling(pair, 2));

    // One that is maximised hides the others; a match brings its own to the front.
    await sibling(pair, 1).getByRole('button', { name: 'Maximise' }).click();
    await expect(sibling(pair, 0)).toBeHidden();
    await expect(search.counter).toHaveText(/\/3$/);
    await search.overlay.getByPlaceholder('Find').click();
    await page.keyboard.press('Shift+Enter');
    await expect(search.counter).toHaveText('2/3');
    await search.expectCurrent('needle', sibling(pair, 0));
    await page.setViewportSize({ width: 700, height: 700 });
    await expect(pair.getByRole('tab')).toHaveCount(3);
    await expect(sibling(pair, 2)).toBeHidden();
    await page.keyboard.press('Enter');
    await expect(search.counter).toHaveText('3/3');
    await search.expectCurrent('needle', sibling(pair, 2));
    await expect(pair.getByRole('tab', { name: /red/ })).toHaveAttribute(
      'aria-selected',
      'true'
    );
    await page.keyboard.press('Escape');
    await provider.completions(0);
  });
});
