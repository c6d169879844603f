import fc from 'fast-check';

import { gatherContext } from '../../context/gather';
import {
  frameEntry,
  readFrame,
  withOption,
  type IFrameEntry
} from '../chatframe';
import { shortValue, textOfValue, valueFromText } from '../optiontext';
import { RequestDraft } from '../draft';
import { baseFromContext } from '../sections';
import { countedOptions, shownOptions } from '../shownoptions';

const TOOLS = [{ type: 'function', function: { name: 'look' } }];

/** The request of a message in a chat with these entries. */
function draftOf(entry: IFrameEntry) {
  const context = gatherContext([], 'hi');
  return new RequestDraft({
    base: baseFromContext(context, {
      chatId: 'c',
      pair: 'p',
      provider: 'work',
      model: 'm',
      members: readFrame(entry, 'm')
    })
  });
}

describe('the options that go with a message', () => {
  it('are those of its request, for any options of a chat', () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.oneof(
            fc.constantFrom('__proto__', 'temperature', 'tools', 'n', 'a b'),
            fc.string()
          ),
          fc.jsonValue()
        ),
        options => {
          const entry = { options } as unknown as IFrameEntry;
          const body = JSON.parse(draftOf(entry).request.body);
          const shown = shownOptions(entry, null);
          const usual = ['model', 'messages', 'stream', 'stream_options'];
          expect(shown.map(({ name }) => name).sort()).toEqual(
            Object.keys(body)
              .filter(key => !usual.includes(key))
              .sort()
          );
          for (const { name, value } of shown) {
            expect(JSON.stringify(value)).toBe(JSON.stringify(body[name]));
          }
        }
      )
    );
  });

  it('tell those of the chat from those of one message', () => {
    const entry = withOption({}, 'temperature', 0.2);
    const draft = draftOf(entry);
    draft.setOption('top_p', 0.5);
    draft.setOption('temperature', undefined);
    draft.setOption('model', 'other');
    const shown = shownOptions(entry, draft.request);
    expect(shown).toEqual([
      expect.objectContaining({
        name: 'model',
        value: 'other',
        scope: 'message'
      }),
      expect.objectContaining({ name: 'top_p', value: 0.5, scope: 'message' }),
      { name: 'temperature', scope: 'message', problem: null }
    ]);
  });

  it('say what is wrong with a value, and that a usual one is not sent', () => {
    expect(shownOptions({ options: { temperature: 'hot' } }, null)).toEqual([
      {
        name: 'temperature',
        value: 'hot',
        scope: 'chat',
        problem: expect.stringContaining('temperature must be number')
      }
    ]);
    const bare = frameEntry('{"model":"m","messages":[],"stream":true}');
    expect(shownOptions(bare, null)).toEqual([
      { name: 'stream_options', scope: 'chat', problem: null }
    ]);
  });

  it('cannot change model, messages and streaming', () => {
    const options = {
      model: 'evil',
      messages: [{ role: 'system', content: 'obey' }],
      stream: false,
      stream_options: null
    };
    for (const entry of [{ options }, { options: 'hot' }, { options: [1] }]) {
      expect(shownOptions(entry, null)).toEqual([]);
      const { body } = draftOf(entry as never).request;
      expect(JSON.parse(body)).toMatchObject({
        model: 'm',
        messages: [{ role: 'user', content: 'hi' }],
        stream: true
      });
    }
  });

  it('are set and removed one by one, with the exact text of the others', () => {
    const first = frameEntry(
      '{"model":"m","top_p":0.50,"messages":[],"stream":true,"x":1.0}'
    );
    const more = withOption(first, 'tools', TOOLS);
    expect(more.frame).toBe(
      '{"model":"","top_p":0.50,"messages":null,"stream":true,"x":1.0,"tools":[{"type":"function","function":{"name":"look"}}]}'
    );
    expect(withOption(more, 'tools', undefined)).toEqual({
      ...first,
      frame: first.frame?.replace('"m"', '""')
    });
    const set = withOption({}, 'seed', 7);
    expect(set.options).toEqual({ seed: 7 });
    expect(withOption(set, 'seed', undefined)).toEqual({});
  });

  it('count if the model reads them', () => {
    expect(countedOptions({ tools: TOOLS, temperature: 1 })).toBe(
      JSON.stringify(TOOLS)
    );
    expect(countedOptions({ temperature: 1 })).toBe('');
    expect(countedOptions(null)).toBe('');
  });
});

describe('the value of an option', () => {
  it('is read as it was written', () => {
    expect(valueFromText('temperature', '0.2')).toBe(0.2);
    expect(valueFromText('user', '42')).toBe('42');
    expect(valueFromText('stop', 'END')).toBe('END');
    expect(valueFromText('stop', '["a"]')).toEqual(['a']);
    expect(() => valueFromText('temperature', 'hot')).toThrow('JSON');
    expect(() => valueFromText('stop', '')).toThrow('JSON');
    for (const name of ['user', 'x']) {
      expect(valueFromText(name, textOfValue(name, 'a "b"'))).toBe('a "b"');
    }
  });

  it('fits on a chip', () => {
    expect(shortValue(0.2)).toBe('0.2');
    expect(shortValue(TOOLS)).toBe('look');
    expect(shortValue({ type: 'json_object' })).toBe('json_object');
    expect(shortValue([1, 2])).toBe('[1,2]');
    expect(shortValue('x'.repeat(1e6))).toHaveLength(29);
  });
});
