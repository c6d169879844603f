import { Chat } from '../support/chat';
import { expect, test } from '../support/fixtures';

test.describe('the embedded model', () => {
  test('answers a message with no key and no network @fresh', async ({
    page,
    provider,
    tmpPath
  }) => {
    const chat = new Chat(page);
    const file = await chat.create(tmpPath);
    await chat.model.selectOption({ label: 'SmolLM2-135M-Instruct' });
    await chat.say('Write one short sentence about the sea.');
    await chat.expectState(0, 'succeeded');
    const saved = await chat.saved(
      file,
      notebook => notebook.cells[0].outputs.length === 1
    );
    const reply = saved.cells[0].outputs[0].data['text/markdown'];
    expect([reply].flat().join('').trim().length).toBeGreaterThan(5);
    const run = saved.cells[0].metadata.turnbook_run;
    expect(run.model).toBe('local/SmolLM2-135M-Instruct');
    expect(run.usage.completion_tokens).toBeGreaterThan(0);
    expect(await provider.completions()).toEqual([]);
  });
});
