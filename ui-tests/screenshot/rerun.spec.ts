/** The picture of docs/rerun.md. */
import { Chat } from '../support/chat';
import { expect } from '../support/fixtures';
import { alone, take, test, withoutNotices } from './picture';

test('the dialog of a rerun', async ({ page, provider, tmpPath }) => {
  const chat = new Chat(page);
  await page.setViewportSize({ width: 1000, height: 760 });
  await provider.reply(
    'Stratified: the groups differ, and each must be in the sample.'
  );
  await chat.createAnswered(tmpPath, 'Which sample fits a survey of schools?');
  await provider.reply('About 1,070 at 95 % confidence.');
  await chat.say('How many answers do we need?');
  await chat.expectState(1, 'succeeded');
  await alone(page);
  await chat.choose(0);
  await page.keyboard.press('Shift+ArrowDown');
  await chat.begin('turnbook:rerun');
  const dialog = page.getByRole('dialog', { name: 'Rerun' });
  for (const name of ['scripted/scripted', 'scripted/scripted-mini']) {
    await dialog.getByRole('option', { name, exact: true }).click();
  }
  await dialog.getByRole('spinbutton', { name: 'Repeats' }).fill('5');
  await dialog.getByRole('textbox', { name: 'Options' }).fill('temperature=0');
  await expect(dialog.getByRole('status', { name: 'Estimate' })).toContainText(
    '20 requests'
  );
  await withoutNotices(page);
  await take(page, 'rerun/dialog.png');
});
