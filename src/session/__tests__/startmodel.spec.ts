import type { IModelList } from '../../base/run';
import { startModel } from '../startmodel';

const LIST = {
  providers: ['local', 'work', 'down', 'empty'],
  models: [
    { id: 'local/small', provider: 'local', model: 'small', window: null },
    { id: 'work/large', provider: 'work', model: 'large', window: null }
  ],
  errors: [{ provider: 'down', error: {} }],
  default: 'local/small'
} as unknown as IModelList;

describe('the model of a chat for which none was chosen', () => {
  it.each([
    ['the server’s default', '', '', 'local/small', null],
    ['the last one', '', 'work/large', 'work/large', null],
    ['one that is not listed', '', 'work/new', 'work/new', null],
    ['one whose provider is down', '', 'down/it', 'down/it', null],
    ['one whose provider lists nothing', '', 'empty/it', 'empty/it', null],
    ['the setting first', 'work/large', 'down/it', 'work/large', null],
    ['without its provider', '', 'gone/it', 'local/small', 'gone/it'],
    ['without that of the setting', 'gone/it', 'down/it', 'down/it', 'gone/it'],
    ['without either', 'gone/it', 'lost/it', 'local/small', 'gone/it'],
    ['without a provider at all', 'gpt', '', 'local/small', 'gpt']
  ])('is %s', (_, wanted, last, model, missing) => {
    expect(startModel(wanted, last, LIST)).toEqual({ model, missing });
  });

  it('is the preferred one while the models are unknown', () => {
    const start = { model: 'gone/it', missing: null };
    expect(startModel('gone/it', '', null)).toEqual(start);
    expect(startModel('', 'gone/it', null)).toEqual(start);
    expect(startModel('', '', null)).toEqual({ model: '', missing: null });
  });
});
