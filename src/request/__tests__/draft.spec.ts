import fc from 'fast-check';

import { RequestDraft } from '../draft';
import type { IRequestBase } from '../model';
import { bodyHash, renderRequest } from '../render';
import { baseFromBody } from '../sections';
import { anyBase, anyText, baseOf, usual } from './requests';

function draftOf(base = usual(), state?: Uint8Array): RequestDraft {
  return new RequestDraft({ base, state });
}

function bytesOf(base: IRequestBase): string {
  return renderRequest(
    base.frame,
    base.sections.map(({ message }) => message)
  );
}

function section(draft: RequestDraft, id: string) {
  return draft.request.sections.find(one => one.id === id)!;
}

/** The same base with another text in one section. */
function withText(base: IRequestBase, id: string, content: string) {
  return {
    ...base,
    sections: base.sections.map(one =>
      one.id === id ? { ...one, message: { ...one.message, content } } : one
    )
  };
}

function without(base: IRequestBase, id: string): IRequestBase {
  return { ...base, sections: base.sections.filter(one => one.id !== id) };
}

const ops: ((draft: RequestDraft, n: number, text: string) => void)[] = [
  (draft, n, text) => {
    const { sections } = draft.request;
    const one = sections[n % sections.length];
    if (typeof one.message.content === 'string' && !one.conflict) {
      draft.setLeaf(one.id, ['content'], text);
    }
  },
  (draft, n) => {
    const { sections } = draft.request;
    draft.remove(sections[n % sections.length].id);
  },
  (draft, n) => {
    const { sections } = draft.request;
    draft.restore(sections[n % sections.length].id);
  },
  (draft, n) => {
    const { sections } = draft.request;
    const before = sections[(n * 7) % sections.length].id;
    draft.move(sections[n % sections.length].id, n % 5 ? before : null);
  },
  (draft, n, text) => {
    const { sections } = draft.request;
    const before = sections[n % sections.length].id;
    draft.add({ role: 'user', content: text, before });
  },
  (draft, n, text) => draft.setOption(`x_${n % 4}`, [text, n]),
  (draft, n) => draft.setOption('temperature', (n % 20) / 10),
  (draft, n) => draft.setOption(`x_${n % 4}`, undefined),
  (draft, n) => {
    const { sections } = draft.request;
    draft.reset(sections[n % sections.length].id);
  },
  (draft, n, text) => {
    const { sections } = draft.request;
    const one = sections[n % sections.length];
    draft.setMessage(one.id, { role: 'assistant', content: text, x: { n } });
  },
  draft => draft.undo(),
  draft => draft.redo()
];

const anySteps = fc.array(
  fc.tuple(fc.nat(ops.length - 1), fc.nat(30), anyText),
  { maxLength: 12 }
);

function run(draft: RequestDraft, steps: [number, number, string][]): void {
  for (const [op, n, text] of steps) {
    if (draft.request.sections.length) {
      ops[op](draft, n, text);
    }
  }
}

describe('laws', () => {
  it('without an edit the bytes are those of the base', () => {
    fc.assert(
      fc.property(anyBase, base => {
        const { request, isEdited } = draftOf(base);
        expect(request.body).toBe(bytesOf(base));
        expect(request.hash).toBe(bodyHash(request.body));
        expect(isEdited).toBe(false);
      })
    );
  });

  it('opening every text for editing is not an edit', () => {
    fc.assert(
      fc.property(anyBase, base => {
        const draft = draftOf(base);
        for (const { id, message } of base.sections) {
          if (
            typeof message.content === 'string' &&
            !/\p{Surrogate}/u.test(message.content)
          ) {
            expect(draft.text(id, ['content']).toString()).toBe(
              message.content
            );
          }
        }
        expect(draft.request.body).toBe(bytesOf(base));
        expect(draft.canUndo).toBe(false);
      })
    );
  });

  it('a draft gives the same bytes after it was stored', () => {
    fc.assert(
      fc.property(anyBase, anySteps, (base, steps) => {
        const draft = draftOf(base);
        run(draft, steps);
        const { body } = draft.request;
        expect(draftOf(base, draft.encode()).request.body).toBe(body);
        expect(body).toBe(
          renderRequest(draft.request.frame, draft.request.messages)
        );
      })
    );
  });

  it('undoing everything gives the bytes of the base', () => {
    fc.assert(
      fc.property(anyBase, anySteps, (base, steps) => {
        const draft = draftOf(base);
        run(draft, steps);
        const { body } = draft.request;
        while (draft.canUndo) {
          draft.undo();
        }
        expect(draft.request.body).toBe(bytesOf(base));
        expect(draft.isEdited).toBe(false);
        if (steps.every(([op]) => op < ops.length - 2)) {
          while (draft.canRedo) {
            draft.redo();
          }
          expect(draft.request.body).toBe(body);
        }
      })
    );
  });

  it('resetting everything gives the bytes of the base, and can be undone', () => {
    fc.assert(
      fc.property(anyBase, anySteps, (base, steps) => {
        const draft = draftOf(base);
        run(draft, steps);
        const { body } = draft.request;
        draft.reset();
        expect(draft.request.body).toBe(bytesOf(base));
        expect(draft.isEdited).toBe(false);
        if (body !== bytesOf(base)) {
          draft.undo();
          expect(draft.request.body).toBe(body);
        }
      })
    );
  });

  it('a version opens and restores to its bytes', () => {
    fc.assert(
      fc.property(anyBase, anySteps, anySteps, (base, first, then) => {
        const draft = draftOf(base);
        run(draft, first);
        const { n, body } = draft.takeVersion('replay');
        run(draft, then);
        expect(draft.open(n).body).toBe(body);
        draft.restoreVersion(n);
        expect(draft.request.body).toBe(body);
      })
    );
  });

  it('unknown options stay untouched and in place', () => {
    fc.assert(
      fc.property(anyBase, anyText, (base, text) => {
        const draft = draftOf(base);
        draft.setOption('model', `m${text}`);
        const expected = { ...base.frame, model: `m${text}` };
        expect(draft.request.body).toBe(
          renderRequest(
            expected,
            base.sections.map(one => one.message)
          )
        );
      })
    );
  });
});

describe('a past request', () => {
  const body =
    '{ "model": "m", "x": 1.0, "2": [1e3],\n "messages": [ {"role": "user", "content": "h\\u00e9"} , {"role":"user","content":"b"}], "1": 12345678901234567890 }';
  const base = baseFromBody(body, {
    chatId: 'chat',
    pair: 'a',
    provider: 'p',
    source: 'journal'
  });

  it('keeps its bytes without edits', () => {
    expect(draftOf(base).request.body).toBe(body);
    expect(base.sections.map(({ id }) => id)).toEqual([
      'message 1/user',
      'a/user'
    ]);
  });

  it('keeps the bytes of unedited parts', () => {
    const draft = draftOf(base);
    draft.setLeaf('a/user', ['content'], 'c');
    draft.setOption('temperature', 1);
    expect(draft.request.body).toBe(
      '{"model":"m","x":1.0,"2":[1e3],"messages":[{"role": "user", "content": "h\\u00e9"},{"role":"user","content":"c"}],"1":12345678901234567890,"temperature":1}'
    );
    draft.reset();
    expect(draft.request.body).toBe(body);
  });

  it('is rejected if it is not a request', () => {
    const options = {
      chatId: 'c',
      pair: 'a',
      provider: 'p',
      source: 'journal' as const
    };
    for (const wrong of ['', '[]', '{"messages":{}}', '{"messages":["x"]}']) {
      expect(() => baseFromBody(wrong, options)).toThrow(
        expect.objectContaining({ code: 'not-a-request' })
      );
    }
  });
});

describe('a text', () => {
  it('is an edit while it differs, and not after it is typed back', () => {
    const draft = draftOf();
    const text = draft.text('c0/system', ['content']);
    text.insert(3, 'very ');
    expect(section(draft, 'c0/system')).toMatchObject({
      edited: true,
      message: { content: 'Be very brief.' },
      original: { content: 'Be brief.' }
    });
    expect(draft.counts).toMatchObject({ edited: 1, conflicts: 0 });
    text.delete(3, 5);
    expect(section(draft, 'c0/system').edited).toBe(false);
    expect(draft.isEdited).toBe(false);
  });

  it('follows its source until it is edited', () => {
    const base = usual();
    const draft = draftOf(base);
    const text = draft.text('new/user', ['content']);
    draft.base = withText(base, 'new/user', 'And 3 + 3, please?');
    expect(text.toString()).toBe('And 3 + 3, please?');
    expect(draft.isEdited).toBe(false);
    text.insert(0, 'So: ');
    draft.base = withText(base, 'new/user', 'Never mind');
    expect(text.toString()).toBe('So: And 3 + 3, please?');
    expect(section(draft, 'new/user')).toMatchObject({
      conflict: 'changed',
      message: { content: 'Never mind' },
      pending: { content: 'So: And 3 + 3, please?' }
    });
  });

  it('stays the same object for an editor after a reset', () => {
    const draft = draftOf();
    const text = draft.text('c0/system', ['content']);
    text.insert(0, 'Do. ');
    draft.reset('c0/system', ['content']);
    expect(draft.text('c0/system', ['content'])).toBe(text);
    expect(text.toString()).toBe('Be brief.');
  });

  it('can be five megabytes', () => {
    const draft = draftOf();
    const pasted = 'x'.repeat(5e6);
    draft.text('new/user', ['content']).insert(0, pasted);
    expect(draft.request.messages[3].content).toHaveLength(5e6 + 10);
    expect(draft.request.problems).toEqual([]);
  });

  it('is refused for leaves that are not text', () => {
    const draft = draftOf(
      baseOf([
        { role: 'assistant', content: null },
        { role: 'user', content: '\ud83d' }
      ])
    );
    for (const id of ['c0/assistant', 'new/user']) {
      expect(() => draft.text(id, ['content'])).toThrow(
        expect.objectContaining({ code: 'not-text' })
      );
    }
    draft.setLeaf('c0/assistant', ['content'], 'Hello');
    draft.text('c0/assistant', ['content']).insert(5, '!');
    expect(draft.request.messages[0].content).toBe('Hello!');
    draft.undo();
    draft.undo();
    expect(draft.isEdited).toBe(false);
  });
});

describe('undo steps', () => {
  it('combine consecutive keys, and separate leaves and actions', () => {
    const draft = draftOf();
    const one = draft.text('c0/system', ['content']);
    const two = draft.text('new/user', ['content']);
    one.insert(0, 'a');
    one.insert(1, 'b');
    two.insert(0, 'c');
    draft.remove('c1/user');
    draft.setOption('temperature', 1);
    draft.setOption('temperature', 1.5);
    const bodies = [draft.request.body];
    const counts = [draft.counts];
    while (draft.canUndo) {
      draft.undo();
      bodies.push(draft.request.body);
      counts.push(draft.counts);
    }
    expect(
      counts.map(({ edited, deleted, options }) => [edited, deleted, options])
    ).toEqual([
      [2, 1, 1],
      [2, 1, 0],
      [2, 0, 0],
      [1, 0, 0],
      [0, 0, 0]
    ]);
    for (const body of bodies.reverse()) {
      expect(draft.request.body).toBe(body);
      draft.redo();
    }
  });
});

describe('sections', () => {
  it('are deleted and restored', () => {
    const draft = draftOf();
    draft.remove('c1/user');
    expect(section(draft, 'c1/user').deleted).toBe(true);
    expect(draft.request.messages).toHaveLength(3);
    draft.restore('c1/user');
    expect(draft.isEdited).toBe(false);
  });

  it('are moved and moved back', () => {
    const draft = draftOf();
    const ids = () => draft.request.sections.map(({ id }) => id);
    const before = ids();
    draft.move('new/user', 'c0/system');
    expect(ids()).toEqual(['new/user', 'c0/system', 'c1/user', 'c2/assistant']);
    expect(section(draft, 'new/user').moved).toBe(true);
    expect(draft.counts.moved).toBe(1);
    draft.move('new/user', null);
    expect(ids()).toEqual(before);
    expect(draft.isEdited).toBe(false);
  });

  it('are added and edited like others', () => {
    const draft = draftOf();
    const id = draft.add({
      role: 'assistant',
      content: 'Hi',
      before: 'c1/user'
    });
    draft.text(id, ['content']).insert(2, '!');
    expect(draft.request.messages[1]).toEqual({
      role: 'assistant',
      content: 'Hi!'
    });
    expect(draft.counts).toMatchObject({ added: 1, edited: 0 });
    draft.remove(id);
    expect(draft.isEdited).toBe(false);
    draft.undo();
    expect(draft.request.messages[1].content).toBe('Hi!');
  });

  it('report a changed source, and apply when confirmed', () => {
    const base = usual();
    const draft = draftOf(base);
    draft.setLeaf('c0/system', ['content'], 'Be kind.');
    draft.remove('c1/user');
    draft.base = withText(
      withText(base, 'c0/system', 'Be long.'),
      'c1/user',
      'What is 1 + 1?'
    );
    expect(draft.request.messages.map(({ content }) => content)).toEqual([
      'Be long.',
      'What is 1 + 1?',
      '4',
      'And 3 + 3?'
    ]);
    expect(draft.counts).toMatchObject({ conflicts: 2, edited: 0, deleted: 0 });
    expect(section(draft, 'c1/user').pending).toBe('delete');
    draft.confirm('c0/system');
    draft.confirm('c1/user');
    expect(draft.request.messages.map(({ content }) => content)).toEqual([
      'Be kind.',
      '4',
      'And 3 + 3?'
    ]);
    draft.undo();
    expect(draft.counts.conflicts).toBe(1);
    draft.base = base;
    expect(draft.counts).toMatchObject({ conflicts: 1, deleted: 1 });
  });

  it('report that they are hidden, come back, and can be sent anyway', () => {
    const base = usual();
    const draft = draftOf(base);
    draft.setLeaf('c1/user', ['content'], 'What is 5 + 5?');
    const { body } = draft.request;
    draft.base = without(base, 'c1/user');
    expect(section(draft, 'c1/user')).toMatchObject({
      conflict: 'hidden',
      pending: { content: 'What is 5 + 5?' }
    });
    expect(draft.request.body).toBe(bytesOf(without(base, 'c1/user')));
    draft.base = base;
    expect(draft.request.body).toBe(body);
    draft.base = without(base, 'c1/user');
    draft.confirm('c1/user');
    expect(draft.request.messages.map(({ content }) => content)).toEqual([
      'Be brief.',
      '4',
      'What is 5 + 5?',
      'And 3 + 3?'
    ]);
    expect(draft.counts).toMatchObject({ conflicts: 0, added: 1 });
  });

  it('are edited as JSON, leaf by leaf where that is enough', () => {
    const draft = draftOf();
    const text = draft.text('c2/assistant', ['content']);
    draft.setMessage('c2/assistant', {
      role: 'assistant',
      content: '4.',
      name: 'Ada'
    });
    expect(text.toString()).toBe('4.');
    expect(draft.request.messages[2]).toEqual({
      role: 'assistant',
      content: '4.',
      name: 'Ada'
    });
    draft.undo();
    expect(draft.isEdited).toBe(false);
    draft.setMessage('c2/assistant', { content: '4', role: 'assistant' });
    expect(JSON.stringify(draft.request.messages[2])).toBe(
      '{"content":"4","role":"assistant"}'
    );
  });

  it('reject invalid messages and stay unchanged', () => {
    const draft = draftOf();
    const { body } = draft.request;
    const wrong = [
      () => draft.setMessage('c0/system', { role: 'boss', content: '' }),
      () => draft.setLeaf('c0/system', ['role'], 'boss'),
      () => draft.removeLeaf('c0/system', ['role']),
      () => draft.setLeaf('c0/system', ['content'], 5),
      () => draft.setLeaf('c0/system', ['content', 0, 'text'], 'x'),
      () => draft.setMessage('c0/system', 'x' as any),
      () => draft.remove('nothing'),
      () => draft.move('c0/system', 'nothing'),
      () => draft.add({ role: 'boss', content: '', before: null })
    ];
    for (const act of wrong) {
      expect(act).toThrow(expect.objectContaining({ name: 'RequestError' }));
    }
    expect(draft.request.body).toBe(body);
    expect(draft.canUndo).toBe(false);
  });

  it('report what a provider would reject', () => {
    const draft = draftOf();
    draft.setLeaf('c1/user', ['content'], '  ');
    expect(draft.request.problems).toEqual([
      expect.objectContaining({
        section: 'c1/user',
        path: ['content'],
        fatal: true
      })
    ]);
    for (const { id } of draft.request.sections) {
      draft.remove(id);
    }
    expect(draft.request.problems).toEqual([
      expect.objectContaining({ section: null, fatal: true })
    ]);
  });
});

describe('leaves', () => {
  const base = baseOf([
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        {
          id: 't1',
          type: 'function',
          function: { name: 'f', arguments: '{}' }
        },
        { id: 't2', type: 'function', function: { name: 'g', arguments: '{}' } }
      ]
    },
    { role: 'user', content: 'go' }
  ]);
  const calls = ['tool_calls', 1, 'function'];

  it('are edited at any depth', () => {
    const draft = draftOf(base);
    draft.text('c0/assistant', [...calls, 'arguments']).insert(1, '"a":1');
    draft.setLeaf('c0/assistant', [...calls, 'name'], 'h');
    const call = draft.request.messages[0].tool_calls![1];
    expect(call.function).toEqual({ name: 'h', arguments: '{"a":1}' });
    draft.reset('c0/assistant', ['tool_calls']);
    expect(draft.isEdited).toBe(false);
  });

  it('are removed from their list', () => {
    const draft = draftOf(base);
    draft.setLeaf('c0/assistant', [...calls, 'name'], 'h');
    draft.removeLeaf('c0/assistant', ['tool_calls', 0]);
    expect(draft.request.messages[0].tool_calls).toEqual([
      { id: 't2', type: 'function', function: { name: 'h', arguments: '{}' } }
    ]);
    draft.undo();
    draft.undo();
    expect(draft.isEdited).toBe(false);
  });
});

describe('options', () => {
  it('are set in place, added at the end, and removed', () => {
    const draft = draftOf();
    draft.setOption('temperature', 0.5);
    draft.setOption('model', 'other');
    draft.setOption('stream_options', undefined);
    expect(draft.request.frame).toEqual({
      model: 'other',
      messages: null,
      stream: true,
      temperature: 0.5
    });
    expect(Object.keys(JSON.parse(draft.request.body))).toEqual([
      'model',
      'messages',
      'stream',
      'temperature'
    ]);
    expect(draft.counts.options).toBe(3);
    draft.setOption('model', 'm');
    expect(draft.counts.options).toBe(2);
  });

  it('wait to be confirmed when their source changed', () => {
    const base = usual();
    const draft = draftOf(base);
    draft.setOption('model', 'mine');
    draft.base = { ...base, frame: { ...base.frame, model: 'picked' } };
    expect(draft.request.frame.model).toBe('picked');
    expect(draft.request.optionConflicts).toEqual(['model']);
    draft.confirmOption('model');
    expect(draft.request.frame.model).toBe('mine');
  });

  it.each([
    ['temperature', '1', ['temperature']],
    ['stop', ['a', 2], ['stop', 1]],
    ['tools', [{ type: 'function', function: {} }], ['tools', 0, 'function']],
    ['stream', false, ['stream']],
    ['stream', undefined, ['stream']],
    ['messages', [], ['messages']],
    ['model', '', ['model']],
    ['model', undefined, ['model']]
  ])('refuse a wrong %s (%j) at its place', (key, value, path) => {
    const draft = draftOf();
    const { body } = draft.request;
    expect(() => draft.setOption(key, value as any)).toThrow(
      expect.objectContaining({ name: 'RequestError', path })
    );
    expect(draft.request.body).toBe(body);
  });
});

describe('versions', () => {
  it('are numbered', () => {
    const draft = draftOf();
    draft.setLeaf('c0/system', ['content'], 'x');
    const one = draft.takeVersion('replay');
    draft.setOption('temperature', 1);
    draft.remove('c1/user');
    const two = draft.takeVersion('send');
    draft.move('new/user', 'c0/system');
    const three = draft.takeVersion('pause');
    expect([one.n, two.n, three.n]).toEqual([1, 2, 3]);
    expect(draft.versions).toEqual([one, two, three]);
    expect(draft.versions).toBe(draft.versions);
    draft.restoreVersion(1);
    expect(draft.request.hash).toBe(one.hash);
    draft.undo();
    expect(draft.request.hash).toBe(three.hash);
  });

  it('are not added while the bytes are the same', async () => {
    const draft = draftOf();
    draft.setLeaf('c0/system', ['content'], 'x');
    const one = draft.takeVersion('pause');
    await Promise.resolve();
    const heard = jest.fn();
    draft.changed.connect(heard);
    expect(draft.takeVersion('pause')).toBe(one);
    draft.text('c1/user', ['content']).insert(0, '!');
    draft.undo();
    await Promise.resolve();
    heard.mockClear();
    expect(draft.takeVersion('pause')).toBe(one);
    await Promise.resolve();
    // For listeners nothing has changed.
    expect(heard).not.toHaveBeenCalled();
    const sent = draft.takeVersion('send');
    expect(sent).toEqual({ ...one, why: ['pause', 'send'] });
    expect(draft.versions).toEqual([sent]);
    await Promise.resolve();
    expect(heard).toHaveBeenCalledTimes(1);

    // Nor in a draft that continues it, and the previous one keeps its own.
    const next = new RequestDraft({
      base: baseFromBody(sent.body, {
        chatId: 'chat',
        pair: 'new',
        provider: 'p',
        source: 'journal'
      }),
      before: draft
    });
    expect(next.takeVersion('replay').n).toBe(1);
    expect(next.versions).toHaveLength(1);
    expect(draft.versions).toEqual([sent]);
    expect(draftOf(usual(), next.encode()).versions).toEqual(next.versions);
  });

  it('are restored to their bytes, whatever the source has become', () => {
    const base = usual();
    const draft = draftOf(base);
    draft.setLeaf('c1/user', ['content'], 'x');
    const { n, body } = draft.takeVersion('send');
    draft.base = without(withText(base, 'c0/system', 'New.'), 'c2/assistant');
    draft.restoreVersion(n);
    expect(draft.request.body).toBe(body);
  });

  it('can be opened and restored after they were stored', () => {
    const draft = draftOf();
    draft.remove('c1/user');
    const { n, body } = draft.takeVersion('replay');
    draft.reset();
    const again = draftOf(usual(), draft.encode());
    expect(again.versions).toEqual(draft.versions);
    expect(again.open(n).body).toBe(body);
    again.restoreVersion(n);
    expect(again.request.body).toBe(body);
  });
});

it('emits once for several changes', async () => {
  const draft = draftOf();
  const heard = jest.fn();
  draft.changed.connect(heard);
  draft.setOption('temperature', 1);
  draft.remove('c1/user');
  await Promise.resolve();
  expect(heard).toHaveBeenCalledTimes(1);
});
