import { setLanguage, trans, type IWords } from '../words';

describe('words', () => {
  const english = { ...trans };

  it('are English until a language is set, with values and plurals', () => {
    expect(trans.__('%2 of %1, 100 %%', 3, 'two')).toBe('two of 3, 100 %');
    expect(trans.__('%1 without a value')).toBe('%1 without a value');
    expect(trans._n('%1 pair', '%1 pairs', 1)).toBe('1 pair');
    expect(trans._n('%1 pair in %2', '%1 pairs in %2', 2, 'a')).toBe(
      '2 pairs in a'
    );
    expect(trans.gettext('Stop')).toBe('Stop');
  });

  it('are in the language of the page once it is set', () => {
    const before = setLanguage({
      ...english,
      __: text => `<${text}>`,
      gettext: text => `[${text}]`
    } satisfies IWords);
    expect(trans.__('Stop')).toBe('<Stop>');
    expect(trans.gettext('Stop')).toBe('[Stop]');
    setLanguage(before);
    expect(trans.__('Stop')).toBe('Stop');
  });
});
