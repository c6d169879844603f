import { galata, type IJupyterLabPageFixture } from '@jupyterlab/galata';
import * as fs from 'fs';
import * as path from 'path';

import schema from '../../src/request/schema/options.schema.json';
import { Chat } from '../support/chat';
import { expect, test } from '../support/fixtures';
import { preparedNotebook, writeChat } from '../support/prepared';
import type { IServers } from '../support/provider';

const FILE = path.join(
  __dirname,
  '../../jupyterlab_turnbook/locale/de_DE/LC_MESSAGES/jupyterlab_turnbook.json'
);
const { '': _, ...catalogue }: Record<string, string[]> = JSON.parse(
  fs.readFileSync(FILE, 'utf-8')
);

/** The German for a text of the interface. */
function de(text: string): string {
  return catalogue[text][0];
}

/** The German for a text of a settings schema. */
function deIn(context: string, text: string): string {
  return de(`${context}\u0004${text}`);
}

function wordsOf(texts: string[]): string[] {
  return (
    texts
      .join(' ')
      .toLowerCase()
      .match(/\p{L}{3,}/gu) ?? []
  );
}

const german = new Set(wordsOf(Object.values(catalogue).flat()));
const english = new Set(
  wordsOf(Object.keys(catalogue)).filter(word => !german.has(word))
);

/** The parts of the page that are Turnbook's. */
const PARTS =
  ':not(body)[class*="jp-Turnbook"], .jp-Dialog, .lm-Menu-item[data-command^="turnbook:"]';

/** What users or models wrote, code, and the names of things. */
const NOT_WORDS =
  'textarea, select, code, pre, kbd, bdi, .lm-Menu-itemShortcut, .cm-editor, .jp-RenderedHTMLCommon, .jp-Turnbook-modelName, .jp-Turnbook-recovered-item, .jp-Turnbook-showRequest-text';

/** The texts that can be read on the page, on the screen or by a screen reader. */
function readable(page: IJupyterLabPageFixture): Promise<string[]> {
  return page.evaluate(
    ([parts, notWords]) => {
      const found = new Set<string>();
      const add = (text: string | null) => text?.trim() && found.add(text);
      for (const part of document.querySelectorAll<HTMLElement>(parts)) {
        if (!part.checkVisibility() || part.closest(notWords)) {
          continue;
        }
        for (const name of ['aria-label', 'title', 'placeholder', 'alt']) {
          add(part.getAttribute(name));
        }
        for (const node of part.querySelectorAll<HTMLElement>('*')) {
          if (node.checkVisibility() && !node.closest(notWords)) {
            for (const name of ['aria-label', 'title', 'placeholder', 'alt']) {
              add(node.getAttribute(name));
            }
            for (const child of node.childNodes) {
              if (child instanceof Text) {
                add(child.data);
              }
            }
          }
        }
      }
      return [...found];
    },
    [PARTS, NOT_WORDS]
  );
}

/**
 * Keys as JupyterLab writes them, its own texts that it does not translate, what the server says,
 * and names.
 */
const NOT_OURS =
  /^\[error: \w+\]|\((?:Ctrl|Alt|Shift)[^)]*\)|^(?:main area (?:content|toolbar)|Cells|(?:Code|Markdown|Raw) Cell Content.*|Collapse Output|local|Anfrage [-0-9a-f]{36}[^]*|\S+\.ipynb)$|the file \S+, readable by you alone/;

/** An option has the provider's name. */
const OPTIONS = Object.keys(schema.properties);

/** Topics, models, options, and examples of filters. */
const NAMES =
  /\b\w+_\w+|\b\w+:(?:"[^"]*"|\S+)|\b\w+\/\w+|^example$|^sample(?=$|,)/g;

/** The path of a chat; the tests' folders have English names. */
const PATH = /\.chat\.ipynb$/;

/** Who replied, in the name of a cell: the name of a model. */
const SPEAKER = /Antwort von \S+/;

/** The texts with English words, which are those that only the English texts have. */
function inEnglish(texts: string[]): string[] {
  return texts
    .flatMap(text => text.replace(NOT_OURS, '').split('\n'))
    .filter(text => !OPTIONS.includes(text) && !PATH.test(text))
    .filter(text =>
      wordsOf([text.replace(NAMES, '').replace(SPEAKER, '')]).some(word =>
        english.has(word)
      )
    );
}

const SETTINGS = {
  ...galata.DEFAULT_SETTINGS,
  '@jupyterlab/translation-extension:plugin': { locale: 'de_DE' },
  'jupyterlab-turnbook:chat': { autoRetry: false }
};

/** Close the open dialog; keys reach it once it has the focus. */
async function leaveDialog(page: IJupyterLabPageFixture): Promise<void> {
  const dialog = page.locator('.jp-Dialog');
  await expect
    .poll(() => dialog.evaluate(node => node.contains(document.activeElement)))
    .toBe(true);
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
}

test.use({ mockSettings: SETTINGS });

test('a chat in German has no English in it', async ({
  page,
  provider,
  tmpPath
}) => {
  const chat = new Chat(page);
  const expectGerman = async (state: string) => {
    expect.soft(inEnglish(await readable(page)), state).toEqual([]);
  };
  const message = chat.panel.getByRole('textbox', { name: de('Message') });
  const say = async (text: string) => {
    await message.fill(text);
    await expect(
      chat.panel.getByRole('button', { name: de('Send'), exact: true })
    ).toBeEnabled();
    await message.press('Enter');
  };
  await chat.execute('turnbook:new-chat', { cwd: tmpPath });
  await expect(message).toBeFocused();
  await chat.atRest();
  // The test can find English at all.
  expect(inEnglish(['Choose a model'])).toHaveLength(1);
  expect(await readable(page)).toContain(de('Send'));
  await expectGerman('an empty chat');

  await provider.reply('Paris.');
  await say('Hauptstadt von Frankreich?');
  await chat.expectState(0, 'succeeded');
  await provider.script({
    status: 503,
    steps: [{ body: { error: { message: 'Zurzeit überlastet' } } }]
  });
  await say('Und von Spanien?');
  await chat.expectState(1, 'error');
  await chat.pair(0).click();
  await expectGerman('a pair and an error');
  await chat.begin('turnbook:show-response');
  await expect(page.locator('[data-turnbook-parity="agrees"]')).toBeVisible();
  await expectGerman('a response');
  await leaveDialog(page);

  await chat.panel.getByRole('button', { name: de('Add an option') }).click();
  const option = page.getByRole('dialog');
  await option
    .getByRole('combobox', { name: de('Option') })
    .selectOption('response_format');
  const value = option.getByRole('textbox', { name: de('Value') });
  await value.fill('{"type": "json_schema",}');
  await value.press('Control+Enter');
  await expect(option.getByRole('alert')).not.toBeEmpty();
  await expectGerman('a wrong response format');
  await value.fill(
    JSON.stringify({
      type: 'json_schema',
      json_schema: { name: 'stadt', schema: { required: ['stadt'] } }
    })
  );
  await value.press('Control+Enter');
  await expect(option).toHaveCount(0);
  for (const [n, reply] of ['{"stadt": "Rom"}', '{}', 'Rom.'].entries()) {
    await provider.reply(reply);
    await say('Als JSON?');
    await chat.expectState(n + 2, 'succeeded');
    await expect(
      chat.pair(n + 2).getByRole('group', { name: de('Structured reply') })
    ).not.toContainText(de('JSON is being checked…'));
  }
  await expectGerman('structured replies');

  const first = chat.pair(0);
  await chat.choose(0);
  await chat.begin('turnbook:edit-reply');
  await expect(first.locator('textarea:focus')).toBeVisible();
  await expectGerman('a reply being edited');
  await page.keyboard.type('Kurz: ');
  await page.keyboard.press('Control+Enter');
  await first
    .getByRole('button', { name: de('Do not send the reply') })
    .click();
  await expect(first.getByText(de('not sent'))).toBeVisible();
  await expectGerman('an edited reply that is not sent');

  await message.fill('');
  await message.pressSequentially('@Frankreich');
  const list = page.getByRole('listbox', { name: de('References') });
  await expect(list.getByRole('option')).toHaveCount(1);
  await expectGerman('references');
  await message.press('Escape');

  await message.fill('Und von Italien?');
  await chat.execute('turnbook:open-request-editor');
  const parts = page.locator('.jp-Turnbook-panel [data-turnbook-part]');
  await expect(parts.first()).toBeVisible();
  for (const part of await parts.all()) {
    const header = part.locator('button[aria-expanded]').first();
    if ((await header.getAttribute('aria-expanded')) === 'false') {
      await header.click();
    }
    await expect(header).toHaveAttribute('aria-expanded', 'true');
  }
  await expectGerman('the Request panel');

  await expect(
    page.locator('.jp-Turnbook-panel').getByRole('note')
  ).toContainText(
    de('%1 tokens as last time; from here on they are read anew.').slice(3)
  );
  await chat.begin('turnbook:usage');
  await expect(page.locator('.jp-Dialog').getByRole('table')).toHaveCount(2);
  await expectGerman('the totals');
  await leaveDialog(page);

  await chat.begin('turnbook:manage-providers');
  await expect(page.locator('.jp-Dialog')).toBeVisible();
  await expectGerman('the providers');
  await leaveDialog(page);

  await chat.begin('turnbook:show-asking-code');
  await expect(page.locator('.jp-Dialog pre')).toBeVisible();
  await expectGerman('the code that asks kernels');
  await leaveDialog(page);

  await chat.execute('turnbook:replay', { pair: 'live' });
  await expect(page.locator('.jp-Turnbook-replayBanner')).toBeVisible();
  await expectGerman('a replay');

  const labels = await page.evaluate(() => {
    const { commands } = window.jupyterapp;
    return commands
      .listCommands()
      .filter(id => id.startsWith('turnbook:'))
      .flatMap(id => [commands.label(id), commands.caption(id)]);
  });
  expect(labels.length).toBeGreaterThan(40);
  expect.soft(inEnglish(labels)).toEqual([]);
});

function settingsUrl({ port }: IServers): string {
  return `http://127.0.0.1:${port}/lab/api/settings`;
}

/** Set the language of the server, which translates the settings. */
async function setLanguage(server: IServers, locale: string): Promise<void> {
  const id = '@jupyterlab/translation-extension:plugin';
  const url = `${settingsUrl(server)}/${id}`;
  const body = JSON.stringify({ raw: JSON.stringify({ locale }) });
  const response = await fetch(url, { method: 'PUT', body });
  expect(response.status).toBe(204);
}

test.describe('on a German server', () => {
  test.use({
    // Before the page is loaded.
    mockSettings: async ({ servers }, use) => {
      await setLanguage(servers, 'de_DE');
      await use(SETTINGS);
      await setLanguage(servers, 'default');
    }
  });

  test('the settings, menus, dialogs, the example chat and the tour have no English in them', async ({
    page,
    servers,
    tmpPath
  }) => {
    test.slow();
    const chat = new Chat(page);
    const expectGerman = async (state: string) => {
      expect.soft(inEnglish(await readable(page)), state).toEqual([]);
    };
    const dialog = page.locator('.jp-Dialog');
    const inDialog = async (command: string, state: string) => {
      await chat.begin(command);
      await expect(dialog).toBeVisible();
      await expectGerman(state);
      // Keys go to it once it has the focus.
      await expect(page.locator('.jp-Dialog:focus-within')).toHaveCount(1);
      await page.keyboard.press('Escape');
      await expect(dialog).toHaveCount(0);
    };
    await inDialog('turnbook:recovered-replies', 'replies without a chat');
    await chat.execute('turnbook:example-chat', { cwd: tmpPath });
    await expect(
      chat.panel.getByRole('textbox', { name: de('Message') })
    ).toBeFocused();
    await chat.atRest();
    await expect(chat.pairs).toHaveCount(4);
    await expectGerman('the example chat');
    await inDialog('turnbook:keys-and-filters', 'keys and filters');
    await inDialog('turnbook:recovered-replies', 'recovered replies');
    await inDialog('turnbook:local-models', 'local models');
    await inDialog('turnbook:name-chat', 'the name');

    const diff = '--- a/x\n+++ b/x\n@@ -1 +1 @@\n-1\n+2\n';
    const path = `${tmpPath}/diff.chat.ipynb`;
    await writeChat(
      page,
      path,
      preparedNotebook([
        { id: 'diff', user: '1', reply: `\`\`\`diff\n${diff}\`\`\`` }
      ])
    );
    await chat.execute('docmanager:open', { path });
    await expect(
      chat.pair(0).getByRole('button', { name: de('Insert below') })
    ).toBeVisible();
    await chat.choose(0);
    await inDialog('turnbook:apply-diff', 'a diff that does not fit');
    await chat.execute('application:close');

    await chat.begin('turnbook:topics');
    await expect(page.locator('.jp-Turnbook-topics').first()).toBeVisible();
    await expectGerman('the topics');
    await page.keyboard.press('Escape');

    await chat.panel.locator('.jp-Turnbook-modelPicker select').focus();
    await page.keyboard.press('Enter');
    await expect(page.locator('.jp-Turnbook-modelMenu')).toBeVisible();
    await expectGerman('the model menu');
    await page.keyboard.press('Escape');

    await chat.execute('turnbook:tour');
    const tour = page.locator('.jp-Turnbook-tour');
    for (let step = 1; step <= 5; step++) {
      await expect(tour).toContainText(`${step} von 5`);
      await expectGerman(`step ${step} of the tour`);
      await tour.locator('button').last().click();
    }
    await expect(tour).toHaveCount(0);

    await chat.pair(0).click({ button: 'right' });
    await expect(page.locator('.lm-Menu')).toBeVisible();
    await expectGerman('the menu of a pair');
    await page.keyboard.press('Escape');

    const { schema: settings } = await (
      await fetch(`${settingsUrl(servers)}/jupyterlab-turnbook:chat`)
    ).json();
    const texts = Object.values<any>(settings.properties).flatMap(
      ({ title, description = '' }) => [title, description]
    );
    expect(texts).toContain(deIn('settings', 'Model of new chats'));
  });
});
