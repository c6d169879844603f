import fc from 'fast-check';

import { addChunk, EMPTY_REPLY } from '../reply';
import { addCalls, finishedCalls, type ICallState } from '../toolcalls';

/** What a run's chunks add up to. */
function calls(...chunks: unknown[]) {
  const state = chunks.reduce<readonly ICallState[]>(addCalls, []);
  return finishedCalls(state, '01234567-89ab');
}

const piece = (index: number | undefined, rest: object) => ({
  ...(index === undefined ? {} : { index }),
  ...rest
});

const made = (id: string, name: string, given: string) => ({
  id,
  type: 'function',
  function: { name, arguments: given }
});

describe('tool calls that arrive in pieces', () => {
  it('are joined by their index', () => {
    expect(
      calls(
        [piece(0, made('a', 'weather', ''))],
        [piece(0, { function: { arguments: '{"city":' } })],
        [piece(1, made('b', 'wind', '{'))],
        [
          piece(0, { function: { arguments: '"Oslo"}' } }),
          piece(1, { function: { arguments: '}' } })
        ]
      )
    ).toEqual([
      made('a', 'weather', '{"city":"Oslo"}'),
      made('b', 'wind', '{}')
    ]);
  });

  it.each([
    [
      'no numbers',
      [
        [piece(undefined, made('a', 'f', '{'))],
        [piece(undefined, { function: { arguments: '}' } })],
        [piece(undefined, made('b', 'g', '{}'))]
      ]
    ],
    [
      'one number for all',
      [[piece(0, made('a', 'f', '{}'))], [piece(0, made('b', 'g', '{}'))]]
    ],
    [
      'names and ids in every piece',
      [
        [piece(0, made('a', 'f', '{'))],
        [piece(0, made('a', 'f', '}'))],
        [piece(1, made('b', 'g', '{}'))]
      ]
    ],
    [
      'arguments that are JSON already',
      [
        [piece(0, { id: 'a', function: { name: 'f', arguments: {} } })],
        [piece(1, { id: 'b', function: { name: 'g', arguments: {} } })]
      ]
    ],
    [
      'names in pieces',
      [
        [piece(0, { id: 'a', function: { name: 'f', arguments: '{}' } })],
        [piece(1, { id: 'b', function: { name: '' } })],
        [piece(1, { id: null, function: { name: 'g', arguments: '{}' } })]
      ]
    ]
  ])('are put together with %s', (_, chunks) => {
    expect(calls(...chunks)).toEqual([
      made('a', 'f', '{}'),
      made('b', 'g', '{}')
    ]);
  });

  it('get an id if the provider gave none, the same one each time', () => {
    const nameless = () => calls([piece(0, { function: { name: 'f' } })])[0].id;
    expect(nameless()).toBe('call_01234567_1');
    expect(nameless()).toBe(nameless());
  });

  it('keep other fields, since the provider may expect them back', () => {
    const more = { extra_content: { google: { thought_signature: 'x' } } };
    expect(calls([piece(0, { ...made('a', 'f', '{}'), ...more })])[0]).toEqual({
      ...made('a', 'f', '{}'),
      ...more
    });
  });

  it('keep any key of their arguments and other fields', () => {
    const key = fc.constantFrom('__proto__', 'constructor', 'toString', 'a');
    const object = fc.dictionary(key, fc.dictionary(key, fc.jsonValue()));
    fc.assert(
      fc.property(object, object, (given, more) => {
        const said = { ...more, ...made('c', 'f', '') };
        const [call] = calls(
          [piece(0, { ...said, function: { name: 'f', arguments: given } })],
          [piece(0, more)]
        );
        const { id, type, function: sent, ...rest } = call;
        expect(JSON.stringify((sent as any).arguments)).toBe(
          JSON.stringify(JSON.stringify(given))
        );
        expect(JSON.stringify(rest)).toBe(JSON.stringify(more));
      })
    );
  });

  it('survive whatever a provider sends', () => {
    const reply = fc.array(
      fc.oneof(
        fc.jsonValue(),
        fc.record({
          index: fc.oneof(fc.integer(), fc.jsonValue()),
          id: fc.jsonValue(),
          function: fc.oneof(
            fc.jsonValue(),
            fc.record({ name: fc.jsonValue(), arguments: fc.jsonValue() })
          )
        })
      )
    );
    fc.assert(
      fc.property(fc.array(reply, { maxLength: 5 }), chunks => {
        for (const call of calls(...chunks)) {
          expect(call).toMatchObject({
            id: expect.any(String) as string,
            type: expect.any(String) as string,
            function: {
              name: expect.any(String) as string,
              arguments: expect.any(String) as string
            }
          });
        }
      })
    );
  });

  it('coexist with the text of the same reply', () => {
    const chunk = (delta: object) => ({ choices: [{ index: 0, delta }] });
    let reply = addChunk(EMPTY_REPLY, chunk({ content: 'Look. ' }));
    reply = addChunk(
      reply,
      chunk({ content: null, tool_calls: [piece(0, made('a', 'f', '{}'))] })
    );
    expect(reply.text).toBe('Look. ');
    expect(reply.calls).toHaveLength(1);
  });
});
