import { NotebookModel } from '@jupyterlab/notebook';
import fc from 'fast-check';

import { ContextModel } from '../../../context/contextmodel';
import { SENDING_RULES } from '../../../context/gather';
import { charsEstimator } from '../../../context/tokens';
import { hasLock, isLocked, unlock } from '../../../document/lock';
import { chatErrors } from '../../../document/__tests__/chatschema';
import { ChatRequests } from '../../../request/requests';
import { forkName, forkNotebook } from '../fork';
import { attached, referring } from '../../__tests__/referring';
import { anyRequest, built, edited, section } from '../../__tests__/requests';

function open(notebook: ReturnType<typeof forkNotebook>) {
  const model = new NotebookModel();
  model.fromJSON(notebook);
  const source = {
    limits: { window: 1e9, softCap: 1e9, reserve: 0 },
    estimator: charsEstimator(),
    rules: SENDING_RULES
  };
  const context = new ContextModel({
    notebook: model.sharedModel,
    source: () => source,
    isNew: () => false
  });
  return { model, context };
}

const USUAL = { stream_options: { include_usage: true } };

/** The first body that a chat sends with the message “new”. */
function firstBody(notebook: any, model: string): string {
  const { model: opened, context } = open(notebook);
  const requests = new ChatRequests({
    host: {
      chatId: () => 'c',
      model: () => model,
      entry: () => opened.sharedModel.getMetadata('turnbook'),
      debugName: () => 'c, turn 1',
      message: () => ({ pair: 'p', text: 'new' }),
      gather: (text, before) => context.gather(text, before),
      sentPair: () => null
    },
    getRequest: async () => null,
    storage: {
      get: async () => undefined,
      set: async () => undefined,
      del: async () => undefined
    }
  });
  const { body } = requests.live.request;
  requests.dispose();
  context.dispose();
  opened.dispose();
  return body;
}

/** A notebook as Jupyter saves it. */
function sorted(value: any): any {
  if (Array.isArray(value)) {
    return value.map(sorted);
  }
  return value && typeof value === 'object'
    ? Object.fromEntries(
        Object.keys(value)
          .sort()
          .map(key => [key, sorted(value[key])])
      )
    : value;
}

/** The keys of a body and the texts of their values, in any order and with any further keys. */
const anyFrame = fc
  .uniqueArray(
    fc.tuple(
      fc.constantFrom(
        'temperature',
        'tools',
        'response_format',
        'stream_options',
        'x-unknown',
        '7',
        'é',
        'constructor',
        'toString',
        '__proto__'
      ),
      fc.oneof(
        fc.constantFrom(
          '1.0',
          '1e2',
          '{"b":1,"a":[{"z":1,"y":2}]}',
          '{"__proto__":{"b":1},"constructor":null}',
          'null'
        ),
        fc.jsonValue({ maxDepth: 2 }).map(it => JSON.stringify(it))
      )
    ),
    { selector: ([key]) => key }
  )
  .map((further): [string, string][] => [
    ['model', '"m"'],
    ['messages', ''],
    ['stream', 'true'],
    ...further
  ])
  .chain(members =>
    fc.shuffledSubarray(members, {
      minLength: members.length,
      maxLength: members.length
    })
  );

function bodyOf(members: [string, string][], messages: string): string {
  const parts = members.map(
    ([key, json]) =>
      `${JSON.stringify(key)}:${key === 'messages' ? messages : json}`
  );
  return `{${parts.join(',')}}`;
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

  it('does so with references, whose sources it knows', () => {
    const request = referring();
    const { context } = open(forkNotebook(built(request, { attached })));
    const { messages } = context.gather('new');
    expect(JSON.stringify(messages.slice(0, -1))).toBe(
      JSON.stringify(request.messages)
    );
  });

  it('does this for any request', () => {
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

  it('has the payload’s frame in its first body, byte for byte', () => {
    fc.assert(
      fc.property(anyFrame, members => {
        const said = '{"role":"user","content":"said"}';
        const payload = bodyOf(members, `[${said}]`);
        const request = {
          ...edited([section(JSON.parse(said), { kind: 'user' })]),
          body: payload
        };
        const file = forkNotebook(built(request));
        expect(chatErrors(file as any)).toEqual([]);
        const body = firstBody(sorted(file), 'scripted/m');
        expect(body).toBe(
          bodyOf(members, `[${said},{"role":"user","content":"new"}]`)
        );
      }),
      { numRuns: 60 }
    );
  });

  it('follows options that were edited by hand, and another model', () => {
    const options = { temperature: 0.25, tools: [{ type: 'x', function: {} }] };
    const request = edited(
      [section({ role: 'user', content: 'said' }, { kind: 'user' })],
      options
    );
    const file = sorted(forkNotebook(built(request)));
    const entry = file.metadata.turnbook;
    expect(entry.options).toEqual(options);
    const frameFor = (changes: object, model = 'scripted/m') => {
      const turnbook = { ...entry, ...changes };
      const changed = { ...file, metadata: { ...file.metadata, turnbook } };
      const { messages: _, ...frame } = JSON.parse(firstBody(changed, model));
      return frame;
    };
    const usual = {
      model: 'm',
      stream: true,
      stream_options: { include_usage: true }
    };
    const { stream_options: _, ...replayed } = usual;
    expect(frameFor({})).toEqual({ ...replayed, ...options });
    expect(frameFor({}, 'other/n')).toEqual({
      ...replayed,
      ...options,
      model: 'n'
    });
    expect(frameFor({ options: { top_p: 1 } })).toEqual({ ...usual, top_p: 1 });
    // Only options are taken from a file.
    expect(
      frameFor({ options: { stream: false, messages: 1, model: 'x' } })
    ).toEqual(usual);
    expect(frameFor({ options: undefined })).toEqual(usual);
    // A name from the object's prototype is not an option.
    const inherited = entry.frame.replace('{', '{"toString":{},');
    expect(frameFor({ frame: inherited })).not.toHaveProperty('toString', {});
    for (const frame of ['{', '1', 'null', '{"stream":false}', 7]) {
      expect(frameFor({ frame })).toEqual({ ...usual, ...options });
    }
    const foreign = entry.frame.replace('"stream":true', '"stream":false');
    expect(foreign).not.toBe(entry.frame);
    expect(frameFor({ frame: foreign }).stream).toBe(true);
  });

  it('of a default payload has no options of its own', () => {
    const { metadata } = forkNotebook(
      built(edited([section({ role: 'user', content: 'x' })], USUAL))
    );
    expect(metadata.turnbook).not.toHaveProperty('options');
    expect(metadata.turnbook).not.toHaveProperty('frame');
  });

  it('says where it comes from, in a valid chat', () => {
    const replay = built(mixed, { version: 7 });
    const notebook = forkNotebook(replay, FORK);
    expect(chatErrors(notebook as any)).toEqual([]);
    expect(notebook.metadata.turnbook).toEqual({
      format: 1,
      chatId: FORK,
      model: 'scripted/m',
      frame: '{"model":"m","messages":null,"stream":true}',
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
