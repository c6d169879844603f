import type { PartialJSONObject } from '@lumino/coreutils';
import { readFileSync } from 'fs';

import { canonical } from '../../base/canonical';
import { notebookOf } from '../../document/chatfile';
import { bodyHash } from '../../request/render';
import { readSide } from '../read';
import type { ISource } from '../source';

const BODY = JSON.stringify({
  model: 'big',
  messages: [
    { role: 'user', content: 'One' },
    { role: 'assistant', content: 'First' },
    { role: 'user', content: 'Two' }
  ],
  temperature: 0.5,
  stream: true
});

/** The results of a rerun with options: two replies to one record. */
function results(options: PartialJSONObject) {
  const entry = (repeat: number, content: string) => ({
    record: bodyHash(BODY),
    provider: 'p',
    model: 'other',
    repeat,
    request: 'hash',
    reply: {
      content,
      tool_calls: [],
      usage: { prompt_tokens: 5, completion_tokens: repeat }
    },
    response: { sentAt: 3, ended: 2000 },
    cost: 0.5
  });
  return notebookOf(
    ['Hi', 'Ho'].map((text, at) => ({
      cell_type: 'code',
      id: `reply-${at}`,
      source: '',
      execution_count: null,
      metadata: { turnbook_result: entry(at + 1, text) },
      outputs: []
    })) as any[],
    {
      results: {
        records: [{ name: 'capital', hash: bodyHash(BODY), payload: BODY }],
        options
      }
    }
  );
}

function source(notebook: unknown): ISource {
  return {
    title: 'results',
    notebook,
    priceOf: () => null,
    getRequest: () => Promise.resolve(null)
  };
}

const texts = ({ said }: Awaited<ReturnType<typeof readSide>>) =>
  said.map(({ role, text, isReply }) => [role, text, isReply]);

describe('a side', () => {
  it('is a result of a rerun, or all of them', async () => {
    const notebook = results({ temperature: 1 });
    const path = 'results.ipynb';
    const one = await readSide({ path, cell: 'reply-1' }, source(notebook));
    expect(one.title).toBe('capital · p/other · 2');
    expect(texts(one).slice(-2)).toEqual([
      ['user', 'Two', false],
      ['assistant', 'Ho', true]
    ]);
    expect(one.facts).toMatchObject({
      options: { temperature: 1 },
      seconds: 2,
      cost: 0.5,
      hash: 'hash'
    });
    const all = await readSide({ path }, source(notebook));
    expect(texts(all)).toEqual([
      ['capital · p/other · 1', 'Hi', true],
      ['capital · p/other · 2', 'Ho', true]
    ]);
    expect(all.facts).toMatchObject({ input: 10, output: 3, cost: 1 });
  });

  it('is a result with the messages and options that were sent', async () => {
    const item = { path: 'results.ipynb', cell: 'reply-0' };
    const read = (options: PartialJSONObject) =>
      readSide(item, source(results(options)));
    const [plain, brief] = await Promise.all([
      read({}),
      read({
        'messages.0.content': 'Be brief.',
        'messages.0': { role: 'system', content: 'Be long.' },
        'messages.9.content': 'Nowhere',
        'temperature.of': 'no object',
        'reasoning.effort': 'low',
        'reasoning.__proto__': 1,
        stream: false
      })
    ]);
    expect(texts(plain)[0]).toEqual(['user', 'One', false]);
    expect(texts(brief)).toEqual([
      ['system', 'Be brief.', false],
      ...texts(plain).slice(1)
    ]);
    expect(brief.said[0].key).not.toBe(plain.said[0].key);
    expect(brief.said[1].key).toBe(plain.said[1].key);
    expect(canonical(brief.facts.options!)).toBe(
      '{"reasoning":{"__proto__":1,"effort":"low"},"stream":false,"temperature":0.5}'
    );
  });

  it('says that results were changed after they were written', async () => {
    const path = 'examples/rerun/results.ipynb';
    const notebook = JSON.parse(readFileSync(path, 'utf8'));
    const replies = notebook.cells.filter(
      ({ metadata }: any) => 'turnbook_result' in metadata
    );
    const notes = async () => {
      const [one, all] = await Promise.all(
        [{ path, cell: replies[0].id }, { path }].map(item =>
          readSide(item, source(notebook))
        )
      );
      expect(one.notes).toEqual(all.notes);
      return one.notes;
    };
    expect(await notes()).toEqual([]);
    const changed = ['The results were changed after they were written.'];
    const { reply } = replies[1].metadata.turnbook_result;
    const { content } = reply;
    reply.content = `${content}!`;
    expect(await notes()).toEqual(changed);
    reply.content = content;
    expect(await notes()).toEqual([]);
    notebook.metadata.turnbook.results.records[0].payload += ' ';
    expect(await notes()).toEqual(changed);
  });
});
