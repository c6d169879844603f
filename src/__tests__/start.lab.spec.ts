const loads: string[] = [];

jest.mock('../rooms', () => {
  loads.push(window.location.pathname);
  return { default: [] };
});

// All that is looked at is when they are fetched.
jest.mock('../ui/late', () => ({}));
jest.mock('@jupyterlab/apputils', () => ({}));
jest.mock('@jupyterlab/translation', () => ({}));

/** Evaluate the module in a page with this address. */
async function at(address: string): Promise<void> {
  window.history.pushState({}, '', address);
  jest.resetModules();
  await import('../start');
  await Promise.resolve();
}

describe('the module of what starts with a page', () => {
  beforeEach(() => {
    loads.length = 0;
  });

  it.each(['/lab/tree/a.chat.ipynb', '/lab/tree/a.replay-Copy1.ipynb'])(
    'fetches the rooms at once for %s',
    async address => {
      await at(address);
      expect(loads).toEqual([address]);
    }
  );

  it('fetches them where the address asks for a view of Turnbook', async () => {
    await at('/lab/tree/a.ipynb?factory=Turnbook%20Chat');
    expect(loads).toHaveLength(1);
  });

  it('does not fetch them without a chat', async () => {
    await at('/lab/tree/a.ipynb');
    expect(loads).toEqual([]);
  });
});
