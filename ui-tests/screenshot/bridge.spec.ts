/** The pictures of the bridge to notebooks in docs/guide.md. */
import { Beside, code } from '../support/beside';
import { expect } from '../support/fixtures';
import { openPrepared } from '../support/prepared';
import { alone, dress, take, test, withoutNotices } from './picture';

const FRAME =
  'import collections\nFrame = collections.namedtuple("Frame", "district people")\nframe = [Frame("north", 1200), Frame("south", 900)]\ntotal = sum(one.people for one in frame)';

test('a reference whose source has changed', async ({
  page,
  provider,
  tmpPath
}) => {
  const beside = new Beside(page);
  const { chat } = beside;
  await beside.prepare(`${tmpPath}/survey.ipynb`, [
    code('margin = 0.03\nshare = 0.5'),
    code('n = 1.96**2 * share * (1 - share) / margin**2')
  ]);
  await alone(page);
  await beside.button.click();
  await expect(chat.message).toBeFocused();
  await chat.message.pressSequentially('@margin');
  await page
    .getByRole('listbox', { name: 'References' })
    .getByRole('option', { name: /cell 1/ })
    .first()
    .click();
  await provider.reply('About **1,068** people.');
  await chat.say('How many people must we ask?');
  await chat.expectState(0, 'succeeded');
  await page.evaluate(() => {
    for (const widget of window.jupyterapp.shell.widgets('main')) {
      const { context, content } = widget as any;
      if (context?.path.endsWith('survey.ipynb')) {
        content.model.sharedModel.cells[0].setSource(
          'margin = 0.02\nshare = 0.5'
        );
      }
    }
  });
  const attached = chat.pair(0).getByRole('list', { name: 'Attached files' });
  await expect(attached).toContainText('changed since');
  await attached.getByRole('button', { name: /^Show what is sent/ }).click();
  await expect(
    page.getByRole('dialog').getByLabel('Changes since')
  ).toBeVisible();
  await withoutNotices(page);
  await take(page, 'guide/changed.png');
});

test('a diff before it is applied', async ({ page, tmpPath }) => {
  await page.contents.uploadContent(
    'def sample(frame, n):\n    return frame[:n]\n\n\nprint(sample(range(9), 3))\n',
    'text',
    `${tmpPath}/sample.py`
  );
  const { chat } = await openPrepared(page, tmpPath, [
    {
      id: 'only',
      user: 'Draw at random instead of the first ones.',
      reply:
        'This draws without replacement:\n\n```diff\n--- a/sample.py\n+++ b/sample.py\n@@ -1,2 +1,5 @@\n+import random\n+\n+\n def sample(frame, n):\n-    return frame[:n]\n+    return random.sample(list(frame), n)\n```'
    }
  ]);
  await alone(page);
  await dress(page, 'JupyterLab Dark');
  await chat.pair(0).getByRole('button', { name: 'Apply diff…' }).click();
  await expect(
    page.getByRole('dialog').locator('.cm-content').first()
  ).toBeVisible();
  await withoutNotices(page);
  await take(page, 'guide/diff.png');
});

test('a variable, in the sidebar', async ({ page, tmpPath }) => {
  const beside = new Beside(page);
  const { chat } = beside;
  await beside.prepare(`${tmpPath}/survey.ipynb`, [code(FRAME)], true);
  await alone(page);
  await page.evaluate(() =>
    window.jupyterapp.commands.execute('notebook:run-cell')
  );
  await expect(beside.notebook.locator('.jp-InputPrompt').first()).toHaveText(
    '[1]:'
  );
  await beside.button.click();
  await expect(chat.message).toBeFocused();
  await chat.panel.getByRole('button', { name: 'Sidebar' }).click();
  await expect(chat.message).toBeVisible();
  await chat.message.pressSequentially('@total');
  await page
    .getByRole('listbox', { name: 'References' })
    .getByRole('option', { name: /total/ })
    .first()
    .click();
  await expect(beside.chips).toHaveCount(1);
  await chat.message.pressSequentially('Is this plausible? @fr');
  await expect(
    page
      .getByRole('listbox', { name: 'References' })
      .getByRole('option')
      .first()
  ).toBeVisible();
  await expect(
    chat.panel.getByRole('status', { name: 'Token estimate' })
  ).not.toHaveText('~0');
  await withoutNotices(page);
  await take(page, 'guide/sidebar.png');
});
