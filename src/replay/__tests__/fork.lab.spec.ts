import { NotebookModel } from '@jupyterlab/notebook';
import fc from 'fast-check';

import { ContextModel } from '../../chat/contextmodel';
import { charsEstimator } from '../../context';
import { hasLock, isLocked, unlock } from '../../document';
import { chatErrors } from '../../document/__tests__/chatschema';
import { forkName, forkNotebook } from '../fork';
import { anyRequest, built, edited, section } from './requests';

function open(notebook: ReturnType<typeof forkNotebook>) {
  const model = new NotebookModel();
  model.fromJSON(notebook);
  const source = {
    limits: { window: 1e9, softCap: 1e9, reserve: 0 },
    estimator: charsEstimator(),
    sentinel: '[INTERRUPTED]'
  };
  const context = new ContextModel({
    notebook: model.sharedModel,
    source: () => source,
    isNew: () => false
  });
  return { model, context };
}

const mixed = edited([
  section({ role: 'system', content: 'Be brief.' }),
  section({ role: 'user', content: 'first' }),
  section({ role: 'user', content: 'second' }),
  section({ role: 'assistant', content: '' }),
  section({ role: 'system', content: 'Now be long.' }),
  section({
    role: 'user',
    content: [
      { type: 'text', text: 'see' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } }
    ]
  }),
  section({
    role: 'assistant',
    content: null,
    tool_calls: [
      { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }
    ]
  }),
  section({ role: 'tool', content: 'r', tool_call_id: 'c' }),
  section({ role: 'user', content: 'last' }, { kind: 'user' })
]);

const FORK = '0b1c2d3e-0000-4000-8000-00000000000f';

describe('a fork', () => {
  it('gathers to the payload’s messages byte for byte, then the new message', () => {
    const { context } = open(forkNotebook(built(mixed)));
    const { messages } = context.gather('new');
    expect(JSON.stringify(messages)).toBe(
      JSON.stringify([...mixed.messages, { role: 'user', content: 'new' }])
    );
  });

  it('does so for any request', () => {
    fc.assert(
      fc.property(anyRequest, request => {
        const { context, model } = open(forkNotebook(built(request)));
        const { messages } = context.gather('new');
        expect(JSON.stringify(messages.slice(0, -1))).toBe(
          JSON.stringify(request.messages)
        );
        context.dispose();
        model.dispose();
      }),
      { numRuns: 60 }
    );
  });

  it('says where it comes from, in a valid chat', () => {
    const replay = built(mixed, { version: 7 });
    const notebook = forkNotebook(replay, FORK);
    expect(chatErrors(notebook as any)).toEqual([]);
    expect(notebook.metadata.turnbook).toEqual({
      format: 1,
      chatId: FORK,
      model: 'scripted/m',
      lineage: {
        replay_parent_session_id: mixed.base.chatId,
        replay_parent_turn_id: mixed.base.pair,
        payloadHash: mixed.hash,
        version: 7,
        requestId: 'run-1',
        at: replay.record.at,
        locked: true
      }
    });
  });

  it('locks the cells that came with it until it is unlocked', () => {
    const { model } = open(forkNotebook(built(mixed)));
    const { sharedModel } = model;
    const [first] = sharedModel.cells;
    const added = sharedModel.addCell({ cell_type: 'code', source: 'mine' });
    expect(hasLock(sharedModel)).toBe(true);
    expect(isLocked(sharedModel, first)).toBe(true);
    expect(isLocked(sharedModel, added)).toBe(false);
    unlock(sharedModel);
    expect(hasLock(sharedModel)).toBe(false);
    expect(isLocked(sharedModel, first)).toBe(false);
    expect(chatErrors(model.toJSON() as any)).toEqual([]);
  });

  it.each([
    ['plan.chat.ipynb', 'plan-replay'],
    ['plan.chat-Copy1.ipynb', 'plan-replay'],
    ['plan-71e0.replay.ipynb', 'plan-71e0-replay'],
    ['plain.ipynb', 'plain-replay']
  ])('of %s is called %s', (source, name) => {
    expect(forkName(source, 0)).toBe(name);
    expect(forkName(source, 2)).toBe(`${name}2`);
  });
});
