import { notebookOf } from '../../document/chatfile';
import { replyOutput } from '../../document/reply';
import { readItems } from '../items';
import { readSide, versionsBeside } from '../read';

/** A chat whose only pair is in this state, by a run that is an attempt at it. */
function chat(
  state: string,
  runId: string,
  reply: string | null,
  attempt = 1,
  createdAt = 7
) {
  const cell = {
    cell_type: 'code',
    id: 'pair',
    source: 'Why?',
    execution_count: null,
    metadata: {
      turnbook_run: { state, runId, model: 'p/m', attempt, createdAt }
    },
    outputs:
      reply === null
        ? []
        : [replyOutput({ text: reply, runId, partial: false })]
  };
  return notebookOf([cell] as any[], { chatId: 'chat' });
}

/** What is compared of a chat, as the layout restores it. */
function itemIn(notebook: unknown) {
  const place = { path: 'a.chat.ipynb', pair: 'pair' };
  const [item] = versionsBeside(place, notebook);
  return readItems(JSON.parse(JSON.stringify([item, item])))![0];
}

const read = (notebook: unknown, item = itemIn(notebook)) =>
  readSide(item, {
    title: 'a',
    notebook,
    priceOf: () => null,
    getRequest: async () => null
  });

it('a reply that is compared is said to be in progress, and is there after a later attempt', async () => {
  const chosen = chat('awaiting', 'first', null);
  const before = await read(chosen);
  expect(before.notes).toContain('The reply is in progress.');
  expect(before.notes).not.toContain('This version has no reply.');

  const later = chat('succeeded', 'second', 'Because.', 2);
  const after = await read(later, itemIn(chosen));
  expect(after.said.at(-1)).toMatchObject({ text: 'Because.', isReply: true });
  expect(after.notes).not.toContain('The reply is in progress.');
});

it.each([
  ['after a complete one', chat('succeeded', 'first', 'So.'), 2, 7],
  ['of an earlier attempt', chat('error', 'first', null, 3), 2, 7],
  ['in another pair of that name', chat('error', 'first', null), 2, 8]
])(
  'another reply is not shown instead of a compared one: %s',
  async (_, chosen, attempt, createdAt) => {
    const other = chat('succeeded', 'other', 'Else.', attempt, createdAt);
    await expect(read(other, itemIn(chosen))).rejects.toThrow(
      'no longer has this version'
    );
  }
);
