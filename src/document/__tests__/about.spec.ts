import { aboutOf, chatBeside, isChatOf, renamedPath } from '../about';

test('a chat is beside its notebook or file', () => {
  expect(chatBeside('a/b.c/analysis.ipynb')).toBe('a/b.c/analysis.chat.ipynb');
  expect(chatBeside('util.py')).toBe('util.py.chat.ipynb');
  expect(chatBeside('README')).toBe('README.chat.ipynb');
});

test('what a file says is read with care', () => {
  expect(aboutOf({ about: 'a.ipynb' })).toBe('a.ipynb');
  for (const odd of [undefined, null, [], 'x', { about: 3 }, { about: '' }]) {
    expect(aboutOf(odd)).toBeNull();
  }
});

test('the chat beside a notebook is about it unless it says otherwise', () => {
  expect(isChatOf({}, 'd/a.ipynb')).toBe(true);
  expect(isChatOf({ about: 'd/a.ipynb' }, 'd/a.ipynb')).toBe(true);
  expect(isChatOf({ about: 'before/a.ipynb' }, 'd/a.ipynb')).toBe(true);
  expect(isChatOf({ about: 'd/b.ipynb' }, 'd/a.ipynb')).toBe(false);
});

test('paths follow files and folders', () => {
  expect(renamedPath('d/a.ipynb', 'd/a.ipynb', 'd/b.ipynb')).toBe('d/b.ipynb');
  expect(renamedPath('d/e/a.ipynb', 'd', 'x/y')).toBe('x/y/e/a.ipynb');
  expect(renamedPath('dd/a.ipynb', 'd', 'x')).toBe('dd/a.ipynb');
});
