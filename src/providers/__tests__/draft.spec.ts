import type { IProvider } from '../../base/run';
import {
  continuationOf,
  draftOf,
  forgetsKey,
  fromPreset,
  inputOf,
  keepsKey,
  NEW_DRAFT,
  problemsOf,
  withAddress,
  type IDraft
} from '../draft';
import { english } from '../../runs/__tests__/english';

const stored: IProvider = {
  name: 'box',
  baseUrl: 'http://localhost:8000/v1',
  key: 'set',
  source: 'user',
  editable: true,
  models: ['a'],
  continuation: 'restart',
  reasoning: 'always',
  timeouts: { connect: 5 }
};

describe('a draft of a stored provider', () => {
  it('never contains the key, keeps it, and sends hidden settings unchanged', () => {
    const draft = draftOf(stored);
    expect(draft.key).toBe('');
    expect(keepsKey(draft)).toBe(true);
    expect(inputOf(draft)).toEqual({
      baseUrl: stored.baseUrl,
      models: ['a'],
      continuation: 'restart',
      reasoning: 'always',
      timeouts: { connect: 5 }
    });
  });

  it('drops the key with another URL unless a new one is typed', () => {
    const moved = { ...draftOf(stored), baseUrl: 'http://localhost:9000/v1' };
    expect(keepsKey(moved)).toBe(false);
    expect(forgetsKey(moved)).toBe(true);
    expect(forgetsKey({ ...moved, key: 'k' })).toBe(false);
    expect(inputOf({ ...moved, key: ' k ' })).toMatchObject({
      baseUrl: 'http://localhost:9000/v1',
      key: 'k'
    });
  });

  it('keeps how it resumes, but does not assume that another URL can continue', () => {
    const goesOn = draftOf({ ...stored, continuation: 'prefill' });
    const moved = { ...goesOn, baseUrl: 'http://localhost:9000/v1' };
    expect(inputOf(goesOn).continuation).toBe('prefill');
    expect('continuation' in inputOf(moved)).toBe(false);
    expect(
      inputOf({ ...draftOf(stored), baseUrl: moved.baseUrl })
    ).toMatchObject({ continuation: 'restart' });
    expect(continuationOf(moved)).toBe('restart');
    expect(continuationOf(goesOn)).toBe('prefill');
    // What was chosen or found is kept, except for a URL of which nothing is known.
    const instructed = { ...goesOn, continuation: 'instruct' as const };
    expect(continuationOf(instructed)).toBe('instruct');
    const elsewhere = (draft: IDraft) =>
      continuationOf(withAddress(draft, moved.baseUrl));
    expect(elsewhere(instructed)).toBe('instruct');
    expect(elsewhere({ ...goesOn, continuation: 'prefill' })).toBe('restart');
    // The result of a test with these settings counts.
    expect(inputOf({ ...moved, continuation: 'prefill' })).toMatchObject({
      continuation: 'prefill'
    });
  });

  it.each([' http://localhost:8000/v1/ ', 'HTTP://LocalHost:8000/v1'])(
    'takes %j for the same address',
    baseUrl => {
      const draft = { ...draftOf(stored), baseUrl };
      expect(forgetsKey(draft)).toBe(false);
      expect(inputOf(draft).baseUrl).toBe(stored.baseUrl);
    }
  );

  it('has no problem with its own name', () => {
    expect(problemsOf(draftOf(stored), [stored], english)).toEqual({
      name: null,
      baseUrl: null
    });
  });
});

describe('a draft of a new provider', () => {
  it('needs an unused name and a URL', () => {
    const problems = problemsOf(
      { ...NEW_DRAFT, name: ' box ' },
      [stored],
      english
    );
    expect(problems.name).toContain('already');
    expect(problems.baseUrl).toContain('Enter the address');
  });

  it('takes name and URL from a preset, and no key', () => {
    const draft = fromPreset({
      name: 'ollama',
      title: 'Ollama',
      baseUrl: 'http://localhost:11434/v1',
      needsKey: false
    });
    expect(problemsOf(draft, [stored], english)).toEqual({
      name: null,
      baseUrl: null
    });
    expect(inputOf(draft)).toEqual({ baseUrl: 'http://localhost:11434/v1' });
  });
});
