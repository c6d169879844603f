import * as openai from 'gpt-tokenizer/models.gen';

import { DEFAULT_WINDOW, modelWindow, softCap } from '../windows';

/** What the tokenizer's package says of OpenAI's models. */
const models = Object.values(openai) as {
  name: string;
  context_window?: number;
}[];

describe('modelWindow', () => {
  it('uses the provider first, then the table, then the setting', () => {
    const setting = { '*': 7000 };
    expect(modelWindow('p/gpt-4o', 9000, setting)).toEqual({
      tokens: 9000,
      source: 'provider'
    });
    expect(modelWindow('p/gpt-4o', null, setting)).toEqual({
      tokens: 128_000,
      source: 'table'
    });
    expect(modelWindow('p/nobody-knows', null, setting)).toEqual({
      tokens: 7000,
      source: 'setting'
    });
    expect(modelWindow('p/nobody-knows', null)).toEqual({
      tokens: DEFAULT_WINDOW,
      source: 'default'
    });
  });

  it.each([0, -1, NaN, Infinity])('ignores a window of %s', bad => {
    expect(modelWindow('p/m', bad, { m: bad }).source).toBe('default');
  });

  it.each([
    ['openai/gpt-4o-mini', 128_000],
    ['openai/gpt-4.1-nano', 1_047_576],
    ['openai/o3-mini', 200_000],
    ['openrouter/anthropic/claude-3.5-sonnet', 200_000],
    ['groq/llama-3.3-70b-versatile', 131_072],
    ['hub/meta-llama/Meta-Llama-3.1-8B-Instruct', 131_072],
    ['ollama/llama3:8b', 8192],
    ['mistral/mistral-large-latest', 131_072],
    ['google/gemini-2.5-flash', 1_048_576],
    ['hub/Qwen/Qwen2.5-7B-Instruct', 32_768],
    ['local/SmolLM2-135M-Instruct', 8192]
  ])('knows %s', (model, window) => {
    expect(modelWindow(model, null)).toEqual({
      tokens: window,
      source: 'table'
    });
  });

  it('never claims more for a model of OpenAI than it can take', () => {
    let known = 0;
    for (const { name, context_window: window } of models) {
      const { tokens, source } = modelWindow(`openai/${name}`, null);
      if (window && source === 'table') {
        known++;
        expect([name, tokens <= window]).toEqual([name, true]);
      }
    }
    expect(known).toBeGreaterThan(50);
  });

  it('uses the most specific line of the setting', () => {
    const setting = {
      '*': 1,
      'my-*': 2,
      'my-model*': 3,
      'my-model-x': 4,
      'lab/my-model-x': 5
    };
    const window = (model: string) => modelWindow(model, null, setting).tokens;
    expect(window('lab/other')).toBe(1);
    expect(window('lab/my-own')).toBe(2);
    expect(window('lab/My-Model-7')).toBe(3);
    expect(window('home/my-model-x')).toBe(4);
    expect(window('lab/my-model-x')).toBe(5);
  });
});

describe('softCap', () => {
  it('is 120k of 128k and the same ratio elsewhere', () => {
    expect(softCap(128_000)).toBe(120_000);
    expect(softCap(8192)).toBe(7680);
    expect(softCap(1)).toBe(0);
  });
});
