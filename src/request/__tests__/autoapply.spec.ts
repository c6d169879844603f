import 'fake-indexeddb/auto';

import { AutoApply, readRules, SharedRules } from '../autoapply';
import { RequestDraft } from '../draft';
import type { IRule } from '../rules';
import { browserStorage } from '../storage';
import { usual } from './requests';

let chats = 0;

/** A chat whose notebook is a list of rules. */
class Chat {
  readonly name = `rules-${++chats}`;
  notebook: unknown = undefined;

  apply(shared = new SharedRules(browserStorage())): AutoApply {
    return new AutoApply({
      shared,
      storage: browserStorage(),
      read: () => this.notebook,
      write: rules => {
        this.notebook = { rules };
      },
      now: () => 5
    });
  }
}

/** The system section of a usual request, edited. */
function edited(): RequestDraft {
  const draft = new RequestDraft({ base: usual() });
  draft.setLeaf(draft.request.sections[0].id, ['content'], 'Be kind.');
  return draft;
}

describe('AutoApply', () => {
  it('is off, whatever the notebook says, until the user switches it on', async () => {
    const chat = new Chat();
    const first = chat.apply();
    await first.open(chat.name);
    first.on = true;
    const draft = edited();
    const [section] = draft.request.sections;
    expect(first.canKeep(section)).toBe(true);
    first.keep(section, draft.base);
    expect(first.inForce).toHaveLength(1);
    expect(first.canKeep(section)).toBe(false);

    // The same file in a browser in which nobody chose.
    const elsewhere = chat.apply();
    await elsewhere.open('another browser');
    expect(elsewhere.list).toHaveLength(1);
    expect(elsewhere.inForce).toEqual([]);
    // And after a reload where somebody did.
    const after = chat.apply();
    await after.open(chat.name);
    expect(after.inForce).toHaveLength(1);
  });

  it('moves a rule to all chats and back, and forgets it', async () => {
    const chat = new Chat();
    const shared = new SharedRules(browserStorage());
    await shared.ready;
    const rules = chat.apply(shared);
    const other = new Chat().apply(shared);
    rules.on = other.on = true;
    const draft = edited();
    rules.keep(draft.request.sections[0], draft.base);
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
    rules.keep(draft.request.sections[0], draft.base);
    draft.remove(draft.request.sections[0].id);
    rules.keep(draft.request.sections[0], draft.base);
    expect(rules.list.map(({ edit }: IRule) => edit.kind)).toEqual(['delete']);
  });

  it('passes over what is no rule', () => {
    expect(readRules('x')).toEqual([]);
    expect(readRules({ rules: [null, {}, { id: 'a', on: true }] })).toEqual([]);
  });
});
