import { Chat } from '../support/chat';
import { expect, test } from '../support/fixtures';
import { breakSends } from '../support/loading';
import type { IScript } from '../support/provider';

interface ICase {
  name: string;
  script: IScript;
  code: string;
  message: string | RegExp;
}

const body = (status: number, error: object, headers = {}): IScript => ({
  status,
  headers,
  steps: [{ body: { error } }]
});

const CASES: ICase[] = [
  {
    name: '401',
    script: body(401, { message: 'Bad key' }),
    code: 'auth',
    message: 'Bad key'
  },
  {
    name: '403',
    script: body(403, { message: 'Not for you' }),
    code: 'auth',
    message: 'Not for you'
  },
  {
    name: '429',
    script: body(429, { message: 'Slow down' }),
    code: 'rate',
    message: 'Slow down'
  },
  {
    name: '429 by quota',
    script: body(429, {
      code: 'insufficient_quota',
      message: 'You exceeded your current quota'
    }),
    code: 'quota',
    message: 'You exceeded your current quota'
  },
  {
    name: '402',
    script: body(402, { message: 'Pay first' }),
    code: 'quota',
    message: 'Pay first'
  },
  {
    name: '500',
    script: body(500, { message: 'Broken' }),
    code: '500',
    message: 'Broken'
  },
  {
    name: '503',
    script: body(503, { message: 'Overloaded' }),
    code: '503',
    message: 'Overloaded'
  },
  {
    name: '400',
    script: body(400, {
      code: 'context_length_exceeded',
      message: 'Too long'
    }),
    code: 'context_length_exceeded',
    message: 'Too long'
  },
  {
    name: '404',
    script: body(404, { code: 'model_not_found', message: 'No such model' }),
    code: 'model_not_found',
    message: 'No such model'
  },
  {
    name: 'an end before the finish',
    script: { steps: [{ delta: 'half a ' }, { cut: true }] },
    code: 'network',
    message: /\S/
  },
  {
    name: 'an error inside a good stream',
    script: {
      steps: [
        { delta: 'half a ' },
        { chunk: { error: { message: 'The engine stopped' } } },
        { done: true }
      ]
    },
    code: 'server',
    message: 'The engine stopped'
  }
];

/** The run metadata of the last pair in a notebook. */
const lastRun = (notebook: any): any =>
  notebook.cells.at(-1)?.metadata.turnbook_run;

/** Configure the provider `refusing`, or delete it. */
const setProvider = (
  chat: Chat,
  method: 'PUT' | 'DELETE',
  settings?: object
): Promise<void> =>
  chat.page.evaluate(
    async ([method, body]) => {
      const { serverSettings } = window.jupyterapp.serviceManager;
      const xsrf = document.cookie.match(/_xsrf=([^;]+)/)?.[1] ?? '';
      const response = await fetch(
        `${serverSettings.baseUrl}turnbook/api/providers/refusing`,
        {
          method,
          headers: { 'Content-Type': 'application/json', 'X-XSRFToken': xsrf },
          body
        }
      );
      if (!response.ok) {
        throw new Error(await response.text());
      }
    },
    [method, settings && JSON.stringify(settings)] as const
  );

test.describe('errors', () => {
  test('show their code, message and remedies, whatever went wrong', async ({
    page,
    provider,
    tmpPath
  }) => {
    test.slow();
    const chat = new Chat(page);
    const file = await chat.create(tmpPath);
    for (const [n, { name, script, code, message }] of CASES.entries()) {
      await test.step(name, async () => {
        await provider.script(script);
        await chat.say(`Question ${n}`);
        await chat.expectState(n, 'error');
        const pair = chat.pair(n);
        await expect(pair).toContainText(`[error: ${code}] `);
        await expect(pair).toContainText(message);
        for (const button of ['Edit & Resend', 'Delete']) {
          await expect(
            pair
              .locator('.jp-Turnbook-pairStatus')
              .getByRole('button', { name: button, exact: true })
          ).toBeVisible();
        }
        const notebook = await chat.saved(
          file,
          nb => lastRun(nb)?.state === 'error' && nb.cells.length === n + 1
        );
        const run = lastRun(notebook);
        expect(run.error.code).toBe(code);
        expect(run.contextSnapshot).toEqual({
          runId: run.runId,
          hash: run.requestHash
        });
      });
    }
    // Text that came before a break stays; error texts are never sent.
    await expect(chat.pair(9)).toContainText('half a');
    const sent = (await provider.completions()).at(-1)!;
    expect(sent.body).toContain('half a ');
    expect(sent.body).not.toContain('error:');
    expect(sent.body).not.toContain('Broken');
  });

  test('disappear with their snapshot when an attempt succeeds', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    const file = await chat.create(tmpPath);
    await provider.script(body(500, { message: 'Broken' }));
    await chat.say('Hello?');
    await chat.expectState(0, 'error');
    await chat.saved(file, nb => !!lastRun(nb)?.contextSnapshot);
    await chat.pair(0).getByRole('button', { name: 'Retry now' }).click();
    await chat.expectState(0, 'succeeded');
    await expect(chat.pair(0)).not.toContainText('[error');
    const notebook = await chat.saved(
      file,
      nb => lastRun(nb)?.state === 'succeeded'
    );
    expect(lastRun(notebook)).not.toHaveProperty('contextSnapshot');
    expect(lastRun(notebook)).not.toHaveProperty('error');
    // A pair that succeeded never had one.
    await chat.say('And now?');
    await chat.expectState(1, 'succeeded');
    const later = await chat.saved(
      file,
      nb => nb.cells.length === 2 && lastRun(nb).state === 'succeeded'
    );
    expect(lastRun(later)).not.toHaveProperty('contextSnapshot');
  });

  test('say that nothing listens at the address', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    await chat.create(tmpPath);
    // The discard port: nothing listens there.
    await setProvider(chat, 'PUT', { baseUrl: 'http://127.0.0.1:9/v1' });
    await page.evaluate(() => {
      (window.jupyterapp.shell.currentWidget as any).session.model =
        'refusing/model';
    });
    await chat.say('Anybody?');
    await chat.expectState(0, 'error');
    await expect(chat.pair(0)).toContainText('[error: network] ');
    await expect(chat.pair(0)).toContainText('127.0.0.1');
    expect(await provider.completions()).toHaveLength(0);
    await setProvider(chat, 'DELETE');
  });
});

test.describe('a reply in progress', () => {
  test('is stopped by its button, by I I and by command, never by Esc', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    const file = await chat.create(tmpPath);
    const ways = [
      () => chat.stop.click(),
      async () => {
        await chat.message.press('Escape');
        await expect(chat.message).not.toBeFocused();
        await page.keyboard.press('Escape');
        await chat.expectState(1, 'awaiting');
        await page.keyboard.press('i');
        await page.keyboard.press('i');
      },
      () => chat.execute('turnbook:stop')
    ];
    for (const [n, stop] of ways.entries()) {
      await provider.script({
        steps: [{ delta: `part ${n}` }, { stall: true }]
      });
      await chat.say(`Story ${n}`);
      await expect(chat.pair(n)).toContainText(`part ${n}`);
      await stop();
      await chat.expectState(n, 'canceled');
      await expect(chat.pair(n)).toContainText(`part ${n}`);
      await expect(chat.pair(n)).toContainText('[INTERRUPTED]');
      await expect(chat.stop).toBeHidden();
      await expect
        .poll(async () => (await provider.completions())[n].closed)
        .toBe(true);
    }
    const notebook = await chat.saved(
      file,
      nb => nb.cells.length === 3 && lastRun(nb).state === 'canceled'
    );
    expect(lastRun(notebook)).not.toHaveProperty('contextSnapshot');
    expect(notebook.cells[2].outputs[0].metadata.turnbook.partial).toBe(true);
  });

  test('leaves the composer enabled, keeps its model and accepts no second message', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    const file = await chat.create(tmpPath);

    // Blank text is no message.
    await chat.message.fill(' \n ');
    await expect(chat.send).toBeDisabled();
    await chat.message.press('Enter');
    await expect(chat.pairs).toHaveCount(0);

    await provider.script({
      steps: [
        { wait: 'go' },
        { delta: 'done' },
        { finish: 'stop' },
        { done: true }
      ]
    });
    await chat.say('First');
    const thinking = chat.panel.getByRole('button', { name: 'Thinking…' });
    await expect(thinking).toBeDisabled();
    await expect(chat.message).toBeFocused();
    await chat.message.fill('Second');
    await chat.message.press('Enter');
    await expect(chat.message).toHaveValue('Second');
    await expect(chat.pairs).toHaveCount(1);

    // A request keeps the model it was sent with.
    await page.evaluate(() => {
      const { session } = window.jupyterapp.shell.currentWidget as any;
      session.model = 'scripted/other';
    });
    await provider.release('go');
    await chat.expectState(0, 'succeeded');
    await expect(chat.send).toBeEnabled();
    const first = await chat.saved(
      file,
      nb => lastRun(nb)?.state === 'succeeded'
    );
    expect(lastRun(first).model).toBe('scripted/scripted');
    await chat.submit();
    await chat.expectState(1, 'succeeded');
    const requests = await provider.completions();
    expect(requests.map(({ model }) => model)).toEqual(['scripted', 'other']);
    const second = await chat.saved(
      file,
      nb => nb.cells.length === 2 && lastRun(nb).state === 'succeeded'
    );
    expect(lastRun(second).model).toBe('scripted/other');
  });

  test('stays visible from its first word until it has landed', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    await chat.create(tmpPath);
    const text = [
      '# Beginning',
      ...Array.from({ length: 12 }, (_, n) => `Paragraph ${n} with *words*.`),
      'Formula $e^{i\\pi} = -1$ and the very end.'
    ].join('\n\n');
    await provider.script({
      steps: [
        { delta: text },
        { wait: 'end' },
        { delta: ' Last words.' },
        { finish: 'stop' },
        { done: true }
      ]
    });
    await chat.say('Long, please.');
    await expect(chat.pair(0)).toContainText('the very end.');
    await expect(chat.pair(0).getByRole('heading')).toBeVisible();
    // From here on, check what is painted in each frame.
    await chat.pair(0).evaluate(cell => {
      const seen: { text: string; height: number }[] = [];
      (window as any).seen = seen;
      const status = cell.querySelector<HTMLElement>(
        '.jp-Turnbook-pairStatus-line'
      );
      const look = () => {
        seen.push({
          text: (cell as HTMLElement).innerText,
          // The status line gets longer once the reply has landed.
          height:
            cell.getBoundingClientRect().height -
            (status?.getBoundingClientRect().height ?? 0)
        });
        (window as any).looking = requestAnimationFrame(look);
      };
      look();
    });
    await provider.release('end');
    await chat.expectState(0, 'succeeded');
    await expect(
      chat.pair(0).locator('.jp-Turnbook-pairStatus-stream')
    ).toHaveCount(0);
    await expect(chat.pair(0).locator('.jp-Cell-outputArea')).toBeVisible();
    await expect(chat.pair(0)).toContainText('Last words.');
    const seen = await page.evaluate(
      () =>
        new Promise<{ text: string; height: number }[]>(resolve => {
          requestAnimationFrame(() =>
            requestAnimationFrame(() => {
              cancelAnimationFrame((window as any).looking);
              resolve((window as any).seen);
            })
          );
        })
    );
    expect(seen.length).toBeGreaterThan(2);
    for (const frame of seen) {
      expect(frame.text).toContain('the very end.');
      // Neither missing nor duplicated.
      expect(frame.text.split('Paragraph 3 with').length).toBe(2);
    }
    const heights = seen.map(({ height }) => height);
    expect(Math.max(...heights) - Math.min(...heights)).toBeLessThan(24);
  });
});

test('a message that never reached the server is back after a reload @fresh', async ({
  page,
  provider,
  tmpPath
}) => {
  const chat = new Chat(page);
  await chat.create(tmpPath);
  await chat.say('First');
  await chat.expectState(0, 'succeeded');
  const runs = /\/turnbook\/api\/runs(\?|$)/;
  await breakSends(page);
  await page.route(runs, route =>
    route.request().method() === 'POST' ? route.abort() : route.continue()
  );
  await chat.say('Do not lose me');
  await expect(chat.panel.getByRole('alert')).toContainText('does not respond');
  await chat.reload();
  await expect(chat.message).toHaveValue('Do not lose me');
  await expect(chat.pairs).toHaveCount(1);
  expect(await provider.completions()).toHaveLength(1);
  await page.unroute(runs);
  await chat.submit();
  await chat.expectState(1, 'succeeded');
  expect(await provider.completions()).toHaveLength(2);
});
