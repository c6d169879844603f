import { chatPlaces, closedTitle } from '../titles';

const run = (source: string, createdAt: number) => ({
  cell: { source },
  createdAt
});
const RUNS = [run('And then?', 2), run('Where is\nthe sea?', 1)] as any[];

describe('closedTitle', () => {
  it('is the name of a file that has one', () => {
    expect(closedTitle('a/plans.chat.ipynb', RUNS)).toBe('plans');
  });

  it('is the first message of a file without a name, or that is unknown', () => {
    expect(closedTitle('a/Untitled3.chat.ipynb', RUNS)).toBe('Where is');
    expect(closedTitle(null, RUNS)).toBe('Where is');
  });

  it('is the name of a file without messages', () => {
    expect(closedTitle('Untitled3.chat.ipynb', [])).toBe('Untitled3');
    expect(closedTitle('Untitled.chat.ipynb', [run(' ', 1)] as any[])).toBe(
      'Untitled'
    );
    expect(closedTitle(null, [])).toBe('');
  });
});

describe('chatPlaces', () => {
  const open: any = {
    session: { info: { chatId: 'open' } },
    context: { localPath: 'Untitled.chat.ipynb' },
    title: { label: 'Its tab' }
  };
  const tracker: any = {
    find: (is: (chat: any) => boolean) => (is(open) ? open : undefined)
  };

  it('asks the server about closed chats only', async () => {
    const api: any = {
      listChats: jest.fn(async () => [
        { chatId: 'named', path: 'a/b.chat.ipynb', exists: true },
        { chatId: 'untitled', path: 'Untitled1.chat.ipynb', exists: true },
        { chatId: 'gone', path: 'c.chat.ipynb', exists: false },
        { chatId: 'other', path: 'Untitled2.chat.ipynb', exists: true }
      ]),
      listRuns: jest.fn(async () => RUNS)
    };
    const one = await chatPlaces(['open'], tracker, api);
    expect([...one]).toEqual([
      ['open', { title: 'Its tab', path: 'Untitled.chat.ipynb' }]
    ]);
    expect(api.listChats).not.toHaveBeenCalled();

    const ids = ['open', 'named', 'untitled', 'gone', 'unknown'];
    const all = await chatPlaces(ids, tracker, api);
    expect([...all].map(([id, { title }]) => [id, title])).toEqual([
      ['open', 'Its tab'],
      ['named', 'b'],
      ['untitled', 'Where is']
    ]);
    expect(api.listRuns).toHaveBeenCalledTimes(1);
  });

  it('has the open ones when the server does not respond', async () => {
    const warn = jest.spyOn(console, 'warn').mockImplementation();
    const api: any = { listChats: () => Promise.reject(new Error('Down')) };
    const places = await chatPlaces(['open', 'closed'], tracker, api);
    expect([...places.keys()]).toEqual(['open']);
    expect(warn).toHaveBeenCalled();
    warn.mockRestore();
  });
});
