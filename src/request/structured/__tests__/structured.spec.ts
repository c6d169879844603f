import fc from 'fast-check';

import { checkSchema, MAX_ERRORS, type SchemaCheck } from '../checkschema';
import { findJson, type IFoundJson } from '../findjson';
import { replyFormat, type IReplyFormat } from '../format';
import { judge, readJson, type Verdict } from '../judge';
import { optionPlaces } from '../optionplaces';
import { schemaErrors } from '../schemaerrors';

const check = (json: string, schema: string): Promise<SchemaCheck> =>
  Promise.resolve(checkSchema(json, schema));

async function judged(
  text: string,
  schema: unknown,
  checks = check
): Promise<Verdict> {
  const read = readJson(text, false);
  if (read.kind !== 'json') {
    throw new Error(`not JSON: ${text}`);
  }
  const format: IReplyFormat = { name: '', schema };
  return judge(text, read, format, checks);
}

const CITY = {
  type: 'object',
  properties: {
    city: { type: 'string' },
    zip: { type: 'string', pattern: '^\\d{4}$' },
    at: { type: 'array', items: { type: 'number', maximum: 90 } }
  },
  required: ['city', 'zip'],
  additionalProperties: false
};

describe('the format of a reply', () => {
  it('is what its request asked for', () => {
    const schema = { type: 'object' };
    expect(
      replyFormat({
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'city', schema }
        }
      })
    ).toEqual({ name: 'city', schema });
    expect(replyFormat({ response_format: { type: 'json_object' } })).toEqual({
      name: '',
      schema: null
    });
    expect(
      replyFormat({ response_format: { type: 'json_object', schema } })
    ).toEqual({ name: '', schema });
  });

  it('is free for anything else that a file may say', () => {
    expect(replyFormat(undefined)).toBeNull();
    expect(replyFormat({ response_format: { type: 'text' } })).toBeNull();
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        const format = replyFormat({ response_format: value } as never);
        expect(format === null || typeof format.name === 'string').toBe(true);
      })
    );
  });
});

describe('the JSON of a reply', () => {
  it('is copied as it was written, in a code block too', () => {
    const space = fc.constantFrom('', ' ', '\n', '\n\n', '\t');
    const json = fc.oneof(
      fc.json({ maxDepth: 4 }),
      fc.jsonValue().map(value => JSON.stringify(value, null, 2))
    );
    fc.assert(
      fc.property(
        json,
        space,
        space,
        fc.constantFrom('', 'json', 'JSON'),
        (json, before, after, language) => {
          const plain = findJson(before + json + after) as IFoundJson;
          expect(plain.around).toBe('nothing');
          const found = (before + json + after).slice(plain.from, plain.to);
          expect(found.trim()).toBe(json.trim());

          const fenced = `${before}\`\`\`${language}\n${json}\n\`\`\`${after}`;
          const inside = findJson(
            before.trim() === '' ? fenced.trimStart() : fenced
          );
          expect(inside).toMatchObject({ around: 'fence' });
          const { from, to } = inside as IFoundJson;
          expect(fenced.trimStart().slice(from, to).trim()).toBe(json.trim());
        }
      )
    );
  });

  it('keeps large numbers and duplicate keys', () => {
    const text = '{"id": 12345678901234567890, "a": 1.0, "a": 1e400}';
    expect(readJson(text, false)).toMatchObject({ kind: 'json', json: text });
  });

  it('is found between words, if there is one', () => {
    const text = 'Here it is:\n\n```json\n{"a": 1}\n```\n\nAnything else?';
    expect(readJson(text, false)).toMatchObject({
      found: { around: 'words' },
      json: '{"a": 1}\n'
    });
    const two = '```json\n{"a": 1}\n```\n```json\n{"a": 2}\n```';
    expect(readJson(two, false)).toEqual({
      kind: 'no-json',
      line: 1,
      column: 1
    });
  });

  it('says where it is wrong', () => {
    expect(readJson('{"a": 1,\n "b": }', false)).toEqual({
      kind: 'no-json',
      line: 2,
      column: 7
    });
    expect(readJson('```json\n{"a": 1,\n "b": }\n```', false)).toEqual({
      kind: 'no-json',
      line: 3,
      column: 7
    });
    expect(readJson('Sorry, I cannot.', false)).toEqual({
      kind: 'no-json',
      line: 1,
      column: 1
    });
  });

  it('is not judged if the reply was cut off', () => {
    expect(readJson('{"a": ', true)).toEqual({ kind: 'incomplete' });
    expect(readJson('{"a": 1}', true)).toEqual({ kind: 'incomplete' });
  });

  it('is never an exception, whatever the reply is', () => {
    const odd = fc.constantFrom(
      '```',
      '~~~',
      '```json\n',
      '{',
      '"',
      '\ud800',
      '\u2028',
      '__proto__',
      '\0'
    );
    fc.assert(
      fc.property(
        fc.array(fc.oneof(odd, fc.string()), { maxLength: 12 }),
        pieces => {
          const read = readJson(pieces.join(''), false);
          expect(['json', 'no-json']).toContain(read.kind);
        }
      )
    );
  });
});

describe('a reply and its schema', () => {
  it('match, or the errors have their places', async () => {
    expect(await judged('{"city": "Bern", "zip": "3000"}', CITY)).toEqual({
      kind: 'right'
    });
    const text = '{\n  "zip": "30",\n  "at": [46.9, 97],\n  "x": 1\n}';
    const verdict = await judged(text, CITY);
    expect(verdict).toMatchObject({ kind: 'wrong', more: 0 });
    const { errors } = verdict as Verdict & { kind: 'wrong' };
    expect(errors).toEqual(
      expect.arrayContaining([
        { path: [], message: 'this needs city', line: 1, column: 1 },
        { path: [], message: 'this cannot have x', line: 1, column: 1 },
        {
          path: ['zip'],
          message: 'zip does not match the pattern ^\\d{4}$',
          line: 2,
          column: 10
        },
        {
          path: ['at', 1],
          message: 'at.1 must be <= 90',
          line: 3,
          column: 16
        }
      ])
    );
  });

  it('have places in the reply, not in the code block', async () => {
    const verdict = await judged('Look:\n```json\n{"city": 1}\n```', {
      properties: { city: { type: 'string' } }
    });
    expect(verdict).toMatchObject({
      errors: [{ path: ['city'], line: 3, column: 10 }]
    });
  });

  it('take the last of duplicate keys', async () => {
    const schema = { properties: { a: { type: 'string' } } };
    expect(await judged('{"a": 1, "a": "x"}', schema)).toEqual({
      kind: 'right'
    });
    expect(await judged('{"a": "x", "a": 1}', schema)).toMatchObject({
      errors: [{ line: 1, column: 17 }]
    });
  });

  it('know keys that look like places in a list', async () => {
    const schema = { additionalProperties: { type: 'string' } };
    expect(await judged('{"0": 1}', schema)).toMatchObject({
      errors: [{ path: ['0'], line: 1, column: 7 }]
    });
  });

  it('know that any JSON must be an object', async () => {
    expect(await judged(' {}', null)).toEqual({ kind: 'right' });
    expect(await judged('[1]', null)).toMatchObject({ kind: 'wrong' });
  });

  it('know only keys that are there', async () => {
    const schema = { required: ['toString', '__proto__'] };
    expect(await judged('{}', schema)).toMatchObject({ kind: 'wrong' });
    const text = '{"toString": 1, "__proto__": {"a": 1}}';
    expect(await judged(text, schema)).toEqual({ kind: 'right' });
    expect(({} as Record<string, unknown>).a).toBeUndefined();
  });

  it('are written in any of the dialects', async () => {
    const old = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      items: [{ type: 'string' }]
    };
    expect(await judged('[1]', old)).toMatchObject({ kind: 'wrong' });
    const now = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      prefixItems: [{ $ref: '#/$defs/text' }],
      $defs: { text: { type: 'string' } }
    };
    expect(await judged('[1]', now)).toMatchObject({ kind: 'wrong' });
    expect(await judged('["a"]', now)).toEqual({ kind: 'right' });
  });

  it('are not compared if the schema is no schema, or has no end', async () => {
    for (const schema of [
      { type: 'strng' },
      { $ref: 'https://example.org/elsewhere.json' },
      { $ref: '#' },
      { $async: true, type: 'object' },
      { properties: 5 },
      'object',
      [1]
    ]) {
      expect([schema, await judged('{"a": 1}', schema)]).toEqual([
        schema,
        { kind: 'unchecked', why: expect.stringMatching(/./) }
      ]);
    }
  });

  it('are not compared if they are too large', async () => {
    const never = () => Promise.reject(new Error('checked'));
    let deep: unknown = {};
    for (let n = 0; n < 10_000; n++) {
      deep = { not: deep };
    }
    expect(await judged('{}', deep, never)).toMatchObject({
      kind: 'unchecked'
    });
    const long = { enum: ['x'.repeat(300_000)] };
    expect(await judged('{}', long, never)).toMatchObject({
      kind: 'unchecked'
    });
  });

  it('are compared for hostile replies too', async () => {
    const deep = '['.repeat(10_000) + ']'.repeat(10_000);
    const list = { items: { $ref: '#' } };
    const verdict = await judged(deep, list);
    // Either it is checked, or it is too deep for that.
    expect(['right', 'unchecked']).toContain(verdict.kind);
    const wide = JSON.stringify(Array.from({ length: 100_000 }, () => 1));
    const many = await judged(wide, { items: { type: 'string' } });
    expect(many).toMatchObject({
      kind: 'wrong',
      more: 100_000 - MAX_ERRORS
    });
    expect(await judged('"\\ud800"', { type: 'string' })).toEqual({
      kind: 'right'
    });
  });

  it('never throw, for any schema and any JSON', () => {
    const keyword = fc.constantFrom(
      'type',
      'properties',
      'required',
      'items',
      'enum',
      'const',
      '$ref',
      'pattern',
      'minimum',
      'anyOf',
      '$id',
      '$async',
      'format',
      '__proto__',
      'toString'
    );
    fc.assert(
      fc.property(
        fc.dictionary(keyword, fc.jsonValue({ maxDepth: 2 })),
        fc.json({ maxDepth: 2 }),
        (schema, json) => {
          const result = checkSchema(json, JSON.stringify(schema));
          expect(result).toBeInstanceOf(Object);
          schemaErrors(schema as never);
        }
      )
    );
  });
});

describe('a schema', () => {
  it('says what is wrong with it, and where', () => {
    expect(schemaErrors({ type: 'strng' })[0]).toEqual({
      path: ['type'],
      message: expect.stringContaining('type must be one of "array"')
    });
    expect(schemaErrors({ properties: { a: { pattern: '(' } } })).toMatchObject(
      [{ path: ['properties', 'a', 'pattern'] }]
    );
    expect(schemaErrors({ items: { $ref: '#/$defs/b' } })).toMatchObject([
      { path: ['items', '$ref'] }
    ]);
    expect(schemaErrors({ required: 'a' })).toMatchObject([
      { path: ['required'] }
    ]);
    expect(schemaErrors('object')).toHaveLength(1);
  });

  it('may have keys and values that look like keywords', () => {
    expect(
      schemaErrors({
        properties: { pattern: { type: 'string' }, $ref: { type: 'string' } },
        const: { $ref: '#/nowhere', pattern: '(' },
        additionalProperties: false
      })
    ).toEqual([]);
    // Services take patterns that only some readers accept.
    expect(schemaErrors({ pattern: '^[a-z\\_]+\\@$' })).toEqual([]);
  });
});

describe('a response format that is written', () => {
  const written = (schema: unknown) =>
    JSON.stringify(
      { type: 'json_schema', json_schema: { name: 'a', schema } },
      null,
      2
    );

  it('is taken if it is one', () => {
    expect(optionPlaces('response_format', written(CITY))).toEqual([]);
    expect(optionPlaces('response_format', '{"type": "json_object"}')).toEqual(
      []
    );
  });

  it('says where it is wrong', () => {
    const text = written({ type: 'object', properties: { a: { type: 'x' } } });
    const [place] = optionPlaces('response_format', text);
    expect(text.slice(place.from, place.to)).toBe('"x"');
    expect(place.message).toMatch(/line 9, column 19/);
    const [syntax] = optionPlaces('response_format', '{"type": }');
    expect(syntax).toMatchObject({ from: 9, to: 10 });
    expect(optionPlaces('response_format', '{}')).toMatchObject([
      { message: expect.stringContaining('needs type') }
    ]);
  });
});
