import { Chat } from '../support/chat';
import { expect, test } from '../support/fixtures';
import { resumesBy } from '../support/models';
import { messagesOf } from '../support/request';

const WORDS =
  'Continue your last reply exactly where it stopped. Do not repeat any of it.';

test.describe('continue reply', () => {
  test('puts words into the composer that ask for it, which are sent as they are', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    await chat.create(tmpPath);
    await provider.script({
      steps: [{ delta: 'One two' }, { finish: 'length' }, { done: true }]
    });
    await chat.say('Count');
    await chat.expectState(0, 'succeeded');
    await expect(chat.pair(0)).toContainText('cut at the length limit');
    const button = chat.pair(0).getByRole('button', { name: 'Continue reply' });
    await expect(chat.stop).toHaveCount(0);
    await button.click();
    await expect(chat.message).toBeFocused();
    await expect(chat.message).toHaveValue(WORDS);
    expect(await provider.completions()).toHaveLength(1);

    // What was being written stays.
    await chat.message.fill('Up to four');
    await button.click();
    await expect(chat.message).toHaveValue(`${WORDS}\n\nUp to four`);
    await chat.message.fill(WORDS);
    await expect(chat.send).toBeEnabled();
    await provider.reply(' three four');
    await chat.message.press('Enter');
    await expect(chat.pair(1)).toContainText('three four');
    const [, sent] = await provider.completions(2);
    expect(messagesOf(sent)).toEqual([
      { role: 'user', content: 'Count' },
      { role: 'assistant', content: 'One two' },
      { role: 'user', content: WORDS }
    ]);

    // It is not the last reply any more.
    await chat.expectState(1, 'succeeded');
    await expect(chat.stop).toHaveCount(0);
    await chat.message.fill('');
    await button.click();
    await expect(page.locator('.Toastify')).toContainText(
      'Only the last reply can be continued.'
    );
    await expect(chat.message).toHaveValue('');
  });

  test('gives a stopped reply to a provider that goes on from it as the last message @fresh', async ({
    page,
    provider,
    servers,
    tmpPath
  }) => {
    const chat = new Chat(page);
    await chat.create(tmpPath);
    await resumesBy(chat, 'prefill', servers);
    await provider.script([
      { steps: [{ delta: 'One two ' }, { stall: true }] },
      {
        steps: [{ delta: 'three four.' }, { finish: 'stop' }, { done: true }]
      }
    ]);
    await chat.say('Count');
    await expect(chat.pair(0)).toContainText('One two');
    await chat.stop.click();
    await chat.expectState(0, 'canceled');
    await expect(chat.stop).toHaveCount(0);
    const button = chat.pair(0).getByRole('button', { name: 'Continue reply' });

    // Nothing is sent past Pause & review.
    const pause = chat.panel.getByRole('switch', { name: 'Pause & review' });
    await pause.click();
    await button.click();
    await expect(chat.message).toHaveValue(WORDS);
    expect(await provider.completions()).toHaveLength(1);
    await chat.message.fill('');
    await pause.click();
    await expect(pause).not.toBeChecked();

    await button.click();
    await expect(chat.pair(0)).toContainText('One two three four.');
    await chat.expectState(0, 'succeeded');
    await expect(chat.message).toHaveValue('');
    const [, sent] = await provider.completions(2);
    expect(messagesOf(sent)).toEqual([
      { role: 'user', content: 'Count' },
      { role: 'assistant', content: 'One two ' }
    ]);
  });

  test('continues the version that is shown, and never another one @fresh', async ({
    page,
    provider,
    servers,
    tmpPath
  }) => {
    const chat = new Chat(page);
    await chat.create(tmpPath);
    await resumesBy(chat, 'prefill', servers);
    await provider.script([
      { steps: [{ delta: 'One two ' }, { stall: true }] },
      { steps: [{ delta: 'Drei ' }, { stall: true }] }
    ]);
    const pair = chat.pair(0);
    const stopped = async (text: string) => {
      await expect(pair).toContainText(text);
      await chat.stop.click();
      await chat.expectState(0, 'canceled');
      await expect(chat.stop).toHaveCount(0);
    };
    await chat.say('Count');
    await stopped('One two');
    await chat.choose(0);
    await chat.resendByKey(pair, 'Zähle');
    await stopped('Drei');
    await pair.getByRole('button', { name: 'Previous version' }).click();
    await pair.getByRole('button', { name: 'Restore' }).click();
    await expect(pair.locator('.jp-Turnbook-pastVersion')).toHaveCount(0);
    await expect(pair).toContainText('One two');
    await pair.getByRole('button', { name: 'Continue reply' }).click();
    await expect(chat.message).toHaveValue(WORDS);
    expect(await provider.completions()).toHaveLength(2);
  });
});
