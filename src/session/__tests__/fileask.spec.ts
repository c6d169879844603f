import { fileAsk } from '../fileask';

const NOTHING = { models: [], options: [] };

describe('what a file requests', () => {
  it('is its model, unless that is the embedded one or the user agreed', () => {
    expect(fileAsk({}, 'work/gpt', true, NOTHING)).toMatchObject({
      models: ['work/gpt'],
      choosesModel: true,
      options: []
    });
    expect(fileAsk({}, 'work/gpt', false, NOTHING)).toBeNull();
    expect(fileAsk({}, 'local/small', true, NOTHING)).toBeNull();
    expect(fileAsk({}, 'locals/small', true, NOTHING)).not.toBeNull();
    expect(fileAsk({}, '', true, NOTHING)).toBeNull();
    const agreed = { models: ['work/gpt'], options: [] };
    expect(fileAsk({}, 'work/gpt', true, agreed)).toBeNull();
    expect(fileAsk({}, 'work/gpt-pro', true, agreed)).not.toBeNull();
  });

  it('includes its options, even those that only the exact text has', () => {
    const options = { temperature: 2, tools: [] };
    const asks = fileAsk({ options }, 'work/gpt', false, NOTHING)!;
    expect(asks).toMatchObject({
      choosesModel: false,
      options: ['temperature', 'tools']
    });
    expect(fileAsk({ options }, 'work/gpt', true, asks.terms)).toBeNull();
    const other = { options: { ...options, temperature: 1 } };
    expect(fileAsk(other, 'work/gpt', true, asks.terms)).not.toBeNull();
    expect(fileAsk({ options }, 'local/small', true, NOTHING)).toBeNull();
    const frame =
      '{"model":"x","messages":null,"stream":true,"stream_options":{"a":1},"__proto__":{"b":2}}';
    expect(fileAsk({ frame }, 'work/gpt', false, NOTHING)?.options).toEqual([
      'stream_options',
      '__proto__'
    ]);
  });

  it('includes the models of replies that are asked for again, but not those that the user chose', () => {
    const models = ['work/a', 'local/small', 'work/b', 'work/a'];
    const theirs = { models, areChosen: false };
    const asks = fileAsk({}, 'local/small', true, NOTHING, theirs)!;
    expect(asks).toMatchObject({
      models: ['work/a', 'work/b'],
      choosesModel: true
    });
    expect(fileAsk({}, 'local/small', true, asks.terms, theirs)).toBeNull();
    const some = { models: ['work/a'], options: [] };
    expect(fileAsk({}, 'work/gpt', true, some, theirs)?.models).toEqual([
      'work/gpt',
      'work/b'
    ]);
    const mine = { models, areChosen: true };
    expect(fileAsk({}, 'local/small', true, NOTHING, mine)).toBeNull();
    const entry = { options: { seed: 1 } };
    expect(fileAsk(entry, 'local/small', true, NOTHING, mine)).toMatchObject({
      models: ['work/a', 'work/b'],
      choosesModel: false,
      options: ['seed']
    });
  });

  it('is nothing if it cannot be read', () => {
    for (const entry of [null, [], 'x', { options: 7 }, { frame: '{' }]) {
      expect(fileAsk(entry, 'work/gpt', false, NOTHING)).toBeNull();
    }
  });
});
