import type { IModelInfo, IModelList } from '../../base/run';
import { groupModels, listProblems, splitId } from '../models';

const model = (id: string): IModelInfo => {
  const { provider, name } = splitId(id);
  return { id, provider, model: name, window: null, price: null };
};
const list = (...ids: string[]): IModelList => ({
  providers: ids.map(id => id.split('/')[0]),
  models: ids.map(model),
  errors: [],
  default: 'local/smollm2'
});

describe('groupModels', () => {
  it('groups by provider in the order of the list', () => {
    const groups = groupModels(
      list('local/smollm2', 'b/x', 'a/y', 'b/z'),
      'b/x'
    );
    expect(
      groups.map(group => [group.provider, group.options.map(o => o.name)])
    ).toEqual([
      ['local', ['smollm2']],
      ['b', ['x', 'z']],
      ['a', ['y']]
    ]);
  });

  it('keeps slashes in the names of models', () => {
    expect(splitId('openrouter/meta/llama')).toEqual({
      provider: 'openrouter',
      name: 'meta/llama'
    });
  });

  it('adds the current model where it is not listed, to its own group', () => {
    const groups = groupModels(list('a/x'), 'a/gone');
    expect(groups).toHaveLength(1);
    expect(groups[0].options[1]).toEqual({
      id: 'a/gone',
      name: 'gone',
      listed: false
    });
  });

  it('shows the current model before there is a list, and nothing for none', () => {
    expect(groupModels(null, 'down/x')[0].options[0].id).toBe('down/x');
    expect(groupModels(null, '')).toEqual([]);
  });
});

describe('listProblems', () => {
  it('names each provider with its error', () => {
    const error = {
      type: 'network' as const,
      code: 'network',
      status: null,
      message: 'Connection refused.',
      retryAfter: null,
      finish: null
    };
    expect(
      listProblems(
        { ...list(), errors: [{ provider: 'ollama', error }] },
        'No server.'
      )
    ).toEqual(['No server.', 'ollama: [error: network] Connection refused.']);
  });
});
