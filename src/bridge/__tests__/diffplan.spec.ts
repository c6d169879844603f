import { nullTranslator } from '@jupyterlab/translation';

import { candidates, pathObstacle } from '../diffpath';
import { planDiff } from '../diffplan';
import { makeDiff } from './makediff';

const trans = nullTranslator.load('');

const same = (path: string) => ({ from: path, to: path, hunks: [] });

/** Files in memory. */
const files = (texts: Record<string, string>) => ({
  read: async (path: string) =>
    Object.hasOwn(texts, path) ? { text: texts[path], isOpen: false } : null
});

describe('the path of a diff', () => {
  it.each([
    '/etc/passwd',
    '../x',
    'a/../../x',
    'a//x',
    './../x',
    '~/x',
    'C:/x',
    'RTC:x',
    'a\\..\\x',
    '.ssh/config',
    'a/.env',
    '.bashrc',
    'a\u202egnp.py',
    'x\0',
    '"a/x"',
    '',
    'x'.repeat(2000),
    'notebook.ipynb',
    'chat.CHAT.IPYNB'
  ])('is refused: %j', path => {
    expect(pathObstacle(same(path), trans)).not.toBeNull();
  });

  it.each(['x.py', 'src/a b/ü.txt', 'a..b/c', '__proto__/x'])(
    'is taken: %s',
    path => {
      expect(pathObstacle(same(path), trans)).toBeNull();
    }
  );

  it('neither deletes nor renames', () => {
    expect(pathObstacle({ from: 'x', to: null, hunks: [] }, trans)).toContain(
      'deletes'
    );
    expect(pathObstacle({ from: 'x', to: 'y', hunks: [] }, trans)).toContain(
      'renames'
    );
  });

  it('is looked for beside the chat and above, and not in hidden folders', () => {
    expect(candidates('x', 'a/b')).toEqual(['a/b/x', 'a/x', 'x']);
    expect(candidates('x', '')).toEqual(['x']);
    expect(candidates('x', 'a/.b/c')).toEqual(['a/x', 'x']);
  });
});

describe('what a diff would do', () => {
  it('is planned for the nearest file', async () => {
    const diff = makeDiff('a\n', 'b\n', { path: 'src/x.py' });
    const read = files({ 'src/x.py': 'z\n', 'p/src/x.py': 'a\n' });
    expect(await planDiff(diff, 'p/q', read, trans)).toEqual([
      {
        path: 'p/src/x.py',
        change: { path: 'p/src/x.py', before: 'a\n', after: 'b\n' },
        problem: '',
        isOpen: false
      }
    ]);
  });

  it('is planned on the chat’s drive', async () => {
    const diff = makeDiff('a\n', 'b\n', { path: 'x.py' });
    const [file] = await planDiff(
      diff,
      'RTC:p',
      files({ 'RTC:x.py': 'a\n' }),
      trans
    );
    expect(file.path).toBe('RTC:x.py');
    expect(file.problem).toBe('');
  });

  it('makes new files, and no file that exists', async () => {
    const diff = makeDiff('', 'new\n', { path: 'x.py', isNew: true });
    const [file] = await planDiff(diff, 'p', files({ 'x.py': '' }), trans);
    expect(file.change).toEqual({
      path: 'p/x.py',
      before: null,
      after: 'new\n'
    });
    const [bad] = await planDiff(diff, '', files({ 'x.py': '' }), trans);
    expect(bad.problem).toContain('exists');
  });

  it('says which change does not fit, which file is missing, and what is twice', async () => {
    const plan = await planDiff(
      [
        makeDiff('a\n', 'b\n', { path: 'one' }),
        makeDiff('a\n', 'b\n', { path: 'two' }),
        makeDiff('a\n', 'b\n', { path: 'three' }),
        makeDiff('a\n', 'c\n', { path: 'three' })
      ].join(''),
      '',
      files({ one: 'x\n', three: 'a\n' }),
      trans
    );
    expect(plan.map(({ problem }) => problem)).toEqual([
      'Change 1 of 1 does not fit: its lines are not in the file.',
      'There is no such file.',
      '',
      'The diff has this file twice.'
    ]);
  });

  it('says why files without lines that change are not changed, and makes empty ones', async () => {
    const plan = await planDiff(
      [
        'diff --git a/old name b/new name',
        'similarity index 100%',
        'rename from old name',
        'rename to new name',
        'diff --git a/run.sh b/run.sh',
        'old mode 100644',
        'new mode 100755',
        'diff --git a/a cat.png b/a cat.png',
        'index 123..456 100644',
        'Binary files a/a cat.png and b/a cat.png differ',
        'diff --git a/pkg/__init__.py b/pkg/__init__.py',
        'new file mode 100644',
        'index 000..e69',
        'diff --git a/gone b/gone',
        'deleted file mode 100644',
        'index e69..000',
        'diff --git "a/\\303\\274" "b/\\303\\274"',
        'old mode 100644',
        'new mode 100755',
        'diff --git a/one b/one',
        'old mode 100644',
        'new mode 100755',
        makeDiff('a\n', 'b\n', { path: 'one' }) + '--- a/two',
        '+++ b/two',
        'as said above',
        'Binary files a/three and b/three differ'
      ].join('\n'),
      '',
      files({ one: 'a\n', two: '', three: '', 'run.sh': '', 'a cat.png': '' }),
      trans
    );
    expect(plan.map(({ path, problem }) => [path, problem])).toEqual([
      ['new name', expect.stringContaining('renames')],
      ['run.sh', expect.stringContaining('permissions')],
      ['a cat.png', expect.stringContaining('binary')],
      ['pkg/__init__.py', ''],
      ['gone', expect.stringContaining('deletes')],
      ['\\303\\274', expect.stringContaining('not a path')],
      ['one', ''],
      ['two', expect.stringContaining('does not say what changes')],
      ['three', expect.stringContaining('binary')]
    ]);
    expect(plan[3].change).toMatchObject({ before: null, after: '' });
  });

  it('is nothing for a text that is no diff', async () => {
    await expect(planDiff('- a\n+ b', '', files({}), trans)).rejects.toThrow(
      'not a diff'
    );
  });
});
