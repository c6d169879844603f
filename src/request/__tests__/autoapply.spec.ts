import 'fake-indexeddb/auto';

import { AutoApply, readRules, SharedRules } from '../autoapply';
import { RequestDraft } from '../draft';
import type { IRule } from '../rules';
import { browserStorage } from '../../base/storage';
import { usual } from './requests';

let chats = 0;

/** A chat whose notebook is a list of rules. */
class Chat {
  readonly name = `rules-${++chats}`;
  notebook: unknown = undefined;
  /** Whether this browser created the file. */
  isOwn = false;

  apply(shared = new SharedRules(browserStorage())): AutoApply {
    return new AutoApply({
      shared,
      storage: browserStorage(),
      read: () => this.notebook,
      write: rules => {
        this.notebook = { rules };
      },
      isOwn: () => this.isOwn,
      now: () => 5
    });
  }
}

/** A chat whose file came from elsewhere, with a rule that is on. */
function foreign(): Chat {
  const maker = new Chat();
  const rules = maker.apply();
  rules.on = true;
  rules.keepSent(edited().request);
  const chat = new Chat();
  chat.notebook = JSON.parse(JSON.stringify(maker.notebook));
  return chat;
}

/** The system section of a usual request, edited. */
function edited(): RequestDraft {
  const draft = new RequestDraft({ base: usual() });
  draft.setLeaf(draft.request.sections[0].id, ['content'], 'Be kind.');
  return draft;
}

describe('AutoApply', () => {
  it('is off, whatever the notebook says, until the user turns it on', async () => {
    const chat = new Chat();
    const first = chat.apply();
    await first.open(chat.name);
    first.on = true;
    first.keepSent(edited().request);
    expect(first.inForce).toHaveLength(1);

    // The same file in a browser where the user did not choose.
    const elsewhere = chat.apply();
    await elsewhere.open('another browser');
    expect(elsewhere.list).toHaveLength(1);
    expect(elsewhere.inForce).toEqual([]);
    // And after a reload where they did.
    const after = chat.apply();
    await after.open(chat.name);
    expect(after.inForce).toHaveLength(1);
  });

  it('treats rules that came with a file as off while only the setting is on', async () => {
    const chat = foreign();
    const rules = chat.apply();
    rules.fallback = true;
    await rules.open(chat.name);
    expect(rules.on).toBe(true);
    expect(rules.list.map(({ on }) => on)).toEqual([false]);
    expect(rules.inForce).toEqual([]);
    // The file is unchanged.
    expect(readRules(chat.notebook).map(({ on }) => on)).toEqual([true]);
    // Moved to all chats, it is off there.
    const [{ id }] = rules.list;
    rules.set(id, { scope: 'all' });
    expect(rules.list).toMatchObject([{ id, scope: 'all', on: false }]);
    rules.remove(id);
  });

  it('applies them in a file created in this browser', async () => {
    const chat = foreign();
    chat.isOwn = true;
    const rules = chat.apply();
    rules.fallback = true;
    await rules.open(chat.name);
    expect(rules.inForce).toHaveLength(1);
  });

  it('applies them once the user turns it on in this chat, also after a reload', async () => {
    const chat = foreign();
    const rules = chat.apply();
    await rules.open(chat.name);
    rules.on = true;
    expect(rules.inForce).toHaveLength(1);
    const after = chat.apply();
    after.fallback = true;
    await after.open(chat.name);
    expect(after.inForce).toHaveLength(1);
  });

  it('applies the one that the user turns on, also after a reload', async () => {
    const chat = foreign();
    const first = chat.apply();
    first.fallback = true;
    await first.open(chat.name);
    first.set(first.list[0].id, { on: true });
    expect(first.inForce).toHaveLength(1);
    const after = chat.apply();
    after.fallback = true;
    await after.open(chat.name);
    expect(after.inForce).toHaveLength(1);
    after.set(after.list[0].id, { on: false });
    expect(after.inForce).toEqual([]);
  });

  it.each([
    ['sent', (rules: AutoApply) => rules.keepSent(edited().request)],
    [
      'brought back from all chats',
      (rules: AutoApply) => {
        rules.keepSent(edited().request);
        const [{ id }] = rules.list;
        rules.set(id, { scope: 'all' });
        rules.set(id, { scope: 'chat' });
      }
    ]
  ])(
    'applies rules that were made here by the setting: %s',
    async (_, make) => {
      const chat = new Chat();
      const first = chat.apply();
      first.fallback = true;
      make(first);
      // A chat gets its name with its first message.
      await first.open(chat.name);
      expect(first.inForce).toHaveLength(1);
      const after = chat.apply();
      after.fallback = true;
      await after.open(chat.name);
      expect(after.inForce).toHaveLength(1);
      // In another browser they are only the file's.
      const elsewhere = chat.apply();
      elsewhere.fallback = true;
      await elsewhere.open(`${chat.name} elsewhere`);
      expect(elsewhere.inForce).toEqual([]);
    }
  );

  it('moves a rule to all chats and back, and deletes it', async () => {
    const chat = new Chat();
    const shared = new SharedRules(browserStorage());
    await shared.ready;
    const rules = chat.apply(shared);
    const other = new Chat().apply(shared);
    rules.on = other.on = true;
    rules.keepSent(edited().request);
    const [{ id }] = rules.list;
    expect(other.inForce).toEqual([]);
    rules.set(id, { scope: 'all' });
    expect(other.inForce.map(rule => rule.id)).toEqual([id]);
    expect(readRules(chat.notebook)).toEqual([]);
    other.set(id, { on: false });
    expect(rules.inForce).toEqual([]);
    rules.set(id, { scope: 'chat', on: true });
    expect(other.list).toEqual([]);
    rules.remove(id);
    expect(rules.list).toEqual([]);
  });

  it('replaces the rule of a section by its next edit', async () => {
    const rules = new Chat().apply();
    rules.on = true;
    const draft = edited();
    rules.keepSent(draft.request);
    draft.remove(draft.request.sections[0].id);
    rules.keepSent(draft.request);
    expect(rules.list.map(({ edit }: IRule) => edit.kind)).toEqual(['delete']);
  });

  it('keeps the prefix edits of a send, once, while it is on', () => {
    const chat = new Chat();
    const rules = chat.apply();
    const draft = edited();
    // The pair and the message itself belong to this send alone.
    draft.setLeaf('c1/user', ['content'], 'What is 1 + 1?');
    draft.setLeaf('new/user', ['content'], 'And 4 + 4?');
    rules.keepSent(draft.request);
    expect(rules.list).toEqual([]);
    rules.on = true;
    const heard = jest.fn();
    rules.changed.connect(heard);
    rules.keepSent(draft.request);
    expect(heard).toHaveBeenCalledTimes(1);
    expect(rules.inForce).toMatchObject([
      { section: { id: 'c0/system' }, on: true, scope: 'chat' }
    ]);
    rules.keepSent(draft.request);
    rules.keepSent(new RequestDraft({ base: usual() }).request);
    expect(heard).toHaveBeenCalledTimes(1);

    // The effect of a rule is not a new edit; an edit on top of it is.
    const next = new RequestDraft({ base: usual(), autoApply: rules.inForce });
    rules.keepSent(next.request);
    expect(heard).toHaveBeenCalledTimes(1);
    next.setLeaf('c0/system', ['content'], 'Be kinder.');
    rules.keepSent(next.request);
    expect(rules.list.map(({ edit }) => edit)).toEqual([
      { kind: 'message', message: { role: 'system', content: 'Be kinder.' } }
    ]);
    // Turned off, it is not applied; kept by another send, it is on again.
    rules.set(rules.list[0].id, { on: false });
    expect(rules.inForce).toEqual([]);
    rules.keepSent(next.request);
    expect(rules.inForce).toHaveLength(1);
    expect(rules.list).toHaveLength(1);
  });

  it('does not repeat the edit of a rule from another chat', async () => {
    const shared = new SharedRules(browserStorage());
    await shared.ready;
    const first = new Chat().apply(shared);
    first.on = true;
    first.keepSent(edited().request);
    first.set(first.list[0].id, { scope: 'all' });
    const other = new Chat().apply(shared);
    other.on = true;
    const base = {
      ...usual(),
      chatId: 'other',
      sections: usual().sections.map(one => ({ ...one, id: `x-${one.id}` }))
    };
    const draft = new RequestDraft({ base, autoApply: other.inForce });
    expect(draft.counts.edited).toBe(1);
    other.keepSent(draft.request);
    expect(other.list).toHaveLength(1);
    shared.list = [];
  });

  it('is not needed for an edit that the user keeps, also after a reload', async () => {
    const chat = new Chat();
    const rules = chat.apply();
    await rules.open(chat.name);
    const draft = edited();
    const [section, , , message] = draft.request.sections;
    expect(rules.canKeep(section)).toBe(true);
    expect(rules.canKeep(message)).toBe(false);
    rules.keep(section, draft.base);
    expect(rules.inForce).toHaveLength(1);
    expect(rules.canKeep(section)).toBe(false);
    expect(rules.on).toBe(false);

    const after = chat.apply();
    await after.open(chat.name);
    expect(after.inForce).toHaveLength(1);
    // The file alone does not apply it.
    const elsewhere = chat.apply();
    await elsewhere.open('yet another browser');
    expect(elsewhere.inForce).toEqual([]);
    after.set(after.list[0].id, { on: false });
    expect(after.inForce).toEqual([]);
    // While it is on, sending keeps them.
    after.on = true;
    draft.remove(section.id);
    expect(after.canKeep(draft.request.sections[0])).toBe(false);
  });

  it('keeps a choice made before the chat had a name, and reads the format of earlier releases', async () => {
    const chat = new Chat();
    const rules = chat.apply();
    const draft = edited();
    rules.keep(draft.request.sections[0], draft.base);
    await rules.open(chat.name);
    const after = chat.apply();
    await after.open(chat.name);
    expect(after.inForce).toHaveLength(1);
    await browserStorage().set('turnbook:auto-apply:old', true);
    const old = chat.apply();
    await old.open('old');
    expect(old.on).toBe(true);
    await browserStorage().set('turnbook:auto-apply:odd', { on: 1, kept: 2 });
    const odd = chat.apply();
    await odd.open('odd');
    expect(odd.on).toBe(false);
    expect(odd.inForce).toEqual([]);
  });

  it('follows the setting where the user did not choose, and emits once', () => {
    const rules = new Chat().apply();
    const heard = jest.fn();
    rules.changed.connect(heard);
    rules.fallback = true;
    rules.fallback = true;
    expect(rules.on).toBe(true);
    expect(heard).toHaveBeenCalledTimes(1);
    rules.on = false;
    rules.fallback = false;
    rules.fallback = true;
    expect(rules.on).toBe(false);
    rules.dispose();
    heard.mockClear();
    rules.fallback = false;
    expect(heard).not.toHaveBeenCalled();
  });

  it('ignores invalid rules', () => {
    expect(readRules('x')).toEqual([]);
    expect(readRules({ rules: [null, {}, { id: 'a', on: true }] })).toEqual([]);
  });
});
