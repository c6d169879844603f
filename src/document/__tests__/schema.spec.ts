import type { INotebookContent } from '@jupyterlab/nbformat';

import type { IRun, RunState } from '../../base/run';
import { emptyChat, pairCell } from '../chatfile';
import { runInfo } from '../landing';
import type { IRunInfo } from '../metadata';
import { replyOutput } from '../reply';
import { TOOL_MIME } from '../rounds';
import { chatErrors, type INotebookLike } from './chatschema';

const RUN = 'b7ff31f1-4a79-4c2c-8a2f-57b43f5ce9a0';
const HASH = 'a'.repeat(64);

const sent: IRunInfo = {
  state: 'sending',
  model: 'scripted/vendor/model',
  createdAt: 1,
  updatedAt: 1,
  runId: RUN,
  attempt: 1,
  context: [['first', 'second', 2]],
  requestHash: HASH
};

function run(state: RunState, end: IRun['end'] = null): IRun {
  return {
    id: RUN,
    chat: 'chat',
    pair: 'pair',
    attempt: 2,
    provider: 'scripted',
    model: 'vendor/model',
    state,
    hash: HASH,
    createdAt: 1,
    updatedAt: 2,
    end
  } as IRun;
}

/** A chat with one pair, as it would be saved. */
function chat(info: unknown = sent, partial = false): INotebookContent {
  const notebook = emptyChat('scripted/model');
  const cell = pairCell('pair', 'Hello', info as IRunInfo, { topic: 'a/b' });
  const output = replyOutput({ text: 'Hi', runId: RUN, partial });
  notebook.cells = [{ ...cell, outputs: [output] }];
  return notebook;
}

const errors = (notebook: unknown) => chatErrors(notebook as INotebookLike);

describe('the schemas of a chat', () => {
  it.each([
    ['with a model', emptyChat('scripted/model')],
    ['without one', emptyChat()]
  ])('hold for a new chat %s', (_, notebook) => {
    expect(errors(notebook)).toEqual([]);
  });

  it('hold for a pair that was just sent', () => {
    expect(errors(chat())).toEqual([]);
  });

  it.each<RunState>([
    'claimed',
    'sending',
    'streaming',
    'done',
    'stopped',
    'failed',
    'interrupted',
    'unknown'
  ])('hold for a pair whose run is %s', state => {
    const usage = { completion_tokens: 3 };
    const bare = runInfo(sent, { run: run(state), usage });
    const told = runInfo(bare, {
      run: run(state, {
        type: 'rate',
        code: 'rate',
        status: 429,
        message: 'Slow down.',
        retryAfter: 3,
        finish: null
      } as unknown as IRun['end'])
    });
    const lost = runInfo(null, { run: run(state) });
    const cut = runInfo(bare, {
      run: run(state, { finish: 'length', message: '' } as IRun['end'])
    });
    for (const info of [bare, told, lost, cut]) {
      expect(errors(chat(info, state !== 'done'))).toEqual([]);
    }
  });

  it('accept a newer key of the notebook', () => {
    const notebook = chat();
    put(notebook, 'metadata.turnbook.future', { a: 1 });
    expect(errors(notebook)).toEqual([]);
  });

  it('hold for what is stored with a run', () => {
    const notebook = chat();
    Object.assign(notebook.cells[0].metadata, {
      turnbook: { topic: 'ml/nlp', star: 3, in: false },
      turnbook_versions: [
        {
          source: 'Hi',
          reply: '',
          model: 'a/b',
          requestHash: HASH,
          at: 1
        }
      ],
      turnbook_messages: { json: '[{"role":"user"}]', textHash: HASH }
    });
    put(notebook, 'metadata.turnbook.lineage', { copiedFrom: 'other' });
    expect(errors(notebook)).toEqual([]);
  });

  const entry = 'cells.0.metadata.turnbook_run';
  const wrong: [string, string, unknown][] = [
    ['no chat id', 'metadata.turnbook.chatId', undefined],
    ['an odd chat id', 'metadata.turnbook.chatId', '*'],
    ['an unknown format', 'metadata.turnbook.format', 2],
    ['an entry that is no object', 'metadata.turnbook', []],
    ['lineage that is no object', 'metadata.turnbook.lineage', 'x'],
    ['an unknown state', `${entry}.state`, 'dancing'],
    ['a time as text', `${entry}.createdAt`, '2026'],
    ['a hash that is none', `${entry}.requestHash`, ''],
    ['no run id', `${entry}.runId`, undefined],
    ['a model alone', `${entry}.model`, 'model'],
    ['ids instead of ranges', `${entry}.context`, ['a']],
    ['a short range', `${entry}.context`, [['a', 'b']]],
    ['a key of its own', `${entry}.apiKey`, 'secret'],
    ['an error without one', `${entry}.state`, 'error'],
    [
      'an error that is over',
      `${entry}.error`,
      { type: 'rate', code: 'rate', status: 429, message: 'Slow down.' }
    ],
    ['four stars', 'cells.0.metadata.turnbook.star', 4],
    ['a mark nobody knows', 'cells.0.metadata.turnbook.colour', 'red'],
    ['half a version', 'cells.0.metadata.turnbook_versions', [{ at: 1 }]],
    ['no messages', 'cells.0.metadata.turnbook_messages', []],
    [
      'messages without the text they stand beside',
      'cells.0.metadata.turnbook_messages',
      { json: '[{"role":"user"}]' }
    ],
    [
      'a round that is none',
      'cells.0.outputs.0.data',
      { [TOOL_MIME]: [], 'text/plain': '' }
    ],
    [
      'a call without its text',
      'cells.0.outputs.0.data',
      { [TOOL_MIME]: { results: [] } }
    ],
    ['metadata without a schema', 'cells.0.metadata.turnbook_more', 1],
    ['trust', 'cells.0.metadata.trusted', true],
    ['a reply without a run', 'cells.0.outputs.0.metadata.turnbook', {}]
  ];

  it.each(wrong)('refuse %s', (_, place, value) => {
    const notebook = chat();
    put(notebook, place, value);
    expect(errors(notebook)).not.toEqual([]);
  });
});

/** Set what is at a place; `undefined` removes it. */
function put(notebook: unknown, place: string, value: unknown): void {
  const keys = place.split('.');
  const last = keys.pop()!;
  const parent = keys.reduce(
    (at, key) => at[key] as Record<string, unknown>,
    notebook as Record<string, unknown>
  );
  if (value === undefined) {
    delete parent[last];
  } else {
    parent[last] = value;
  }
}
