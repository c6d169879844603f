import { bodyHash } from '../../request/render';
import { opened } from './opened';
import { savedPair } from './sessionparts';
import { prepare } from '../prepare';

const CELLS = ['a', 'b', 'c'].map(id =>
  savedPair(id, `ask ${id}`, `say ${id}`)
);

async function prepared(
  change: (chat: Awaited<ReturnType<typeof opened>>) => void = () => undefined
) {
  const chat = await opened(CELLS);
  chat.session.draft.text = 'and now?';
  change(chat);
  const { live } = chat.session.requests;
  return {
    ...chat,
    live,
    made: prepare(live, chat.notebook, chat.session.context)
  };
}

describe('prepare', () => {
  it('has the bytes, their hash and the model that they go to', async () => {
    const { live, made, session } = await prepared();
    expect(made.body).toBe(live.request.body);
    expect(made.provider).toBe('work');
    expect(made.edited).toBe(live.request);
    expect(made.info).toMatchObject({
      state: 'sending',
      model: 'work/large',
      attempt: 1,
      requestHash: bodyHash(made.body)
    });
    expect(made.info.createdAt).toBe(made.info.updatedAt);
    expect(made.draft?.sections).toEqual({ history: 6, user: 1 });
    session.dispose();
  });

  it('has the cells that are sent as ranges, each once and without the message itself', async () => {
    const { made, session } = await prepared();
    expect(made.info.context).toEqual([['a', 'c', 3]]);
    session.dispose();
  });

  it('leaves out cells whose messages were deleted from the request', async () => {
    const { made, session } = await prepared(({ session: { requests } }) => {
      const { live } = requests;
      for (const { id, cell } of live.request.sections) {
        if (cell === 'b') {
          live.remove(id);
        }
      }
    });
    expect(made.info.context).toEqual([
      ['a', 'a', 1],
      ['c', 'c', 1]
    ]);
    expect(made.info.edited).toMatchObject({ deleted: 2 });
    expect(made.body).not.toContain('ask b');
    session.dispose();
  });

  it('names the options that are not the usual ones, and otherwise none', async () => {
    const usual = await prepared();
    expect(usual.made.info).not.toHaveProperty('options');
    usual.session.dispose();
    const { made, session } = await prepared(({ session: { requests } }) =>
      requests.live.setOption('temperature', 0.5)
    );
    expect(made.info.options).toEqual({ temperature: 0.5 });
    session.dispose();
  });

  it('gives each request a run of its own', async () => {
    const { live, made, notebook, session } = await prepared();
    const other = prepare(live, notebook, session.context);
    expect(other.info.runId).not.toBe(made.info.runId);
    session.dispose();
  });
});
