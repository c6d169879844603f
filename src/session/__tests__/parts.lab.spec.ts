import { opened } from './opened';
import { savedPair, settle } from './sessionparts';

const CELLS = [savedPair('a', 'one', 'two'), savedPair('b', 'three', 'four')];

describe('the parts of a session', () => {
  it.each<[string, (chat: Awaited<ReturnType<typeof opened>>) => void]>([
    ['words for the user', ({ parts }) => parts.notice.say('It failed.')],
    ['a model', ({ parts }) => (parts.about.model = 'local/small')],
    ['a topic', ({ parts }) => (parts.about.topic = 'x')],
    ['settings', chat => chat.changeSettings({ softCap: 1000 } as never)],
    ['the switch of Pause', ({ parts }) => (parts.modes.pause.mode = 'always')],
    [
      'a pair that is being edited',
      ({ parts }) => (parts.budgets.editing = { pair: 'a', text: 'x' })
    ]
  ])('say so when this changes: %s', async (_, change) => {
    const chat = await opened(CELLS);
    const heard = jest.fn();
    chat.parts.changed.connect(heard);
    change(chat);
    expect(heard).toHaveBeenCalled();
    chat.session.dispose();
  });

  it('make the request again when the message or the cells change', async () => {
    const { notebook, parts, session } = await opened(CELLS);
    const body = () => parts.requests.live.request.body;
    parts.draft.text = 'five';
    expect(body()).toContain('five');
    notebook.deleteCell(0);
    await settle();
    expect(body()).not.toContain('one');
    expect(body()).toContain('three');
    session.dispose();
  });

  it('know the window of the model that was chosen', async () => {
    const { parts, session } = await opened(CELLS);
    expect(parts.budgets.state.window).toBe(128_000);
    parts.about.model = 'local/small';
    expect(parts.budgets.state.window).toBe(2_000);
    session.dispose();
  });

  it('take nothing from a journal that was not read', async () => {
    const { parts, session } = await opened(CELLS);
    expect(parts.journal('a')).toEqual({ read: false, newest: null, skew: 0 });
    session.dispose();
  });

  it('say that bytes left which are not those of this page', async () => {
    const { parts, session } = await opened(CELLS);
    const warn = jest.spyOn(console, 'warn').mockImplementation();
    (parts.requests.parity.mismatch as any).emit({ pair: 'a' });
    expect(parts.notice.text).toContain('not those that this page made');
    expect(warn).toHaveBeenCalled();
    warn.mockRestore();
    session.dispose();
  });

  it('are silent when the chat is closed', async () => {
    const chat = await opened(CELLS);
    const heard = jest.fn();
    chat.parts.changed.connect(heard);
    chat.session.dispose();
    chat.changeSettings({ softCap: 1000 } as never);
    chat.parts.emit();
    expect(heard).not.toHaveBeenCalled();
  });
});
