import { Diagrams } from '../diagrams';
import { UNCOVER } from '../diagramview';
import { renderMarkdown } from '../pipeline';
import { RealParts } from './parts';

const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120.5 80" style="max-width: 120px"><title>Plan</title><desc>Of all</desc><g/></svg>';

/** A rendered reply whose diagrams are drawn by `draw`. */
async function open(source: string, draw = async () => SVG) {
  const asked: string[] = [];
  const diagrams = new Diagrams({
    renderSvg: async text => {
      asked.push(text);
      return { text, svg: await draw() };
    }
  });
  const host = document.createElement('div');
  document.body.append(host);
  const render = async () => {
    const parts = Object.assign(new RealParts(), { diagrams });
    host.replaceChildren(await renderMarkdown(source, parts));
  };
  await render();
  return {
    host,
    asked,
    render,
    get button() {
      return host.querySelector<HTMLElement>('.jp-Turnbook-diagramButton')!;
    },
    get image() {
      return host.querySelector('img');
    },
    get remark() {
      return host.querySelector('.jp-Turnbook-diagramRemark')?.textContent;
    },
    async click() {
      this.button.click();
      await new Promise(resolve => setTimeout(resolve));
    }
  };
}

const GRAPH = '```mermaid\ngraph TD\n  A --> B\n```\n';

describe('diagrams of replies', () => {
  afterEach(() => {
    document.body.replaceChildren();
    document.body.removeAttribute('data-jp-theme-light');
  });

  it('are drawn when asked for, as an image, and become code again', async () => {
    const reply = await open(GRAPH);
    expect(reply.asked).toEqual([]);
    expect(reply.button.textContent).toBe('Show diagram');
    await reply.click();
    expect(reply.asked).toHaveLength(1);
    const image = reply.image!;
    expect(image.src).toMatch(/^data:image\/svg\+xml,/);
    expect([image.width, image.height]).toEqual([121, 80]);
    expect(image.alt).toBe('Plan. Of all');
    expect(reply.button.textContent).toBe('Show code');
    image.dispatchEvent(
      new KeyboardEvent('keydown', { key: 'Escape', bubbles: true })
    );
    expect(reply.image).toBeNull();
    expect(reply.button.textContent).toBe('Show diagram');
    expect(reply.host.querySelector('pre')?.textContent).toContain('A --> B');
  });

  it('stay open when their reply is drawn again, and close for what is behind them', async () => {
    const reply = await open(GRAPH);
    await reply.click();
    await reply.render();
    expect(reply.image).not.toBeNull();
    expect(reply.asked).toHaveLength(1);
    reply.host
      .querySelector('code')!
      .dispatchEvent(new Event(UNCOVER, { bubbles: true }));
    expect(reply.image).toBeNull();
    await reply.render();
    expect(reply.image).toBeNull();
  });

  it('are drawn again in another theme', async () => {
    const reply = await open(GRAPH);
    await reply.click();
    document.body.setAttribute('data-jp-theme-light', 'false');
    await new Promise(resolve => setTimeout(resolve));
    expect(reply.asked).toHaveLength(2);
    expect(reply.asked[1]).toContain('"theme":"dark"');
  });

  it('are code with a reason if they cannot be drawn', async () => {
    let message = 'Parse error on line 2:\nA -\n--^\nExpecting X';
    const reply = await open(GRAPH, async () => {
      throw new Error(message);
    });
    await reply.click();
    expect(reply.image).toBeNull();
    expect(reply.remark).toBe(
      'This diagram cannot be drawn:Parse error on line 2:\nA -\n--^'
    );
    expect(reply.button.textContent).toBe('Show diagram');
    message = 'other';
    await reply.click();
    expect(reply.remark).toBe('This diagram cannot be drawn:other');
  });

  it.each([
    ['```mermaid\ninfo\n```', 'This kind of diagram is not drawn.'],
    [
      '```mermaid\ngraph TD; A; style A fill:url(x)\n```',
      'This diagram is not drawn, because it may load something from elsewhere.'
    ],
    [
      `\`\`\`mermaid\ngraph TD; ${'A-->B;'.repeat(500)}\n\`\`\``,
      'This diagram is too large to be drawn.'
    ]
  ])('are not given to Mermaid if they are refused', async (source, remark) => {
    const reply = await open(source);
    await reply.click();
    expect(reply.asked).toEqual([]);
    expect(reply.remark).toBe(remark);
  });

  it('refuses a picture without a size, or with too much in it', async () => {
    for (const svg of [
      '<svg xmlns="http://www.w3.org/2000/svg"/>',
      '<b>',
      ''
    ]) {
      const reply = await open(GRAPH, async () => svg);
      await reply.click();
      expect(reply.image).toBeNull();
      expect(reply.remark).toBe('This diagram is too large to be drawn.');
    }
  });

  it('have no button without something that draws them, and other code has none', async () => {
    const host = document.createElement('div');
    host.append(await renderMarkdown(GRAPH, new RealParts()));
    expect(host.querySelector('.jp-Turnbook-diagramButton')).toBeNull();
    const reply = await open('```python\ngraph TD\n```');
    expect(reply.button).toBeNull();
  });
});
