import { Widget } from '@lumino/widgets';

import { roundOutput } from '../../../document/rounds';
import type { IVersion } from '../../../document/versionlist';
import { RealParts } from '../../../render/__tests__/parts';
import { StreamingMarkdown } from '../../../render/streaming';
import { until } from '../../../session/__tests__/tabs';
import { PastVersion } from '../pastversion';

const CALL = {
  id: 'call',
  type: 'function',
  function: { name: 'look', arguments: '{}' }
};

const VERSION: IVersion = {
  source: 'What is <b>that</b>?',
  reply: 'A **cat**.',
  model: 'p/m',
  requestHash: 'h',
  at: 1,
  tools: [
    roundOutput({
      message: { role: 'assistant', tool_calls: [CALL] },
      results: []
    })
  ]
};

function show(version: IVersion) {
  const streams: StreamingMarkdown[] = [];
  const view = new PastVersion(version, () => {
    const stream = new StreamingMarkdown({
      parts: new RealParts(),
      isSeen: () => true
    });
    streams.push(stream);
    return stream;
  });
  Widget.attach(view, document.body);
  return { view, streams };
}

describe('PastVersion', () => {
  it('shows the message as text, the tools and the reply', async () => {
    const { view } = show(VERSION);
    expect(
      view.node.querySelector('.jp-Turnbook-pastVersion-source')!.textContent
    ).toBe('What is <b>that</b>?');
    await until(() => view.node.querySelector('strong') !== null);
    expect(view.node.querySelector('strong')!.textContent).toBe('cat');
    expect(view.node.textContent).toContain('look');
    view.dispose();
  });

  it('cannot be edited', () => {
    const { view } = show(VERSION);
    const field = view.node.querySelector('textarea')!;
    expect(field.hidden).toBe(true);
    expect(view.node.textContent).not.toContain('Continue');
    view.dispose();
  });

  it('disposes its texts', () => {
    const { view, streams } = show(VERSION);
    view.dispose();
    expect(streams.length).toBeGreaterThan(0);
    expect(streams.every(({ isDisposed }) => isDisposed)).toBe(true);
  });
});
