/**
 * The pictures of docs/replay.md; docs/look.md has one of them, too.
 */
import { expect } from '../support/fixtures';
import type { Prepared } from '../support/prepared';
import { Replay } from '../support/replay';
import { RequestUI } from '../support/request';
import { openAs, take, test, withoutNotices } from './picture';

const PLAN: Prepared[] = [
  {
    id: 'system',
    system: 'You help to design household surveys. Answer briefly.'
  },
  {
    id: 'frames',
    user: 'Compare **area frames** and dual frames for 12 districts.',
    reply:
      'Area frames need no list and cover new dwellings. Dual frames cost about a third more per interview.\n\n- lists older than three years: **area frame**\n- telephone coverage over 80 %: **dual frame**'
  }
];

test('replay, compare, fork', async ({ page, tmpPath }) => {
  const chat = await openAs(page, `${tmpPath}/survey-plan.chat.ipynb`, PLAN);
  const request = new RequestUI(chat);
  const replay = new Replay(page);
  await chat.message.fill('How many interviewers for 2,400 households?');
  await request.open();
  await request.text(2).click();
  const reply = (PLAN[1] as { reply: string }).reply;
  await request.replace(reply.replace('three years', 'two years'));
  await request.button('Replay edited prompt').click();
  await expect(replay.cells).toHaveCount(3);
  await take(page, 'replay/replay.png');

  await replay.cells.nth(1).getByText('Edited').focus();
  await expect(page.getByRole('tooltip')).toBeVisible();
  await take(page, 'replay/hover.png');
  await replay.badge.click();

  await request.openPart('Replays');
  await take(page, 'replay/section.png');

  await replay.button('Start chatting from this replay').click();
  await expect(chat.message).toBeFocused();
  await chat.say('And in 15 days?');
  await chat.expectState(2, 'succeeded');
  // It gets its height slightly later.
  await expect(
    chat.panel.getByRole('navigation', { name: 'Where this chat comes from' })
  ).toBeVisible();
  await withoutNotices(page);
  await take(page, 'replay/fork.png');
});

test('paused, cleared', async ({ page, tmpPath }) => {
  const chat = await openAs(page, `${tmpPath}/survey-plan.chat.ipynb`, PLAN);
  const request = new RequestUI(chat);
  const replay = new Replay(page);
  await chat.panel.getByRole('switch', { name: 'Pause & review' }).click();
  await chat.message.fill('How many interviewers for 2,400 households?');
  await chat.message.press('Enter');
  await expect(request.button('Resume send')).toBeVisible();
  await request.button('Replay edited prompt').click();
  await expect(replay.cells).toHaveCount(3);
  await take(page, 'replay/paused.png');
  await request.button('Cancel send').click();
  await page.getByRole('tab', { name: 'Replay cleared' }).click();
  await expect(replay.banner).toContainText('Replay cleared');
  await take(page, 'replay/cleared.png');
});
