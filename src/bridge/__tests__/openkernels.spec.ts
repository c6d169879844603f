import { OpenKernels } from '../openkernels';

/** A tracker of these widgets. */
const tracker = (...widgets: object[]) =>
  ({
    forEach: (call: (one: object) => void) => widgets.forEach(call)
  }) as never;

const session = (id: string | null) => ({
  session: id === null ? null : { kernel: { id } }
});

test('kernels of notebooks with one name in two folders are called by their paths', () => {
  const notebooks = tracker(
    { context: { path: 'd/a.ipynb', sessionContext: session('1') } },
    { context: { path: 'e/a.ipynb', sessionContext: session('2') } },
    { context: { path: 'e/b.ipynb', sessionContext: session('3') } }
  );
  const open = new OpenKernels(notebooks, null);
  expect(open.list.map(({ name }) => name)).toEqual([
    'd/a.ipynb',
    'e/a.ipynb',
    'b.ipynb'
  ]);
});

test('kernels of notebooks, and of consoles that have their own', () => {
  const notebooks = tracker(
    { context: { path: 'd/a.ipynb', sessionContext: session('1') } },
    { context: { path: 'd/b.ipynb', sessionContext: session(null) } }
  );
  const consoles = tracker(
    { sessionContext: { path: 'd/c-1', name: 'Console 1', ...session('1') } },
    { sessionContext: { path: 'd/c-2', name: 'Console 2', ...session('2') } }
  );
  const open = new OpenKernels(notebooks, consoles);
  expect(open.list).toEqual([
    { path: 'd/a.ipynb', name: 'a.ipynb', kernel: { id: '1' } },
    { path: 'd/c-2', name: 'Console 2', kernel: { id: '2' } }
  ]);
  expect(open.find('d/c-2')?.name).toBe('Console 2');
  expect(open.find('d/b.ipynb')).toBe(null);
  expect(new OpenKernels(null, null).list).toEqual([]);
});
