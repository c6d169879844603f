import {
  firstOfSrcset,
  isHarmlessStyle,
  judgeLink,
  judgeLoad,
  keptClasses
} from '../policy';

const BASE = 'http://localhost:8888/lab/tree/x.chat.ipynb';

describe('judgeLoad', () => {
  it.each([
    ['http://evil.test/a.png', 'evil.test'],
    ['//evil.test/a.png', 'evil.test'],
    [' \u0001https://evil.test:8443/a', 'evil.test:8443'],
    ['ht\ntps://evil.test/a', 'evil.test'],
    ['https:evil.test/a', 'evil.test'],
    ['https://user:pass@evil.test/a', 'evil.test'],
    ['\\\\evil.test\\a', 'evil.test'],
    ['https://localhost:8888@evil.test/', 'evil.test'],
    ['/logout?x=1', 'this server: /logout?x=1'],
    ['plot.png', 'this server: /lab/tree/plot.png'],
    ['http://localhost:8888/api/shutdown', 'this server: /api/shutdown']
  ])('asks before %j', (url, from) => {
    expect(judgeLoad(url, BASE)).toMatchObject({ kind: 'ask', from });
  });

  it('shows bitmaps that contain their own data', () => {
    const url = 'data:image/png;base64,iVBORw0KGgo=';
    expect(judgeLoad(url, BASE)).toEqual({ kind: 'inline', url });
  });

  it.each([
    'data:image/svg+xml;base64,PHN2Zz4=',
    'data:image/svg+xml,<svg/>',
    'data:text/html,<script>1</script>',
    'data:image/png,x"onerror="',
    'javascript:alert(1)',
    'blob:http://localhost:8888/1',
    'file:///etc/passwd',
    'attachment:a.png',
    ''
  ])('refuses %j', url => {
    expect(judgeLoad(url, BASE)).toEqual({ kind: 'refuse' });
  });
});

describe('judgeLink', () => {
  it.each([
    ['https://example.com/a', 'example.com'],
    ['HTTPS://EXAMPLE.com', 'example.com'],
    ['//example.com', 'example.com'],
    ['https://bank.test@evil.test/', 'evil.test'],
    ['mailto:a@example.com', 'a@example.com']
  ])('follows %j', (url, host) => {
    expect(judgeLink(url, BASE)?.host).toBe(host);
  });

  it.each([
    'javascript:alert(1)',
    'java\tscript:alert(1)',
    '\u0001javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'vbscript:x',
    'data:text/html,x',
    'file:///etc/passwd',
    'blob:x',
    '#top',
    'other.ipynb',
    '/logout',
    '?reset',
    'http://localhost:8888/lab?reset',
    'https://',
    ''
  ])('does not follow %j', url => {
    expect(judgeLink(url, BASE)).toBeNull();
  });
});

describe('keptClasses', () => {
  it('keeps what highlighting needs', () => {
    expect(keptClasses('code', true, 'language-c++ jp-Dialog')).toEqual([
      'language-c++'
    ]);
    expect(keptClasses('span', true, '\u037cx \u037c1a lm-Menu')).toEqual([
      '\u037cx',
      '\u037c1a'
    ]);
  });

  it('drops the rest', () => {
    expect(keptClasses('span', false, '\u037cx')).toEqual([]);
    expect(keptClasses('div', false, 'jp-Dialog lm-Widget cm-editor')).toEqual(
      []
    );
  });
});

describe('isHarmlessStyle', () => {
  it('recognises styles that load or float', () => {
    expect(isHarmlessStyle('color: red; margin: 1em')).toBe(true);
    expect(isHarmlessStyle('background: url(http://evil.test)')).toBe(false);
    expect(isHarmlessStyle('background: u\\72l(//evil.test)')).toBe(false);
    expect(isHarmlessStyle('position : fixed')).toBe(false);
    expect(isHarmlessStyle('z-index: 9')).toBe(false);
  });
});

describe('firstOfSrcset', () => {
  it('returns the first URL', () => {
    expect(firstOfSrcset(' http://evil.test/a 1x, b 2x')).toBe(
      'http://evil.test/a'
    );
  });
});
