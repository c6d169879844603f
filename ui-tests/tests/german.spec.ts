import { galata, type IJupyterLabPageFixture } from '@jupyterlab/galata';
import * as fs from 'fs';
import * as path from 'path';

import schema from '../../src/request/schema/options.schema.json';
import { Chat } from '../support/chat';
import { expect, test } from '../support/fixtures';

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
  'textarea, select, code, pre, .cm-editor, .jp-RenderedHTMLCommon, .jp-Turnbook-modelName';

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
  /^\[error: \w+\]|\((?:Ctrl|Alt|Shift)[^)]*\)|^(?:main area (?:content|toolbar)|Cells|Code Cell Content.*|Collapse Output|local|Anfrage [-0-9a-f]{36}[^]*|\S+\.ipynb)$|the file \S+, readable by you alone/;

/** An option has the provider's name. */
const OPTIONS = Object.keys(schema.properties);

/** The texts with English words, which are those that only the English texts have. */
function inEnglish(texts: string[]): string[] {
  return texts
    .filter(text => !OPTIONS.includes(text))
    .filter(text =>
      wordsOf([text.replace(NOT_OURS, '')]).some(word => english.has(word))
    );
}

test.use({
  mockSettings: {
    ...galata.DEFAULT_SETTINGS,
    '@jupyterlab/translation-extension:plugin': { locale: 'de_DE' },
    'jupyterlab-turnbook:chat': { autoRetry: false }
  }
});

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

  await chat.begin('turnbook:manage-providers');
  await expect(page.locator('.jp-Dialog')).toBeVisible();
  await expectGerman('the providers');
  await page.keyboard.press('Escape');
  await expect(page.locator('.jp-Dialog')).toHaveCount(0);

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
