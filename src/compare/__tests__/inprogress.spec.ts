import { notebookOf } from '../../document/chatfile';
import { replyOutput } from '../../document/reply';
import { readSide } from '../read';

/** A chat whose only pair is in this state, by a run. */
function chat(state: string, runId: string, reply: string | null) {
  const cell = {
    cell_type: 'code',
    id: 'pair',
    source: 'Why?',
    execution_count: null,
    metadata: {
      turnbook_run: { state, runId, model: 'p/m', attempt: 1, context: [] }
    },
    outputs:
      reply === null
        ? []
        : [replyOutput({ text: reply, runId, partial: false })]
  };
  return notebookOf([cell] as any[], { chatId: 'chat' });
}

const read = (notebook: unknown) =>
  readSide(
    { path: 'a.chat.ipynb', pair: 'pair', version: 0, run: 'first' },
    {
      title: 'a',
      notebook,
      priceOf: () => null,
      getRequest: async () => null
    }
  );

it('a reply that is compared is said to be in progress, and is there after a later attempt', async () => {
  const before = await read(chat('awaiting', 'first', null));
  expect(before.notes).toContain('The reply is in progress.');
  expect(before.notes).not.toContain('This version has no reply.');

  const after = await read(chat('succeeded', 'second', 'Because.'));
  expect(after.said.at(-1)).toMatchObject({ text: 'Because.', isReply: true });
  expect(after.notes).not.toContain('The reply is in progress.');
});
