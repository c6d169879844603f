import {
  htmlRendererFactory,
  markdownRendererFactory,
  MimeModel,
  RenderMimeRegistry,
  standardRendererFactories
} from '@jupyterlab/rendermime';
import { type ReadonlyPartialJSONObject } from '@lumino/coreutils';
import { Widget } from '@lumino/widgets';

import { attachmentOutput, textAttachment } from '../../document/attachments';
import { UntrustedRenderMime } from '../registry';
import { TOOL_MIME } from '../../document/rounds';
import { renderAll, UntrustedMarkdown, whenRendered } from '../renderers';
import { RealParts } from './parts';

const parts = new RealParts();
const source = new RenderMimeRegistry({
  initialFactories: standardRendererFactories,
  markdownParser: parts.markdownParser,
  sanitizer: parts.sanitizer
});

let near: (() => void)[] = [];

const registry = new UntrustedRenderMime({
  rendermime: source,
  visibility: {
    whenNear: (_, callback) => {
      near.push(callback);
      return () => {
        near = near.filter(other => other !== callback);
      };
    }
  }
}).clone();

/** Show a bundle the way an output area does. */
async function show(
  data: ReadonlyPartialJSONObject
): Promise<Widget & { rendered?: Promise<void> }> {
  const model = new MimeModel({ data, trusted: true });
  const type = registry.preferredMimeType(model.data);
  const widget = registry.createRenderer(type);
  await widget.renderModel(model);
  return widget;
}

beforeEach(() => {
  near = [];
});

describe('UntrustedRenderMime', () => {
  it('trusts no model', () => {
    expect(registry.createModel({ trusted: true }).trusted).toBe(false);
  });

  it.each([
    'text/html',
    'text/latex',
    'image/svg+xml',
    'application/javascript',
    'application/vnd.jupyter.widget-view+json'
  ])('shows a note in place of %s', async type => {
    const widget = await show({ [type]: '<img src=x onerror=alert(1)>' });
    expect(widget.node.textContent).toContain(`This output (${type})`);
    expect(widget.node.children.length).toBe(0);
  });

  it('prefers what it can show', async () => {
    const widget = await show({
      'text/html': '<b>x</b>',
      'text/plain': ['a <b>', '\u001b[31mred\u001b[0m']
    });
    expect(widget.node.textContent).toBe('a <b>red');
  });

  it('shows a tool round as text only if the pair cannot', async () => {
    const round = { results: [{ role: 'tool', content: 'x' }] };
    const read = await show({ [TOOL_MIME]: round, 'text/plain': 'x' });
    expect(read.node.textContent).toBe('');

    const told = await show({
      [TOOL_MIME]: { name: 'f' },
      'text/plain': 'f()'
    });
    expect(told.node.textContent).toBe('f()');
    const bare = await show({ [TOOL_MIME]: { name: '<i>' } });
    expect(bare.node.textContent).toContain('is not shown in a chat');
  });

  it('shows bitmaps only when they are data', async () => {
    const good = await show({ 'image/png': 'iVBO\nRw0=' });
    expect(good.node.querySelector('img')?.src).toBe(
      'data:image/png;base64,iVBORw0='
    );
    const bad = await show({ 'image/png': '" onerror="x' });
    expect(bad.node.querySelector('img')).toBeNull();
  });

  it('accepts no renderer from others', async () => {
    registry.addFactory();
    (registry as RenderMimeRegistry).addFactory(htmlRendererFactory, 0);
    (registry as RenderMimeRegistry).addFactory(markdownRendererFactory, 0);
    expect(registry.createRenderer('text/markdown')).toBeInstanceOf(
      UntrustedMarkdown
    );
    expect(registry.getFactory('text/html')).toBeUndefined();
  });
});

describe('UntrustedMarkdown', () => {
  it('waits until it is attached and near', async () => {
    const before = parts.rendered.length;
    const widget = await show({ 'text/markdown': '**x**' });
    expect(widget.node.textContent).toBe('**x**');
    expect(near.length).toBe(0);
    Widget.attach(widget, document.body);
    expect(near.length).toBe(1);
    expect(parts.rendered.length).toBe(before);
    near[0]();
    await widget.rendered;
    expect(widget.node.innerHTML).toContain('<strong>x</strong>');
    expect(widget.hasClass('jp-mod-waiting')).toBe(false);
    widget.dispose();
  });

  it('shows the latest text', async () => {
    const widget = registry.createRenderer(
      'text/markdown'
    ) as UntrustedMarkdown;
    Widget.attach(widget, document.body);
    await widget.renderModel(
      new MimeModel({ data: { 'text/markdown': 'one' } })
    );
    near.pop()?.();
    await widget.renderModel(
      new MimeModel({ data: { 'text/markdown': 'two' } })
    );
    near.pop()?.();
    await widget.rendered;
    expect(widget.node.textContent?.trim()).toBe('two');
    widget.dispose();
  });

  it('signals that it is fully rendered', async () => {
    const host = document.body.appendChild(document.createElement('div'));
    await whenRendered(host, 60_000);
    const one = (await show({ 'text/markdown': '*1*' })) as UntrustedMarkdown;
    const two = (await show({ 'text/markdown': '*2*' })) as UntrustedMarkdown;
    Widget.attach(one, host);
    Widget.attach(two, host);
    let done = false;
    const waiting = whenRendered(host, 60_000).then(() => {
      done = true;
    });
    near[0]();
    await one.rendered;
    expect(one.node.hasAttribute('data-turnbook-rendered')).toBe(true);
    expect(done).toBe(false);
    near[1]();
    await waiting;
    expect(host.textContent?.replace(/\s/g, '')).toBe('12');
    // A new text must be rendered again; off screen that may take forever.
    await two.renderModel(new MimeModel({ data: { 'text/markdown': '*3*' } }));
    expect(two.node.hasAttribute('data-turnbook-rendered')).toBe(false);
    await whenRendered(host, 0);
    expect(two.node.hasAttribute('data-turnbook-rendered')).toBe(false);
    // Unless somebody wants to see it.
    await renderAll(host, 60_000);
    expect(host.textContent?.replace(/\s/g, '')).toBe('13');
    one.dispose();
    two.dispose();
    host.remove();
  });

  it('is not waited for if the user attached it, since the pair shows that', async () => {
    const host = document.body.appendChild(document.createElement('div'));
    const { data, metadata } = attachmentOutput(textAttachment('a.txt', 'x'));
    const model = new MimeModel({
      data: data as ReadonlyPartialJSONObject,
      metadata: metadata as ReadonlyPartialJSONObject
    });
    const type = registry.preferredMimeType(model.data);
    const attached = registry.createRenderer(type);
    await attached.renderModel(model);
    const reply = (await show({ 'text/markdown': 'y' })) as UntrustedMarkdown;
    Widget.attach(attached, host);
    Widget.attach(reply, host);
    let done = false;
    void whenRendered(host, 60_000).then(() => {
      done = true;
    });
    near.forEach(render => render());
    await reply.rendered;
    await new Promise(resolve => setTimeout(resolve));
    expect(done).toBe(true);
    expect(host.textContent?.trim()).toBe('y');
    attached.dispose();
    reply.dispose();
    host.remove();
  });

  it('stops waiting when it is detached', async () => {
    const widget = await show({ 'text/markdown': 'x' });
    Widget.attach(widget, document.body);
    widget.dispose();
    expect(near.length).toBe(0);
  });
});
