import { hostile } from '../../../ui-tests/fixtures/hostile';
import { KEPT } from '../policy';
import { renderMarkdown, typeset } from '../pipeline';
import { drawn, RealParts } from './parts';

const parts = new RealParts();

async function render(source: string): Promise<HTMLElement> {
  const host = document.createElement('div');
  host.appendChild(await renderMarkdown(source, parts));
  return host;
}

const OWN_TAGS = ['a', 'img', 'input', 'button', ...KEPT.keys()];

/** Every attribute that may be on the page, with its allowed values. */
const ALLOWED: Record<string, RegExp> = {
  class:
    /^(jp-Turnbook-\w+( jp-mod-full| mathjax_process)?|(language-[\w+#.-]+ ?)+|(\u037c\w+ ?)+)$/,
  href: /^(https?:\/\/(?!localhost)|mailto:)/,
  src: /^data:image\/(png|jpeg|gif|webp);base64,/,
  style: /^text-align: (left|center|right);$/,
  target: /^_blank$/,
  rel: /noopener noreferrer/,
  type: /^(button|checkbox|1|a|A|i|I)$/,
  'data-lm-suppress-shortcuts': /^true$/,
  title: /./,
  alt: /|./,
  'aria-label': /^Copy code$/,
  'data-language': /^[\w+#.-]*$/,
  dir: /^auto$/,
  tabindex: /^0$/,
  disabled: /^$/,
  checked: /^$/,
  open: /|./,
  start: /./,
  value: /./,
  colspan: /./,
  rowspan: /./
};

describe('hostile replies', () => {
  it.each(hostile.map(({ name, markdown }) => [name, markdown]))(
    '%s leaves only what is allowed',
    async (_, markdown) => {
      const host = await render(markdown);
      for (const element of host.querySelectorAll('*')) {
        expect(OWN_TAGS).toContain(element.localName);
        for (const { name, value } of element.attributes) {
          expect(`${name}: ${ALLOWED[name]?.test(value)} ${value}`).toBe(
            `${name}: true ${value}`
          );
        }
      }
      expect((window as { __pwned?: unknown }).__pwned).toBeUndefined();
    }
  );

  it('draws no diagram', async () => {
    const host = await render(
      '```mermaid\ngraph TD\n```\n\n> ~~~~ mermaid \t\n> x\n> ~~~~\n'
    );
    expect(drawn).toEqual([]);
    expect(host.querySelectorAll('pre').length).toBe(2);
    expect(host.innerHTML).not.toMatch(/[\ue000-\uf8ff]/);
    expect(host.querySelector('code')?.className).toBe('language-mermaid');
  });
});

describe('renderMarkdown', () => {
  it('keeps what replies consist of', async () => {
    const host = await render(
      '# T\n\n- [x] done\n\n| a | b |\n|:-:|---|\n| **1** | ~~2~~ |\n\n> q\n\n3. x\n\n<details><summary>s</summary>d</details>\n'
    );
    expect(host.querySelector('h1')?.textContent).toBe('T');
    expect(host.querySelector('input')?.checked).toBe(true);
    expect(host.querySelector('th')?.style.textAlign).toBe('center');
    expect(host.querySelector('.jp-Turnbook-table strong')).not.toBeNull();
    expect(host.querySelector('ol')?.start).toBe(3);
    expect(host.querySelector('details summary')?.textContent).toBe('s');
  });

  it('highlights code', async () => {
    const host = await render('```python\ndef f(): pass\n```');
    const code = host.querySelector('code.language-python');
    expect(code?.querySelector('span')?.className).toMatch(/^\u037c/);
    expect(code?.textContent).toBe('def f(): pass');
  });

  it('shows where a link leads and sends no referrer', async () => {
    const host = await render('[bank.test](https://evil.test/x)');
    const anchor = host.querySelector('a');
    expect(anchor?.title).toBe('evil.test — https://evil.test/x');
    expect(anchor?.rel).toBe('noopener noreferrer nofollow');
    expect(anchor?.target).toBe('_blank');
  });

  it('says that a link is not followed', async () => {
    const host = await render('[x](javascript:1) [y](/logout)');
    expect(host.querySelector('a')).toBeNull();
    const dead = host.querySelectorAll<HTMLElement>('.jp-Turnbook-deadLink');
    expect([...dead].map(span => span.title)).toContain(
      'This link is not followed: /logout'
    );
  });

  it('loads only the image that is clicked', async () => {
    const host = await render(
      '![a](https://one.test/a.png) ![b](https://two.test/b.png)'
    );
    expect(host.querySelector('img')).toBeNull();
    const buttons = host.querySelectorAll('button');
    expect([...buttons].map(button => button.textContent)).toEqual([
      'Load image from one.test',
      'Load image from two.test'
    ]);
    buttons[1].click();
    const images = host.querySelectorAll('img');
    expect(images.length).toBe(1);
    expect(images[0].src).toBe('https://two.test/b.png');
    expect(images[0].referrerPolicy).toBe('no-referrer');
    expect(host.querySelectorAll('button').length).toBe(1);
  });

  it('offers the image again if it does not load', async () => {
    const host = await render('![a](https://one.test/a.png)');
    host.querySelector('button')?.click();
    host.querySelector('img')?.dispatchEvent(new Event('error'));
    expect(host.querySelector('img')).toBeNull();
    expect(host.querySelector('button')?.textContent).toContain('Try again');
  });

  it('neutralises bidi control characters and keeps them', async () => {
    const host = await render('a\u202eb');
    expect(host.textContent?.trim()).toBe('a\u202eb');
    expect(host.querySelector('bdi')?.textContent).toBe('\u202e');
  });

  it('adds a copy button to code blocks', async () => {
    const host = await render('```\none\n```\n\n> ```\n> two\n> ```');
    const buttons = host.querySelectorAll(
      '.jp-Turnbook-code .jp-Turnbook-copy'
    );
    expect(buttons.length).toBe(2);
    for (const button of buttons) {
      expect(button.getAttribute('aria-label')).toBe('Copy code');
    }
  });

  it('shows text when the parser fails', async () => {
    const warn = jest.spyOn(console, 'warn').mockImplementation();
    const host = document.createElement('div');
    host.appendChild(
      await renderMarkdown('<b>x</b>', {
        ...parts,
        sanitizer: parts.sanitizer,
        markdownParser: {
          render: () => Promise.reject(new RangeError('too deep'))
        }
      })
    );
    expect(host.textContent).toContain('could not be formatted');
    expect(host.textContent).toContain('<b>x</b>');
    expect(warn).toHaveBeenCalled();
    warn.mockRestore();
  });
});

describe('formulas', () => {
  const formulas = (host: HTMLElement) =>
    [...host.querySelectorAll('.jp-Turnbook-math')].map(
      ({ textContent }) => textContent
    );

  it('become elements of their own, as written, and prices do not', async () => {
    const host = await render(
      'From $5 to $6: \\(a_1*b_1*c_1\\) and **$x_1_y$**.\n\n\\[\na < b\n\\]\n\n| $a|b$ | c |\n|-|-|\n'
    );
    expect(formulas(host)).toEqual([
      '\\(a_1*b_1*c_1\\)',
      '$x_1_y$',
      '\\[\na < b\n\\]',
      '$a|b$'
    ]);
    expect(host.querySelector('em')).toBeNull();
    expect(host.querySelector('strong .jp-Turnbook-math')).not.toBeNull();
    expect(host.textContent).toContain('From $5 to $6: ');
  });

  it('are text in code, in URLs and in other attributes', async () => {
    const host = await render(
      '    indented $x$\n\n`$x$` ![a $x$ b](https://example.com/a) <a href="https://example.com/$x$">there</a>'
    );
    expect(formulas(host)).toEqual([]);
    expect(host.querySelector('pre')?.textContent).toBe('indented $x$\n');
    expect(host.querySelector('p code')?.textContent).toBe('$x$');
    expect(
      host.querySelector('.jp-Turnbook-blocked')?.getAttribute('title')
    ).toContain('a $x$ b');
    expect(host.querySelector('a')?.getAttribute('href')).toBe(
      'https://example.com/$x$'
    );
  });

  it('do not bypass the guard', async () => {
    const host = await render(
      '$<img src=x onerror=alert(1)>$ \\(<script>x</script>\\) \ue0f30\ue0f4 $\u202ex$'
    );
    expect(host.querySelector('img, script')).toBeNull();
    expect(host.textContent).toContain('\ue0f30\ue0f4');
  });

  it('are all that a typesetter processes', async () => {
    const host = await render('$x$');
    await typeset(host, {
      ...parts,
      sanitizer: parts.sanitizer,
      latexTypesetter: { typeset: async () => undefined }
    });
    expect(host.className).toBe('mathjax_ignore');
    expect(host.querySelector('.mathjax_process')?.textContent).toBe('$x$');
  });
});

describe('typeset', () => {
  it('cleans what the typesetter adds', async () => {
    const host = await render('Look at $x$ and [y](https://example.com).');
    await typeset(host, {
      ...parts,
      sanitizer: parts.sanitizer,
      latexTypesetter: {
        typeset: async node => {
          node.insertAdjacentHTML(
            'beforeend',
            '<mjx-container id="main" class="MathJax" onclick="x" style="background:url(http://evil.test/)">' +
              '<a href="javascript:window.__pwned=1">1</a><a href="https://example.com/m">2</a>' +
              '<img src="x"><math><mrow href="file:///x"></mrow></math><mjx-mi style="color: red">x</mjx-mi></mjx-container>'
          );
        }
      }
    });
    const math = host.querySelector('mjx-container');
    expect(math?.getAttributeNames()).toEqual(['class']);
    expect(math?.querySelector('img')).toBeNull();
    expect(math?.querySelector('mrow')?.attributes.length).toBe(0);
    const [first, second] = math?.querySelectorAll('a') ?? [];
    expect(first.hasAttribute('href')).toBe(false);
    expect(second.rel).toContain('noreferrer');
    expect(math?.querySelector('mjx-mi')?.getAttribute('style')).toBe(
      'color: red'
    );
    expect(host.querySelector('p a')?.getAttribute('title')).toContain(
      'example.com'
    );
  });
});
