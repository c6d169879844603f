import { Dialog } from '@jupyterlab/apputils';
import { nullTranslator } from '@jupyterlab/translation';
import * as fc from 'fast-check';
import * as React from 'react';
import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';

import {
  attachmentOutput,
  contentHash,
  kindOf,
  messageContent,
  textAttachment,
  type IAttachment
} from '../../document/attachments';
import { referenceAttachment, textHash } from '../../document/references';
import { AttachedFiles } from '../cells/attachmentsview';
import { AttachList } from '../composer/files/attachlist';
import { showAttachment } from '../referencepreview';

/** What the preview shows, once it is drawn. */
async function preview(
  file: IAttachment,
  more: React.ReactNode = null
): Promise<Element> {
  Dialog.flush();
  const launched = showAttachment(file, more);
  launched.catch(() => undefined);
  let body: Element | null;
  while (
    !(body = document.querySelector('.jp-Turnbook-preview'))?.childElementCount
  ) {
    await new Promise(resolve => setTimeout(resolve));
  }
  return body!;
}

/** A file with these bytes in base64. */
const binary = (type: string, data: string): IAttachment => ({
  type,
  name: 'a file',
  data,
  sha256: contentHash({ type, data }),
  size: 1_234_567
});

const hashOf = (body: Element) =>
  body.querySelector('.jp-Turnbook-preview-hash')!.textContent;

const name = fc.string({ unit: 'binary' });
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc
    .array(fc.constantFrom('```', '\r\n', '\n', '<b>&amp;', '\u2028', ' '))
    .map(parts => parts.join(''))
);

afterEach(() => Dialog.flush());

test('what the preview shows of a text is what is sent, and its hash that of it', async () => {
  const file = fc.oneof(
    fc.tuple(name, text).map(([called, said]) => textAttachment(called, said)),
    fc
      .record({
        kind: fc.constantFrom('cell', 'output', 'variable', 'pair'),
        path: name,
        name,
        at: fc.nat()
      })
      .chain(reference =>
        text.map(said => referenceAttachment(reference as never, said))
      )
  );
  await fc.assert(
    fc.asyncProperty(file, async one => {
      const body = await preview(one);
      const shown = body.querySelector('pre')!.textContent;
      expect(shown).toBe(messageContent('', [one]));
      expect(hashOf(body)).toBe(`SHA-256: ${textHash(shown)}`);
      // Beside another file, it is a part of its own.
      const [part] = messageContent('', [one, binary('application/pdf', '')]);
      expect(part).toEqual({ type: 'text', text: shown });
    }),
    { numRuns: 40 }
  );
});

test('a text that was edited in the file has its own hash, and a warning', async () => {
  const frozen = textAttachment('a.txt', 'one');
  const data = frozen.data.replace('one', 'two');
  const body = await preview({ ...frozen, data });
  expect(hashOf(body)).toBe(`SHA-256: ${textHash(data)}`);
  expect(body.querySelector('[role=alert]')!.textContent).toContain(
    frozen.sha256
  );
});

test('the image that is shown beside its source is the one that is sent', async () => {
  const image = binary('image/png', 'iVBORw0KGgo=');
  const body = await preview(image, <p>source</p>);
  expect(messageContent('', [image])).toEqual([
    {
      type: 'image_url',
      image_url: { url: body.querySelector('img')!.getAttribute('src') }
    }
  ]);
});

test.each(['application/pdf', 'audio/wav', 'audio/mpeg'])(
  'of a file of type %s, the preview says what it is',
  async type => {
    const file = binary(type, 'AAAA');
    expect(kindOf(file)).not.toBe('image');
    const body = await preview(file);
    expect(body.querySelector('img')).toBe(null);
    expect(body.textContent).toContain(`a file · ${type} · 1.2 MB`);
    expect(body.textContent).toContain(
      'A file of this type is not shown here.'
    );
    expect(hashOf(body)).toBe(
      // Of three bytes that are 0.
      'SHA-256: 709e80c88487a2411e1ee4dfb9f22a861492d20c4765150c0c794abd70f8147c'
    );
    expect(body.querySelector('[role=alert]')).toBe(null);
    // The same from the composer and from a pair.
    const opens = 'button[aria-label="Show what is sent of a file"]';
    const node = document.createElement('div');
    flushSync(() =>
      createRoot(node).render(
        <AttachList
          files={[file]}
          changed=""
          tokens={() => 1}
          sizeBefore={() => null}
          locked={false}
          onRemove={() => undefined}
          onScale={() => undefined}
          trans={nullTranslator.load('jupyterlab_turnbook')}
        />
      )
    );
    expect(node.querySelectorAll(opens)).toHaveLength(1);
    const files = new AttachedFiles(
      view => node.replaceChildren(view.node),
      () => undefined
    );
    files.show([attachmentOutput(file)], { obstacle: '', changed: '' });
    expect(node.querySelectorAll(opens)).toHaveLength(1);
  }
);

test('a chip says its kind, its name and its tokens, and where it is from', () => {
  const reference = {
    kind: 'output' as const,
    path: 'd/a.ipynb',
    name: 'a.ipynb · output of cell 1',
    at: 1
  };
  const list = [
    referenceAttachment(reference, 'text'),
    { ...binary('application/pdf', 'AAAA'), name: 'a.pdf' },
    { ...binary('audio/wav', 'BBBB'), name: 'a.wav', sha256: '2' },
    textAttachment('a.txt', 'text')
  ];
  const node = document.createElement('div');
  flushSync(() =>
    createRoot(node).render(
      <AttachList
        files={list}
        changed={list[3].sha256}
        tokens={() => 1234}
        sizeBefore={() => null}
        locked={false}
        onRemove={() => undefined}
        onScale={() => undefined}
        trans={nullTranslator.load('jupyterlab_turnbook')}
      />
    )
  );
  const items = () => [...node.querySelectorAll('li')];
  const titles = [
    'Output: a.ipynb · output of cell 1',
    'PDF: a.pdf',
    'Audio: a.wav',
    'File: a.txt'
  ];
  expect(items().map(({ title }) => title)).toEqual([
    `${titles[0]} (d/a.ipynb)`,
    ...titles.slice(1)
  ]);
  expect(items().map(item => item.getAttribute('aria-label'))).toEqual([
    `${titles[0]}, 4 bytes · ~1,234 tokens`,
    `${titles[1]}, 1.2 MB · ~1,234 tokens`,
    `${titles[2]}, 1.2 MB · ~1,234 tokens`,
    `${titles[3]}, 4 bytes · ~1,234 tokens, changed since`
  ]);
  expect(
    items().map(item => item.textContent!.includes('changed since'))
  ).toEqual([false, false, false, true]);
  const files = new AttachedFiles(
    view => node.replaceChildren(view.node),
    () => undefined
  );
  files.show(list.map(attachmentOutput), { obstacle: '', changed: '' });
  expect(items().map(item => item.getAttribute('aria-label'))).toEqual(titles);
});
