import { RequestDraft } from '../draft';
import type { IRequestBase } from '../model';
import { ruleFor, ruleHash, type IRule, type RuleEdit } from '../rules';
import { baseOf, usual } from './requests';

const SYSTEM = usual().sections[0];

function rule(
  edit: RuleEdit = {
    kind: 'message',
    message: { role: 'system', content: 'Be kind.' }
  },
  more: Partial<IRule> = {}
): IRule {
  return {
    id: 'rule',
    section: {
      id: SYSTEM.id,
      kind: SYSTEM.kind,
      role: 'system',
      baseHash: ruleHash(SYSTEM.message)
    },
    edit,
    origin: { chatId: 'chat', pair: 'before', at: 1 },
    scope: 'chat',
    on: true,
    ...more
  };
}

function draftOf(rules: IRule[], base = usual()): RequestDraft {
  return new RequestDraft({ base, autoApply: rules });
}

function withSystem(content: string): IRequestBase {
  const [, ...rest] = usual().sections.map(({ message }) => message);
  return baseOf([{ role: 'system', content }, ...rest]);
}

const contents = (draft: RequestDraft) =>
  draft.request.messages.map(({ content }) => content);

describe('a rule', () => {
  it('edits later requests and is named as the origin', () => {
    const draft = draftOf([rule()]);
    expect(contents(draft)[0]).toBe('Be kind.');
    expect(draft.request.sections[0]).toMatchObject({
      edited: true,
      origin: 'rule',
      original: { content: 'Be brief.' }
    });
    expect(draft.isEdited).toBe(true);
    expect(draft.hasEdits).toBe(false);
    expect(draft.canUndo).toBe(false);
  });

  it('deletes, and is turned off for one request by restoring or resetting', () => {
    const draft = draftOf([rule({ kind: 'delete' })]);
    expect(draft.request.messages).toHaveLength(3);
    draft.restore(SYSTEM.id);
    expect(draft.isEdited).toBe(false);
    draft.undo();
    expect(draft.request.messages).toHaveLength(3);

    const other = draftOf([rule()]);
    other.reset(SYSTEM.id);
    expect(other.isEdited).toBe(false);
    other.undo();
    expect(contents(other)[0]).toBe('Be kind.');
    other.reset();
    expect(other.isEdited).toBe(false);
  });

  it('is applied before edits of the request', () => {
    const draft = draftOf([rule()]);
    draft.text(SYSTEM.id, ['content']).insert(3, 'very ');
    expect(contents(draft)[0]).toBe('Be very kind.');
    draft.undo();
    expect(contents(draft)[0]).toBe('Be kind.');
    draft.autoApply = [];
    expect(contents(draft)[0]).toBe('Be brief.');
    expect(draft.isEdited).toBe(false);
  });

  it('waits to be confirmed when its section has changed', () => {
    const draft = draftOf([rule()], withSystem('Be long.'));
    expect(contents(draft)[0]).toBe('Be long.');
    expect(draft.request.sections[0]).toMatchObject({
      conflict: 'changed',
      origin: 'rule',
      pending: { content: 'Be kind.' }
    });
    draft.confirm(SYSTEM.id);
    expect(contents(draft)[0]).toBe('Be kind.');
    draft.base = withSystem('Be longer.');
    expect(contents(draft)[0]).toBe('Be longer.');
  });

  it('keeps what the request decided about it when stored', () => {
    const draft = draftOf([rule()]);
    draft.reset(SYSTEM.id);
    const again = new RequestDraft({
      base: usual(),
      autoApply: [rule()],
      state: draft.encode()
    });
    expect(again.request.body).toBe(draft.request.body);
    expect(contents(again)[0]).toBe('Be brief.');
  });

  it('is kept by versions', () => {
    const draft = draftOf([rule()]);
    const { n, body } = draft.takeVersion('send');
    draft.autoApply = [];
    expect(draft.open(n).body).toBe(body);
    draft.restoreVersion(n);
    expect(draft.request.body).toBe(body);
  });
});

describe('ruleFor', () => {
  const elsewhere = rule(undefined, {
    scope: 'all',
    origin: { chatId: 'other', pair: 'x', at: 1 },
    section: { ...rule().section, id: 'other/system' }
  });

  it('matches its own section first, then equal content', () => {
    const own = rule(undefined, { id: 'own' });
    expect(ruleFor([elsewhere, own], SYSTEM, 'chat')).toEqual({
      rule: own,
      fits: true
    });
    expect(ruleFor([elsewhere], SYSTEM, 'chat')).toEqual({
      rule: elsewhere,
      fits: true
    });
  });

  it('ignores other chats, other kinds and rules that are off', () => {
    const chat = { ...elsewhere, scope: 'chat' as const };
    expect(ruleFor([chat], SYSTEM, 'chat')).toBeNull();
    expect(
      ruleFor([rule(undefined, { on: false })], SYSTEM, 'chat')
    ).toBeNull();
    const history = usual().sections[1];
    const wide = rule(undefined, {
      section: {
        id: history.id,
        kind: 'history',
        role: 'user',
        baseHash: ruleHash(history.message)
      }
    });
    expect(ruleFor([wide], history, 'chat')).toBeNull();
    const changed = withSystem('Be long.').sections[0];
    expect(ruleFor([elsewhere], changed, 'chat')).toBeNull();
  });
});
