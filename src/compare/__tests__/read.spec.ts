import { canonical } from '../../base/canonical';
import { notebookOf } from '../../document/chatfile';
import { replyOutput } from '../../document/reply';
import { bodyHash } from '../../request/render';
import { recordNotebook } from '../../replay/model/projection';
import { digest, type IRecord } from '../../replay/model/record';
import { itemsOf, placeOf, readItems, versionItems } from '../items';
import { readSide } from '../read';
import type { ISource } from '../source';

const ID = '11111111-1111-4111-8111-111111111111';

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

function run(model: string, runId: string, more = {}) {
  return {
    state: 'succeeded',
    model,
    createdAt: 1,
    updatedAt: 2,
    runId,
    attempt: 1,
    context: [['one', 'one', 1]],
    requestHash: bodyHash(BODY),
    ...more
  };
}

function chat() {
  const cell = (id: string, source: string, text: string, metadata = {}) => ({
    cell_type: 'code',
    id,
    source,
    execution_count: null,
    metadata,
    outputs: [replyOutput({ text, runId: 'new', partial: false })]
  });
  const { context, requestHash, ...rest } = run('p/small', 'old');
  return notebookOf(
    [
      cell('one', 'One', 'First'),
      cell('two', 'Two', 'Second', {
        turnbook_run: run('p/big', 'new', {
          seconds: 1.5,
          usage: { prompt_tokens: 1000, completion_tokens: 100 }
        }),
        turnbook_versions: [
          'broken',
          {
            source: 'Two!',
            reply: 'Another',
            model: 'p/small',
            requestHash,
            at: 1,
            runId: 'old',
            run: { ...rest, context }
          }
        ]
      })
    ] as any[],
    { chatId: ID, model: 'p/big' }
  );
}

function source(notebook: unknown, bytes: string | null = null): ISource {
  return {
    title: 'talk',
    notebook,
    priceOf: () => ({ input: 1, output: 10 }),
    getRequest: async runId =>
      bytes !== null && runId === 'new' ? new TextEncoder().encode(bytes) : null
  };
}

const texts = ({ said }: Awaited<ReturnType<typeof readSide>>) =>
  said.map(({ role, text, isReply }) => [role, text, isReply]);

describe('a side', () => {
  const path = 'talk.chat.ipynb';

  it('is a whole chat', async () => {
    const side = await readSide({ path }, source(chat()));
    expect(texts(side)).toEqual([
      ['user', 'One', false],
      ['assistant', 'First', false],
      ['user', 'Two', false],
      ['assistant', 'Second', false]
    ]);
    expect(side.facts).toMatchObject({
      model: 'p/big',
      input: 1000,
      output: 100,
      cost: 0.002,
      seconds: 1.5,
      hash: bodyHash(BODY)
    });
  });

  it('is a version, with the exact bytes of its request', async () => {
    const item = { path, pair: 'two', version: 1 };
    const side = await readSide(item, source(chat(), BODY));
    expect(texts(side)).toEqual([
      ['user', 'One', false],
      ['assistant', 'First', false],
      ['user', 'Two', false],
      ['assistant', 'Second', true]
    ]);
    expect(side.title).toBe('Version 2 (current) · p/big');
    expect(side.facts).toMatchObject({
      options: { temperature: 0.5 },
      seconds: 1.5,
      cost: 0.002
    });
    expect(side.notes).toEqual([]);
  });

  it('is a version whose request is rebuilt and says so, also if the bytes are of another one', async () => {
    const other = BODY.replace('Two', 'Secret');
    for (const bytes of [null, other]) {
      const item = { path, pair: 'two', version: 1 };
      const side = await readSide(item, source(chat(), bytes));
      expect(texts(side).flat()).not.toContain('Secret');
      expect(side.notes).toEqual([
        expect.stringContaining('The journal no longer has this request')
      ]);
      expect(texts(side)).toHaveLength(4);
    }
    const item = { path, pair: 'two', version: 0 };
    const side = await readSide(item, source(chat()));
    expect(texts(side).slice(-2)).toEqual([
      ['user', 'Two!', false],
      ['assistant', 'Another', true]
    ]);
    expect(side.title).toBe('Version 1 · p/small');
  });

  it('is the same reply after another one was chosen', async () => {
    const notebook = chat();
    const { metadata } = notebook.cells[1] as any;
    const [, other] = metadata.turnbook_versions;
    const group = { group: ID };
    Object.assign(other, group, { sibling: 1 });
    Object.assign(metadata.turnbook_run, group, { sibling: 0 });
    const replies = () =>
      Promise.all(
        [0, 1].map(async sibling => {
          const item = { path, pair: 'two', ...group, sibling };
          const side = await readSide(item, source(notebook));
          return texts(side).at(-1)![1];
        })
      );
    expect(await replies()).toEqual(['Second', 'Another']);
    const { requestHash, updatedAt: at, ...rest } = metadata.turnbook_run;
    metadata.turnbook_run = { ...rest, requestHash, runId: 'old', sibling: 1 };
    metadata.turnbook_versions = [
      {
        ...{ source: 'Two', reply: 'Second', model: 'p/big', runId: 'new' },
        ...{ requestHash, at, ...group, sibling: 0 }
      }
    ];
    notebook.cells[1].outputs = [
      replyOutput({ text: 'Another', runId: 'old', partial: false })
    ];
    expect(await replies()).toEqual(['Second', 'Another']);
  });

  it('may have no reply', async () => {
    const notebook = chat();
    notebook.cells[1].outputs = [];
    const item = { path, pair: 'two', version: 1 };
    const side = await readSide(item, source(notebook, BODY));
    expect(side.notes).toEqual(['This version has no reply.']);
  });

  it('is a record with its response', async () => {
    const events = [
      { choices: [{ delta: { content: 'Hel' } }] },
      { choices: [{ delta: { content: 'lo' } }] },
      { choices: [], usage: { prompt_tokens: 5, completion_tokens: 2 } }
    ];
    const body = `${events.map(event => `data: ${JSON.stringify(event)}\n\n`).join('')}data: [DONE]\n\n`;
    const lineage = {
      replay_parent_session_id: ID,
      replay_parent_turn_id: 'two',
      payloadHash: bodyHash(BODY),
      version: 1,
      requestId: 'r',
      at: 5
    };
    const record: Omit<IRecord, 'digest'> = {
      payload: BODY,
      hash: bodyHash(BODY),
      version: 1,
      requestId: 'r',
      at: 5,
      provider: 'p',
      sections: [{ kind: 'user' }, { kind: 'history' }, { kind: 'user' }],
      deleted: 0,
      response: {
        status: 200,
        sentAt: 7,
        answered: 1,
        ended: 2500,
        size: body.length,
        hash: bodyHash(body),
        body
      }
    };
    const notebook = recordNotebook({
      record: { ...record, digest: digest(record, lineage) },
      lineage
    });
    const side = await readSide({ path: 'a.replay.ipynb' }, source(notebook));
    expect(texts(side).slice(-2)).toEqual([
      ['user', 'Two', false],
      ['assistant', 'Hello', true]
    ]);
    expect(side.facts).toMatchObject({
      model: 'p/big',
      seconds: 2.5,
      output: 2
    });
    expect(side.notes).toEqual([]);
    const entry = (notebook.metadata.turnbook as any).record;
    entry.payload = entry.payload.replace('Two', 'Three');
    const changed = await readSide(
      { path: 'a.replay.ipynb' },
      source(notebook)
    );
    expect(changed.notes[0]).toContain('does not match its hash');
  });

  it.each([
    ['plain.ipynb', { cells: [], metadata: {} }, 'plain.ipynb is no chat'],
    ['x.chat.ipynb', 'not a notebook', 'x.chat.ipynb is no chat'],
    ['x.chat.ipynb', null, 'x.chat.ipynb is no chat']
  ])('is not %s with %j', async (path, notebook, words) => {
    await expect(readSide({ path }, source(notebook))).rejects.toThrow(words);
  });

  it.each([
    [{ pair: 'two', version: 7 }, 'no longer has this version'],
    [{ pair: 'gone' }, 'no longer has this version'],
    [{ cell: 'gone' }, 'no longer has this result']
  ])('says that there is no %j', async (item, words) => {
    const all = { path: 'talk.chat.ipynb', ...item };
    await expect(readSide(all, source(chat()))).rejects.toThrow(words);
  });

  it('is read from a file that somebody else wrote', async () => {
    const odd = notebookOf(
      [
        { cell_type: 'code', source: 5 },
        null,
        { cell_type: 'code', id: 'a', source: ['x'], metadata: 3, outputs: {} },
        {
          cell_type: 'code',
          id: '__proto__',
          source: 'y',
          metadata: { turnbook_run: [], turnbook_versions: { length: 3 } },
          outputs: [null, { output_type: 'stream' }]
        }
      ] as any[],
      { chatId: ID, options: [], model: 7 }
    );
    const side = await readSide({ path: 'a.chat.ipynb' }, source(odd));
    expect(texts(side)).toEqual([
      ['user', 'x', false],
      ['user', 'y', false]
    ]);
    expect(canonical(side.facts as any)).toContain('"model":null');
  });
});

describe('items', () => {
  it('are two to four, and nothing else', () => {
    const item = { path: 'a' };
    const [version, sibling] = [
      { path: 'a', pair: 'p', version: 1, run: 'r' },
      { path: 'a', pair: 'p', group: 'g', sibling: 1 }
    ];
    expect(readItems([item, { ...version, more: 1 }, sibling])).toEqual([
      item,
      version,
      sibling
    ]);
    for (const bad of [null, [item], Array(5).fill(item), [item, {}], [1, 2]]) {
      expect(readItems(bad)).toBeNull();
    }
  });

  const mark = (group: string, sibling: number) => ({ group, sibling });

  it('are the newest versions, or the named siblings', () => {
    const versions = [
      mark('g', 1),
      { runId: 'past' },
      mark('g', 2),
      mark('g', 1),
      {},
      mark('g', 0)
    ];
    const items = (siblings?: number[]) =>
      versionItems('a', 'p', versions, siblings).map(
        ({ path: _, pair: __, ...rest }) => rest
      );
    // Of two with one number, that which the columns show.
    const newest = [mark('g', 2), { version: 3 }, { version: 4 }, mark('g', 0)];
    expect(items()).toEqual(newest);
    expect(items([0, 1, 2])).toEqual([0, 1, 2].map(n => mark('g', n)));
    expect(items([])).toEqual(newest);
  });

  it('are of the group that the pair shows, after an earlier one was restored', () => {
    const versions = [
      mark('a', 1),
      mark('a', 2),
      mark('b', 0),
      mark('b', 1),
      mark('b', 2),
      mark('a', 0)
    ];
    const found = versionItems('a', 'p', versions, [0, 1, 2]);
    expect(found.map(item => placeOf(item, versions))).toEqual([5, 0, 1]);
  });

  it('name the same versions after another was chosen or added', () => {
    const [one, two, past] = [mark('g', 1), mark('g', 0), { runId: 'past' }];
    const came = { runId: 'run' };
    const edited = { runId: 'run', edited: true } as const;
    const before = [past, one, came, edited, two];
    const items = versionItems('a', 'p', before, []).concat(
      itemsOf('a', 'p', before)[0]
    );
    const after = [{}, past, two, came, edited, one];
    const named = items.map(item => placeOf(item, after));
    expect(named.map(place => after[place!])).toStrictEqual([
      one,
      came,
      edited,
      two,
      past
    ]);
    expect(items.map(item => placeOf(item, [{}, came]))).toEqual([
      null,
      1,
      null,
      null,
      null
    ]);
  });

  it('name a version by its place alone if they are of an earlier layout', () => {
    const item = { path: 'a', pair: 'p' };
    const versions = [{ runId: 'one' }, { runId: 'two' }];
    expect(placeOf({ ...item, version: 0 }, versions)).toBe(0);
    expect(placeOf(item, versions)).toBe(1);
    expect(placeOf({ ...item, version: 2 }, versions)).toBeNull();
    // A run that is not there may be that of another reply.
    const gone = { ...item, version: 1, run: 'gone' };
    expect(placeOf(gone, versions)).toBeNull();
  });
});
