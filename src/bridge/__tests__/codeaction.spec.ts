import { CodeActionRegistry, type ICodeBlock } from '../codeaction';

const block: ICodeBlock = {
  language: 'python',
  text: 'x',
  chat: { path: '', chatId: '' },
  pair: '',
  run: ''
};

const action = (id: string, rank?: number) => ({
  id,
  label: id,
  rank,
  execute: () => undefined
});

describe('the actions on code blocks', () => {
  it('are in the order of their ranks, and each id is there once', () => {
    const actions = new CodeActionRegistry();
    let changes = 0;
    actions.changed.connect(() => changes++);
    actions.add(action('late', 200));
    const first = actions.add(action('first', 1));
    actions.add(action('middle'));
    const ids = () => actions.of(block).map(({ id }) => id);
    expect(ids()).toEqual(['first', 'middle', 'late']);
    expect(() => actions.add(action('first'))).toThrow('already');
    first.dispose();
    expect(ids()).toEqual(['middle', 'late']);
    expect(changes).toBe(4);
  });

  it('are hidden where they do not apply, or fail to say so', () => {
    const actions = new CodeActionRegistry();
    actions.add({ ...action('a'), isVisible: one => one.language === 'r' });
    actions.add({
      ...action('b'),
      isVisible: () => {
        throw new Error('broken');
      }
    });
    actions.add({ ...action('c'), isVisible: one => one.text === 'x' });
    const said = jest.spyOn(console, 'error').mockImplementation();
    expect(actions.of(block).map(({ id }) => id)).toEqual(['c']);
    expect(said).toHaveBeenCalledWith(expect.stringContaining('broken'));
    said.mockRestore();
  });
});
