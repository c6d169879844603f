import 'fake-indexeddb/auto';

import { gatherContext, type ContextCell } from '../../context/gather';
import type { IEditMark, IRunInfo } from '../../document/metadata';
import type { RequestDraft } from '../draft';
import { bodyHash, defaultFrame, renderRequest } from '../render';
import { ChatRequests, LIVE } from '../requests';
import type { ISentPair } from '../past';
import { browserStorage, type IRequestStorage } from '../../base/storage';
import { editMark } from '../trace';

const CELLS: ContextCell[] = [
  { kind: 'system', id: 's', text: 'Be brief.' },
  { kind: 'pair', id: 'a', user: '2 + 2?', reply: '4', state: 'succeeded' }
];

let chats = 0;

/** A chat without a document: what is visible, being written, and sent. */
class Chat {
  readonly id = `chat-${++chats}`;
  cells = CELLS;
  model = 'p/m';
  pair = 'next';
  text = '3 + 3?';
  gathered = 0;
  sent = new Map<string, ISentPair>();
  journal = new Map<string, string>();

  requests(storage = browserStorage()): ChatRequests {
    return new ChatRequests({
      host: {
        chatId: () => this.id,
        model: () => this.model,
        message: () => ({ pair: this.pair, text: this.text }),
        gather: text => {
          this.gathered += 1;
          return { ...gatherContext(this.cells, text), trimmed: 0 };
        },
        debugName: pair => `Chat · ${pair}`,
        sentPair: id => this.sent.get(id) ?? null
      },
      getRequest: async id => {
        const body = this.journal.get(id);
        return body === undefined ? null : new TextEncoder().encode(body);
      },
      storage
    });
  }

  /** Add a pair that was sent with these bytes. */
  addSent(pair: string, body: string, info: Partial<IRunInfo> = {}): void {
    this.sent.set(pair, {
      id: pair,
      info: {
        state: 'succeeded',
        model: 'p/m',
        createdAt: 1,
        updatedAt: 1,
        runId: `run of ${pair}`,
        attempt: 1,
        context: [],
        requestHash: bodyHash(body),
        ...info
      },
      context: gatherContext(CELLS, 'sent text'),
      record: null
    });
  }
}

/** A database that responds more slowly than the keeper waits before it writes. */
function slowly(storage: IRequestStorage): IRequestStorage {
  return {
    ...storage,
    get: async key => {
      const found = await storage.get(key);
      await new Promise(resolve => setTimeout(resolve, 300));
      return found;
    }
  };
}

function settled(requests: ChatRequests): Promise<void> {
  return new Promise(resolve => {
    const done = () => {
      requests.changed.disconnect(done);
      resolve();
    };
    requests.changed.connect(done);
  });
}

const SENT = renderRequest(
  defaultFrame('m'),
  gatherContext(CELLS, 'sent text').messages
);

describe('the request being written', () => {
  it('is made of the visible cells and the text', () => {
    const chat = new Chat();
    const { live } = chat.requests();
    expect(live.request.body).toBe(
      renderRequest(defaultFrame('m'), gatherContext(CELLS, '3 + 3?').messages)
    );
    expect(live.request.sections.map(({ id }) => id)).toEqual([
      's/system',
      'a/user',
      'a/assistant',
      'next/user'
    ]);
  });

  it('is not built while it is not watched, and follows while it is', async () => {
    const chat = new Chat();
    const requests = chat.requests();
    for (const text of ['a', 'ab', 'abc']) {
      chat.text = text;
      requests.refresh();
    }
    expect(chat.gathered).toBe(0);
    const watch = requests.watch();
    await settled(requests);
    expect(chat.gathered).toBe(1);
    for (const text of ['abcd', 'abcde']) {
      chat.text = text;
      requests.refresh();
    }
    await settled(requests);
    expect(chat.gathered).toBe(2);
    expect(requests.current!.request.messages[3].content).toBe('abcde');
    watch.dispose();
    chat.text = 'abcdef';
    requests.refresh();
    expect(requests.live.request.messages[3].content).toBe('abcdef');
  });

  it('keeps its edits while the source changes, and counts them', async () => {
    const chat = new Chat();
    const requests = chat.requests();
    requests.live.setLeaf('s/system', ['content'], 'Be kind.');
    expect(requests.edits).toMatchObject({ edited: 1 });
    chat.text = 'other';
    requests.refresh();
    await settled(requests);
    expect(
      requests.current!.request.messages.map(({ content }) => content)
    ).toEqual(['Be kind.', '2 + 2?', '4', 'other']);
  });

  it('ends with its send and leaves its versions to the pair', async () => {
    const chat = new Chat();
    const requests = chat.requests();
    const draft = requests.live;
    draft.remove('a/user');
    const { body } = draft.request;
    requests.leave('next', draft);
    chat.pair = 'later';
    chat.text = '';
    expect(requests.edits).toBeNull();
    expect(requests.live.hasEdits).toBe(false);
    expect(requests.madeBody('next')).toBe(body);

    chat.addSent('next', body);
    chat.journal.set('run of next', body);
    const past = await requests.draftOf('next');
    expect(past.request.body).toBe(body);
    expect(past.isEdited).toBe(false);
    expect(past.versions.map(({ why }) => why)).toEqual([['send']]);
    past.setLeaf('next/user', ['content'], 'x');
    past.restoreVersion(1);
    expect(past.request.body).toBe(body);
  });

  it('is restored with its edits if nothing was sent', () => {
    const chat = new Chat();
    const requests = chat.requests();
    const draft = requests.live;
    draft.remove('a/user');
    const takeBack = requests.leave('next', draft);
    expect(requests.live).not.toBe(draft);
    takeBack();
    expect(requests.live).toBe(draft);
    expect(requests.edits).toMatchObject({ deleted: 1 });
  });

  it('survives a reload with its edits until it is sent', async () => {
    const chat = new Chat();
    const before = chat.requests();
    await before.open(chat.id);
    before.live.setOption('temperature', 0.5);
    before.live.text('next/user', ['content']).insert(0, 'So: ');
    const { body } = before.live.request;
    await before.flush();
    before.dispose();

    const after = chat.requests();
    await after.open(chat.id);
    expect(after.edits).toMatchObject({ edited: 1, options: 1 });
    expect(after.live.request.body).toBe(body);

    after.leave('next', after.live);
    await after.flush();
    const last = chat.requests();
    await last.open(chat.id);
    expect(last.edits).toBeNull();
  });

  it('survives although one without edits is shown until it is read', async () => {
    const chat = new Chat();
    const before = chat.requests();
    await before.open(chat.id);
    before.live.setOption('temperature', 0.5);
    await before.flush();
    before.dispose();

    const after = chat.requests(slowly(browserStorage()));
    void after.live;
    chat.text = 'Written when the page came back';
    after.refresh();
    void after.live;
    await after.open(chat.id);
    expect(after.edits).toMatchObject({ options: 1 });
    after.dispose();
    const last = chat.requests();
    await last.open(chat.id);
    expect(last.edits).toMatchObject({ options: 1 });
  });

  it('keeps edits that are made before the stored ones have been read', async () => {
    const chat = new Chat();
    const before = chat.requests();
    const opening = before.open(chat.id);
    before.live.setOption('temperature', 0.5);
    await opening;
    await before.flush();
    const after = chat.requests();
    await after.open(chat.id);
    expect(after.edits).toMatchObject({ options: 1 });
  });

  it('does not use edits of another message or chat', async () => {
    const chat = new Chat();
    const before = chat.requests();
    await before.open(chat.id);
    before.live.setOption('temperature', 0.5);
    await before.flush();

    const other = new Chat().requests();
    await other.open('another chat');
    expect(other.edits).toBeNull();
    chat.pair = 'another pair';
    const later = chat.requests();
    await later.open(chat.id);
    expect(later.edits).toBeNull();
  });
});

describe('a request that was sent', () => {
  it('is the exact bytes of the journal', async () => {
    const chat = new Chat();
    const bytes = SENT.replace('"stream":true', '"stream": true, "x": 1.0');
    chat.addSent('b', bytes);
    chat.journal.set('run of b', bytes);
    const { request } = await chat.requests().draftOf('b');
    expect(request.body).toBe(bytes);
    expect(request.base).toMatchObject({
      source: 'journal',
      expected: bodyHash(bytes)
    });
    expect(request.sections.map(({ id, cell }) => [id, cell])).toEqual([
      ['s/system', 's'],
      ['a/user', 'a'],
      ['a/assistant', 'a'],
      ['b/user', 'b']
    ]);
  });

  it('comes from a record if the journal does not have it', async () => {
    const chat = new Chat();
    chat.addSent('b', SENT);
    const record = { payload: SENT, hash: bodyHash(SENT) };
    chat.sent.set('b', { ...chat.sent.get('b')!, record });
    const { request } = await chat.requests().draftOf('b');
    expect(request.base.source).toBe('record');
    expect(request.body).toBe(SENT);
  });

  it('is rebuilt from its context and options if it is not stored', async () => {
    const chat = new Chat();
    const body = renderRequest(
      { model: 'm', messages: null, stream: true, temperature: 0.5 },
      gatherContext(CELLS, 'sent text').messages
    );
    chat.addSent('b', body, {
      options: { temperature: 0.5, stream_options: null }
    });
    const { request } = await chat.requests().draftOf('b');
    expect(request.base.source).toBe('reconstructed');
    expect(request.hash).toBe(request.base.expected);
  });

  it('is read once, and again after another attempt', async () => {
    const chat = new Chat();
    chat.addSent('b', SENT);
    chat.journal.set('run of b', SENT);
    const requests = chat.requests();
    const [one, two] = await Promise.all([
      requests.draftOf('b'),
      requests.draftOf('b')
    ]);
    expect(two).toBe(one);
    chat.addSent('b', SENT, { runId: 'another' });
    expect(await requests.draftOf('b')).not.toBe(one);
  });

  it('is the current one once it is the target', async () => {
    const chat = new Chat();
    chat.addSent('b', SENT);
    chat.journal.set('run of b', SENT);
    const requests = chat.requests();
    const targets = new Set<string>();
    requests.changed.connect(({ target }) => targets.add(target));
    requests.target = 'b';
    expect(requests.current).toBeNull();
    const draft = await requests.draftOf(requests.target);
    expect(requests.current).toBe(draft);
    requests.target = LIVE;
    expect(requests.current).toBe(requests.live);
    expect([...targets]).toEqual(['b', LIVE]);
  });

  it('has the name of its turn, and says that it was trimmed', async () => {
    const chat = new Chat();
    for (const [pair, kept] of [
      ['b', true],
      ['c', false]
    ] as const) {
      chat.addSent(pair, SENT, { trimmed: { pairs: 3, tokens: 99 } });
      if (kept) {
        chat.journal.set(`run of ${pair}`, SENT);
      }
      const { base } = await chat.requests().draftOf(pair);
      expect(base).toMatchObject({ trimmed: 3, debugName: `Chat · ${pair}` });
    }
    expect(chat.requests().live.base.debugName).toBe('Chat · next');
    expect(chat.requests().resend('b', 'x').base.debugName).toBe('Chat · b');
  });

  describe('after it was edited', () => {
    /** Send an edited request; return the journal's bytes. */
    function send(
      chat: Chat,
      requests: ChatRequests,
      edit: (draft: RequestDraft) => void
    ): string {
      const draft = requests.live;
      edit(draft);
      const { body } = draft.request;
      chat.addSent(chat.pair, body, { edited: editMark(draft.counts) });
      const sent = chat.sent.get(chat.pair)!;
      const context = gatherContext(chat.cells, chat.text);
      chat.sent.set(chat.pair, { ...sent, context });
      chat.journal.set(`run of ${chat.pair}`, body);
      requests.leave(chat.pair, draft);
      return body;
    }

    it.each([
      [
        'a changed section',
        { sections: 1, deleted: 0, added: 0, options: 0 },
        draft => draft.setLeaf('s/system', ['content'], 'Be kind.')
      ],
      [
        'the message itself, and a deleted one before it',
        { sections: 1, deleted: 1, added: 0, options: 0 },
        draft => {
          draft.remove('a/user');
          draft.setLeaf('next/user', ['content'], '4 + 4?');
        }
      ],
      [
        'an added section and an option',
        { sections: 0, deleted: 0, added: 1, options: 1 },
        draft => {
          draft.add({ role: 'user', content: 'So.', before: 'a/user' });
          draft.setOption('temperature', 0.5);
        }
      ],
      [
        'another order',
        { sections: 1, deleted: 0, added: 0, options: 0 },
        draft => draft.move('next/user', 's/system')
      ]
    ] as [string, IEditMark, (draft: RequestDraft) => void][])(
      'it shows %s against what the cells said, also after a reload',
      async (_, mark, edit) => {
        const chat = new Chat();
        const page = chat.requests();
        const body = send(chat, page, edit);
        expect(chat.sent.get('next')!.info.edited).toEqual(mark);
        for (const requests of [page, chat.requests()]) {
          const past = await requests.draftOf('next');
          expect(past.request.body).toBe(body);
          expect(past.base).toMatchObject({ source: 'journal', edited: mark });
          expect(editMark(past.counts)).toEqual(mark);
          expect(past.base.sections.map(({ id }) => id)).toEqual([
            's/system',
            'a/user',
            'a/assistant',
            'next/user'
          ]);
          expect(past.canUndo).toBe(false);
          past.reset();
          expect(past.request.messages).toEqual(
            gatherContext(CELLS, '3 + 3?').messages
          );
        }
      }
    );

    it('shows no false edits when the cells changed since', async () => {
      const chat = new Chat();
      const body = send(chat, chat.requests(), draft =>
        draft.setLeaf('s/system', ['content'], 'Be kind.')
      );
      const sent = chat.sent.get('next')!;
      const cells = [CELLS[0], { ...CELLS[1], reply: 'four' } as ContextCell];
      chat.sent.set('next', {
        ...sent,
        context: gatherContext(cells, '3 + 3?')
      });
      const past = await chat.requests().draftOf('next');
      expect(past.request.body).toBe(body);
      expect(past.isEdited).toBe(false);
      expect(past.base.edited).toEqual(sent.info.edited);
    });

    it('marks nothing if the pair has no mark or the bytes are gone', async () => {
      const chat = new Chat();
      send(chat, chat.requests(), draft => draft.remove('a/user'));
      const sent = chat.sent.get('next')!;
      chat.sent.set('next', {
        ...sent,
        info: { ...sent.info, edited: undefined }
      });
      expect((await chat.requests().draftOf('next')).isEdited).toBe(false);
      chat.sent.set('next', sent);
      chat.journal.clear();
      const past = await chat.requests().draftOf('next');
      expect(past.isEdited).toBe(false);
      expect(past.base.source).toBe('reconstructed');
    });
  });

  it('is refused when the pair is unknown', async () => {
    await expect(new Chat().requests().draftOf('none')).rejects.toThrow(
      'never sent'
    );
  });
});

describe('parity', () => {
  it('agrees, differs, or is unknown', () => {
    const requests = new Chat().requests();
    const found: string[] = [];
    requests.parity.mismatch.connect((_, { pair }) => found.push(pair));
    expect(requests.parity.of('a').state).toBe('unknown');
    requests.heard({ id: '1', pair: 'a', hash: 'ff' }, 'ff');
    requests.heard({ id: '2', pair: 'b', hash: 'ff' }, 'fe');
    requests.heard({ id: '2', pair: 'b', hash: 'ff' }, 'fe');
    requests.heard({ id: '3', pair: 'c', hash: 'ff' }, '');
    expect(requests.parity.of('a').state).toBe('agrees');
    expect(requests.parity.of('b').state).toBe('differs');
    expect(requests.parity.of('c').state).toBe('unknown');
    expect(found).toEqual(['b']);
  });
});
