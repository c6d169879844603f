import { Chat } from '../support/chat';
import { expect, test } from '../support/fixtures';
import { openPrepared } from '../support/prepared';
import { RequestUI } from '../support/request';

/** What an open menu lists; a separator is a line. */
const listed = (chat: Chat): Promise<string[]> =>
  chat.page
    .locator('.lm-Menu .lm-Menu-item:visible')
    .evaluateAll(items =>
      items.map(item =>
        item.getAttribute('data-type') === 'separator'
          ? '—'
          : (item.querySelector('.lm-Menu-itemLabel')?.textContent ?? '')
      )
    );

test.describe('menus and tools', () => {
  test('list what applies to a cell, in groups', async ({ page, tmpPath }) => {
    const { chat } = await openPrepared(page, tmpPath, [
      { id: 'pair', user: 'Hello', reply: 'Hi' },
      { id: 'memo', note: 'A note' }
    ]);
    await chat.pair(0).locator('.jp-InputPrompt').click({ button: 'right' });
    await expect(page.locator('.lm-Menu')).toBeVisible();
    expect(await listed(chat)).toEqual([
      'Copy Message',
      'Copy Reply',
      'Copy as Markdown',
      'Reply to Notebook',
      '—',
      'Edit & Resend',
      'Edit Reply',
      'Regenerate',
      'Regenerate with…',
      '—',
      'Show Request',
      'Show Response',
      'Edit Request',
      'Replay This Request',
      'Rerun…',
      'Attempts…',
      '—',
      'Star',
      'Mark In or Out',
      'Set Topic…',
      '—',
      'Add System Message',
      'Add Note',
      '—',
      'Move Up',
      'Move Down',
      '—',
      'Delete'
    ]);
    await expect(
      page.locator('.lm-Menu-item.lm-mod-disabled:visible')
    ).toHaveCount(0);
    // Each icon is beside its words.
    const apart = await page
      .locator('.lm-Menu-item[data-type="command"]:visible')
      .evaluateAll(items =>
        items.map(item => {
          const middle = (name: string) => {
            const box = item.querySelector(name)?.getBoundingClientRect();
            return box ? box.top + box.height / 2 : null;
          };
          const icon = middle('.lm-Menu-itemIcon svg');
          return icon === null
            ? 0
            : Math.abs(icon - middle('.lm-Menu-itemLabel')!);
        })
      );
    expect(Math.max(...apart)).toBeLessThanOrEqual(2);
    await page.keyboard.press('Escape');
    await expect(page.locator('.lm-Menu')).toBeHidden();

    await chat.panel
      .locator('.jp-Turnbook-note .jp-InputPrompt')
      .click({ button: 'right' });
    await expect(page.locator('.lm-Menu')).toBeVisible();
    expect(await listed(chat)).toEqual([
      'Add System Message',
      'Add Note',
      '—',
      'Move Up',
      'Move Down',
      '—',
      'Delete'
    ]);
    await page.keyboard.press('Escape');
  });

  test('Alt+Shift+R opens and closes the Request panel, from the chat and from the panel', async ({
    page,
    tmpPath
  }) => {
    const chat = new Chat(page);
    await chat.create(tmpPath);
    const { panel } = new RequestUI(chat);
    await page.keyboard.press('Alt+Shift+R');
    await expect(panel).toBeVisible();
    await panel.getByRole('button', { name: 'Prompt', exact: true }).focus();
    await page.keyboard.press('Alt+Shift+R');
    await expect(panel).toBeHidden();
    await expect(chat.message).toBeFocused();
    const tool = chat.panel.getByRole('button', {
      name: 'Request',
      exact: true
    });
    await tool.click();
    await expect(panel).toBeVisible();
    // It is in the composer, and nowhere else.
    await expect(
      page.getByRole('switch', { name: 'Pause & review' })
    ).toHaveCount(1);
    await tool.click();
    await expect(panel).toBeHidden();
  });

  test('have names where there is room, and nothing is cut off where there is none', async ({
    page,
    tmpPath
  }) => {
    const chat = new Chat(page);
    await chat.create(tmpPath);
    const names = chat.panel.locator(
      '.jp-Toolbar .jp-ToolbarButtonComponent-label:visible'
    );
    await page.sidebar.close('left');
    await expect(names).toHaveText([
      'Undo',
      'Redo',
      'System',
      'Note',
      'Topics',
      'Request',
      'Sidebar'
    ]);
    await page.setViewportSize({ width: 600, height: 700 });
    await expect(names).toHaveCount(0);

    // As narrow as the smallest tab beside others.
    await chat.panel.evaluate(node => {
      const composer = node.querySelector<HTMLElement>(
        '.jp-Turnbook-composer-body'
      )!;
      composer.style.width = '130px';
    });
    for (const control of [
      chat.panel.getByRole('textbox', { name: 'Topic' }),
      chat.panel.getByRole('switch', { name: 'Pause & review' }),
      chat.send
    ]) {
      await expect
        .poll(() =>
          control.evaluate(node => {
            const card = node.closest('.jp-Turnbook-composer-card')!;
            return (
              node.getBoundingClientRect().right <=
              card.getBoundingClientRect().right
            );
          })
        )
        .toBe(true);
    }
  });
});
