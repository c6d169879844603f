/** The pictures of docs/guide.md. */
import { attach } from '../support/attaching';
import { Beside } from '../support/beside';
import { Chat } from '../support/chat';
import { expect } from '../support/fixtures';
import type { IScript } from '../support/provider';
import { RequestUI } from '../support/request';
import { alone, dress, take, test, withoutNotices } from './picture';

/** A chunk with a delta of its own. */
const chunk = (delta: object) => ({
  chunk: { choices: [{ index: 0, delta }] }
});

/** What a reply took, as providers report it. */
const usage = {
  prompt_tokens: 4512,
  completion_tokens: 120,
  prompt_tokens_details: { cached_tokens: 3800 },
  cost: 0.008
};

const ENDED: IScript['steps'] = [{ finish: 'stop', usage }, { done: true }];

const THOUGHT =
  'The formula is n = z² p (1 − p) / e². With z = 1.96, p = 0.5 and e = 0.03 that is 1067.1.';

const CODE =
  'At 95 % confidence, about **1,070**:\n\n```python\nfrom math import ceil\n\nn = ceil(1.96**2 * 0.25 / 0.03**2)  # 1068\n```';

test('a turn with its parts, and what came back', async ({
  page,
  provider,
  tmpPath
}) => {
  const chat = new Chat(page);
  await chat.create(tmpPath);
  await alone(page);
  const picture = await page.screenshot({
    clip: { x: 330, y: 240, width: 620, height: 180 }
  });
  await attach(chat, { name: 'screen.png', buffer: picture });
  await provider.script([
    {
      steps: [chunk({ reasoning_content: THOUGHT }), { delta: CODE }, ...ENDED]
    },
    { steps: [{ delta: 'By region, then by age.' }, ...ENDED] }
  ]);
  await chat.say('How many people must we ask for a margin of 3 %?');
  await chat.expectState(0, 'succeeded');
  await chat
    .pair(0)
    .getByRole('group', { name: 'Reasoning' })
    .getByRole('button')
    .click();
  await chat.say('Which groups first?');
  await chat.expectState(1, 'succeeded');
  await chat
    .pair(1)
    .getByRole('button', { name: /^Do not send/ })
    .click();
  await attach(chat, {
    name: 'districts.csv',
    buffer: Buffer.from('district,people\nnorth,1200\nsouth,900\n')
  });
  await chat.message.fill('And per district?');
  const request = new RequestUI(chat);
  await request.open();
  await withoutNotices(page);
  await take(page, 'guide/turn.png');

  await dress(page, 'JupyterLab Dark');
  await chat.choose(0);
  await chat.begin('turnbook:show-response');
  await expect(page.getByRole('dialog')).toContainText('sha256');
  await take(page, 'guide/response.png');
});

test('a chat beside its notebook', async ({ page, provider, tmpPath }) => {
  const beside = new Beside(page);
  const { chat } = beside;
  const path = `${tmpPath}/survey.ipynb`;
  await beside.prepare(path, [
    {
      cell_type: 'markdown',
      id: 'title',
      metadata: {},
      source: '# Sample size'
    },
    {
      cell_type: 'code',
      id: 'margin',
      metadata: {},
      execution_count: 1,
      source:
        'margin = 0.03\nshare = 0.5\nprint(f"{margin:.0%} at {share:.0%}")',
      outputs: [{ output_type: 'stream', name: 'stdout', text: '3% at 50%\n' }]
    }
  ]);
  await alone(page);
  await beside.button.click();
  await expect(chat.message).toBeFocused();
  await provider.script([{ steps: [{ delta: CODE }, ...ENDED] }]);
  await chat.message.pressSequentially('@margin');
  await page
    .getByRole('listbox', { name: 'References' })
    .getByRole('option', { name: /cell 2/ })
    .first()
    .click();
  await expect(beside.chips).toHaveCount(1);
  await chat.say('How many people must we ask?');
  await chat.expectState(0, 'succeeded');
  await chat.message.pressSequentially('@survey');
  await expect(
    page.getByRole('listbox', { name: 'References' }).getByRole('option').nth(1)
  ).toBeVisible();
  await withoutNotices(page);
  await take(page, 'guide/beside.png');
});
