import { Chat } from '../support/chat';
import {
  attach,
  attached,
  bring,
  files,
  hash,
  image,
  list,
  outputsOf,
  png
} from '../support/attaching';
import { expect, test } from '../support/fixtures';
import { breakSends } from '../support/loading';
import { messagesOf, RequestUI } from '../support/request';

test.describe('attachments', () => {
  test('are sent byte for byte, shown in the cell, and sent again with later messages', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    const file = await chat.create(tmpPath);
    const picture = png();
    await attach(
      chat,
      { name: 'plot.png', buffer: picture },
      { name: 'notes.py', buffer: Buffer.from('print(1)\n') }
    );
    await expect(files(chat)).toHaveCount(2);
    await expect(files(chat).first()).toContainText(/plot\.png.*~1,000 tokens/);
    // The image by a constant, not by its length; the text file by its text.
    await expect(
      chat.panel.getByRole('status', { name: 'Token estimate' })
    ).toHaveText('~1,009');
    await provider.reply('A grey square.');
    await chat.say('What is it?');
    await chat.expectState(0, 'succeeded');
    await expect(list(chat)).toHaveCount(0);
    const content = [
      image(picture),
      { type: 'text', text: 'File: notes.py\n\n```\nprint(1)\n\n```' },
      { type: 'text', text: 'What is it?' }
    ];
    const [first] = await provider.completions();
    expect(messagesOf(first).at(-1)).toEqual({ role: 'user', content });

    const shown = attached(chat, 0);
    await expect(shown.getByRole('listitem')).toHaveCount(2);
    await expect(shown.getByRole('img', { name: 'plot.png' })).toBeVisible();
    await expect(chat.pair(0)).toContainText('A grey square.');
    await shown.getByRole('button', { name: 'Enlarge plot.png' }).click();
    const dialog = page.getByRole('dialog', { name: 'plot.png' });
    await expect(dialog.getByRole('img')).toBeVisible();
    await dialog.getByRole('button', { name: 'Close' }).click();

    await provider.reply('Yes.');
    await chat.say('Sure?');
    await chat.expectState(1, 'succeeded');
    const later = messagesOf((await provider.completions())[1]);
    expect(later[0]).toEqual({ role: 'user', content });
    expect(later.at(-1)).toEqual({ role: 'user', content: 'Sure?' });

    const saved = await chat.savedInState(file, 1, 'succeeded');
    const [output, text, reply] = outputsOf(saved);
    expect([output.data['image/png']].flat().join('')).toBe(
      picture.toString('base64')
    );
    expect(output.metadata.turnbook).toEqual({
      part: 'attachment',
      name: 'plot.png',
      sha256: hash(picture)
    });
    expect(text.metadata.turnbook.name).toBe('notes.py');
    expect(reply.data).toHaveProperty('text/markdown');
  });

  test('come by paste and drop, and go by keys', async ({ page, tmpPath }) => {
    const chat = new Chat(page);
    await chat.create(tmpPath);
    await bring(chat, 'paste', 'pasted.png', png(8, 10));
    await expect(files(chat)).toHaveCount(1);
    await bring(chat, 'drop', 'dropped.png', png(8, 20));
    await expect(files(chat)).toHaveCount(2);
    await bring(chat, 'drop', 'again.png', png(8, 20));
    await expect(
      chat.panel.getByText('again.png is attached already.')
    ).toBeVisible();
    await chat.message.focus();
    await page.keyboard.press('Backspace');
    await expect(
      list(chat).getByRole('button', { name: 'Remove dropped.png' })
    ).toBeFocused();
    await page.keyboard.press('Backspace');
    await expect(files(chat)).toHaveText(/pasted\.png/);
    await expect(chat.message).toBeFocused();
    await list(chat).getByRole('button', { name: 'Remove pasted.png' }).click();
    await expect(list(chat)).toHaveCount(0);
    await expect(chat.send).toBeDisabled();
  });

  test('that cannot be sent are refused with a reason, and the text stays', async ({
    page,
    tmpPath
  }) => {
    const chat = new Chat(page);
    await chat.create(tmpPath);
    await chat.message.fill('About these:');
    await attach(
      chat,
      { name: 'a.png', buffer: Buffer.from('PK\u0003\u0004zip') },
      { name: 'b.jpg', buffer: Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 2]) },
      { name: 'c.svg', buffer: Buffer.from('<svg xmlns="x"/>') },
      {
        name: 'd.pdf',
        buffer: Buffer.from('%PDF-1.7\n<< /Encrypt 1 0 R >>\n%%EOF')
      },
      { name: 'good.png', buffer: png() }
    );
    const problems = chat.panel.getByRole('alert');
    for (const words of [
      'a.png is not attached: its content is ZIP.',
      'b.jpg is cut off',
      'c.svg is an SVG drawing',
      'd.pdf is protected with a password'
    ]) {
      await expect(problems).toContainText(words);
    }
    await expect(files(chat)).toHaveText(/good\.png/);
    await expect(chat.message).toHaveValue('About these:');
    await problems.getByRole('button', { name: 'Dismiss' }).click();
    await expect(problems).toHaveCount(0);
  });

  test('survive a reload and a refused send @fresh', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    await chat.create(tmpPath);
    const picture = png();
    await attach(chat, { name: 'plot.png', buffer: picture });
    await expect(files(chat)).toHaveCount(1);
    await chat.message.fill('Look');
    await chat.reload();
    await expect(files(chat)).toHaveText(/plot\.png/);
    await expect(chat.message).toHaveValue('Look');
    await breakSends(page);
    await page.route('**/turnbook/api/runs*', route =>
      route.request().method() === 'POST'
        ? route.fulfill({ status: 500, body: '{"message": "no"}' })
        : route.continue()
    );
    await chat.submit();
    await expect(chat.panel.getByText(/Nothing was sent/)).toBeVisible();
    await expect(files(chat)).toHaveText(/plot\.png/);
    await expect(chat.message).toHaveValue('Look');
    await page.unroute('**/turnbook/api/runs*');
    await provider.reply('Seen.');
    await chat.submit();
    await chat.expectState(0, 'succeeded');
    const [request] = await provider.completions();
    expect(messagesOf(request).at(-1)?.content).toEqual([
      image(picture),
      { type: 'text', text: 'Look' }
    ]);
    await chat.reload();
    await expect(list(chat)).toHaveCount(0);
    await expect(
      attached(chat, 0).getByRole('img', { name: 'plot.png' })
    ).toBeVisible();
  });

  test('stay with Edit & Resend and Regenerate', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    const file = await chat.create(tmpPath);
    const picture = png();
    await attach(chat, { name: 'plot.png', buffer: picture });
    await provider.reply('One.');
    await chat.say('First');
    await chat.expectState(0, 'succeeded');
    await provider.reply('Two.');
    await chat.choose(0);
    await chat.resendByKey(chat.pair(0), 'Second');
    await expect(chat.pair(0)).toContainText('Two.');
    await chat.expectState(0, 'succeeded');
    await provider.reply('Three.');
    await chat.choose(0);
    await chat.execute('turnbook:regenerate');
    await expect(chat.pair(0)).toContainText('Three.');
    await chat.expectState(0, 'succeeded');
    const sent = (await provider.completions()).map(
      request => messagesOf(request).at(-1)?.content
    );
    expect(sent).toEqual(
      ['First', 'Second', 'Second'].map(text => [
        image(picture),
        { type: 'text', text }
      ])
    );
    const saved = await chat.saved(file, notebook =>
      JSON.stringify(notebook).includes('Three.')
    );
    const text = JSON.stringify(saved);
    expect(text.split(picture.toString('base64'))).toHaveLength(2);
    const [cell] = saved.cells;
    expect(cell.metadata.turnbook_versions).toHaveLength(2);
    expect(cell.metadata.turnbook_versions[0].attachments).toEqual([
      hash(picture)
    ]);
  });

  test('in a reply are shown and kept, and load from elsewhere only on a click @fresh', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    const file = await chat.create(tmpPath);
    const picture = png();
    const far = 'https://far.example/cat.png';
    const asked: string[] = [];
    await page.route('https://far.example/**', route => {
      asked.push(route.request().url());
      return route.fulfill({ contentType: 'image/png', body: picture });
    });
    const images = [
      image(picture),
      { type: 'image_url', image_url: { url: far } }
    ];
    await provider.script([
      {
        steps: [
          { tokens: 'Here they are.' },
          { chunk: { choices: [{ index: 0, delta: { images } }] } },
          { finish: 'stop' },
          { done: true }
        ]
      }
    ]);
    await chat.say('Draw cats.');
    await chat.expectState(0, 'succeeded');
    const pair = chat.pair(0);
    await expect(pair.locator('.jp-RenderedImage img')).toBeVisible();
    const load = pair.getByRole('button', {
      name: 'Load image from far.example'
    });
    await expect(load).toBeVisible();
    expect(asked).toEqual([]);
    await load.click();
    await expect.poll(() => asked).toEqual([far]);

    await chat.say('Thanks');
    await chat.expectState(1, 'succeeded');
    const [, later] = await provider.completions();
    expect(messagesOf(later)[1]).toEqual({
      role: 'assistant',
      content: 'Here they are.'
    });
    const saved = await chat.savedInState(file, 1, 'succeeded');
    expect(
      outputsOf(saved).map(({ metadata }) => metadata.turnbook.part)
    ).toEqual([undefined, 'image', 'image']);
  });

  test('that a model does not take are left out if the user wants that', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    const file = await chat.create(tmpPath);
    await attach(chat, { name: 'plot.png', buffer: png() });
    await provider.script([
      {
        status: 400,
        steps: [
          {
            body: JSON.stringify({
              error: { message: 'm is not a multimodal model' }
            })
          }
        ]
      }
    ]);
    await chat.say('Look');
    await chat.expectState(0, 'error');
    const pair = chat.pair(0);
    await expect(
      pair.getByText('This model takes no images', { exact: true })
    ).toBeVisible();
    await provider.reply('Fine.');
    await pair.getByRole('button', { name: 'Send without images' }).click();
    await chat.expectState(0, 'succeeded');
    const requests = await provider.completions();
    expect(requests).toHaveLength(2);
    expect(messagesOf(requests[1])).toEqual([
      { role: 'user', content: 'Look' }
    ]);
    await expect(attached(chat, 0).getByRole('listitem')).toHaveClass(
      /jp-mod-unsent/
    );
    const saved = await chat.savedInState(file, 0, 'succeeded');
    expect(outputsOf(saved)[0].metadata.turnbook).toMatchObject({
      name: 'plot.png',
      sent: false
    });
  });

  test('wait for review, and are shown in the request by type and size @fresh', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    const request = new RequestUI(chat);
    await chat.create(tmpPath);
    const picture = png(300);
    await attach(chat, { name: 'plot.png', buffer: picture });
    await expect(files(chat)).toHaveCount(1);
    await chat.panel.getByRole('switch', { name: 'Pause & review' }).click();
    await chat.message.fill('Look');
    await chat.submit();
    await request.paused();
    await expect(
      list(chat).getByRole('button', { name: 'Remove plot.png' })
    ).toBeDisabled();
    await request.row(0).getByRole('button', { name: 'user' }).first().click();
    const row = request.row(0);
    await expect(row.getByText(/^image\/png · \d+ bytes$/)).toBeVisible();
    await expect(
      row.getByRole('button', { name: 'Enlarge image.png' })
    ).toBeVisible();
    const base64 = picture.toString('base64');
    expect(await row.innerHTML()).not.toContain(`>${base64}`);
    const shown = await request.hash();
    await request.button('Resume send').click();
    const [sent] = await provider.completions(1);
    expect(sent.sha256).toBe(shown);
    expect(messagesOf(sent)).toEqual([
      {
        role: 'user',
        content: [image(picture), { type: 'text', text: 'Look' }]
      }
    ]);
  });
});
