import { readFileSync } from 'fs';
import * as path from 'path';

import type { IRun, RunState } from '../../runs/types';
import { emptyChat, pairCell } from '../chatfile';
import { runInfo } from '../landing';
import type { IRunInfo } from '../metadata';
import { replyOutput } from '../reply';
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
function chat(info: unknown = sent, partial = false): any {
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

  it('hold for the example', () => {
    const file = path.join(__dirname, '../../../examples/welcome.chat.ipynb');
    const notebook = JSON.parse(readFileSync(file, 'utf-8'));
    expect(errors(notebook)).toEqual([]);
    expect(notebook.metadata.turnbook.format).toBe(1);
    expect(notebook.cells.some((cell: any) => cell.outputs)).toBe(false);
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
    for (const info of [bare, told, lost]) {
      expect(errors(chat(info, state !== 'done'))).toEqual([]);
    }
  });

  it('leave a newer key of the notebook alone', () => {
    const notebook = chat();
    notebook.metadata.turnbook.future = { a: 1 };
    expect(errors(notebook)).toEqual([]);
  });

  it('hold for what is kept beside a run', () => {
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
      turnbook_messages: [{ role: 'user', content: [{ type: 'text' }] }]
    });
    notebook.metadata.turnbook.lineage = { copiedFrom: 'other' };
    expect(errors(notebook)).toEqual([]);
  });

  const wrong: [string, (notebook: any) => void][] = [
    ['no chat id', nb => delete nb.metadata.turnbook.chatId],
    ['an unknown format', nb => (nb.metadata.turnbook.format = 2)],
    ['an entry that is no object', nb => (nb.metadata.turnbook = [])],
    ['lineage that is no object', nb => (nb.metadata.turnbook.lineage = 'x')],
    ['an unknown state', nb => (metadata(nb).turnbook_run.state = 'dancing')],
    ['a time as text', nb => (metadata(nb).turnbook_run.createdAt = '2026')],
    ['a hash that is none', nb => (metadata(nb).turnbook_run.requestHash = '')],
    ['no run id', nb => delete metadata(nb).turnbook_run.runId],
    ['a model alone', nb => (metadata(nb).turnbook_run.model = 'model')],
    [
      'ids instead of ranges',
      nb => (metadata(nb).turnbook_run.context = ['a'])
    ],
    ['a short range', nb => (metadata(nb).turnbook_run.context = [['a', 'b']])],
    ['a key of its own', nb => (metadata(nb).turnbook_run.apiKey = 'sk-…')],
    ['an error without one', nb => (metadata(nb).turnbook_run.state = 'error')],
    [
      'an error that is over',
      nb =>
        (metadata(nb).turnbook_run.error = {
          type: 'rate',
          code: 'rate',
          status: 429,
          message: 'Slow down.'
        })
    ],
    ['four stars', nb => (metadata(nb).turnbook.star = 4)],
    ['a mark nobody knows', nb => (metadata(nb).turnbook.colour = 'red')],
    ['half a version', nb => (metadata(nb).turnbook_versions = [{ at: 1 }])],
    ['no messages', nb => (metadata(nb).turnbook_messages = [])],
    ['metadata without a schema', nb => (metadata(nb).turnbook_more = 1)],
    ['trust', nb => (metadata(nb).trusted = true)],
    [
      'a reply without a run',
      nb => (nb.cells[0].outputs[0].metadata.turnbook = {})
    ]
  ];

  it.each(wrong)('refuse %s', (_, spoil) => {
    const notebook = chat();
    spoil(notebook);
    expect(errors(notebook)).not.toEqual([]);
  });
});

function metadata(notebook: any): any {
  return notebook.cells[0].metadata;
}
