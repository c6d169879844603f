import { nullTranslator } from '@jupyterlab/translation';
import { Signal } from '@lumino/signaling';
import * as React from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { flushSync } from 'react-dom';

import { ReferenceCompletion } from '../completion';
import type { IReferenceItem, IReferenceProvider } from '../providers';
import { ReferenceList } from '../referencelist';

let root: Root;
let node: HTMLElement;
/** What was chosen. */
let chosen: string[];

beforeEach(() => {
  chosen = [];
  node = document.body.appendChild(document.createElement('div'));
  root = createRoot(node);
});

afterEach(() => {
  root.unmount();
  node.remove();
});

/** The list after something was typed, once all providers have answered. */
async function typed(text: string, ...list: IReferenceProvider[]) {
  const completion = new ReferenceCompletion({
    providers: { list },
    chat: () => ({}) as never
  });
  flushSync(() =>
    root.render(
      <ReferenceList
        completion={completion}
        anchor={() => null}
        onChoose={({ label }) => chosen.push(label)}
        trans={nullTranslator.load('jupyterlab_turnbook')}
      />
    )
  );
  completion.update(text, text.length);
  await found(completion);
  return completion;
}

/** Wait until all providers have answered, and their answers are drawn. */
async function found(completion: ReferenceCompletion): Promise<void> {
  while (completion.isSearching) {
    await nextFrame();
  }
  await nextFrame();
}

const nextFrame = () =>
  new Promise<void>(resolve => requestAnimationFrame(() => resolve()));

const provider = (
  id: string,
  find: () => Promise<IReferenceItem[]>
): IReferenceProvider => ({ id, label: id, find });

const nothing = provider('Files', async () => []);
const busy = provider('Variables', async () => {
  throw new Error('a.ipynb: The kernel is busy.');
});

describe('ReferenceList', () => {
  it('draws kinds that only another extension knows', async () => {
    const kind = 'table' as never;
    const freeze = async () => [];
    await typed(
      '@',
      provider('T', async () => [{ kind, label: 'a', freeze }])
    );
    const option = document.querySelector('[role="option"]')!;
    expect(option.querySelector('svg')).not.toBeNull();
    expect(option.getAttribute('title')).toBe('Reference: a');
  });

  beforeEach(() => {
    jest.spyOn(console, 'warn').mockReturnValue();
  });
  afterEach(() => jest.restoreAllMocks());

  it('says that a kernel is busy also if nothing else is found, and leaves Enter to the message', async () => {
    const completion = await typed('@total', nothing, busy);
    const box = node.querySelector('.jp-Turnbook-references')!;
    expect(box.getAttribute('role')).toBe('note');
    expect(box.textContent).toBe('Variablesa.ipynb: The kernel is busy.');
    expect(node.querySelector('[role=status]')!.textContent).toBe(
      'a.ipynb: The kernel is busy.'
    );
    const key = { key: 'Enter', shiftKey: false };
    expect(completion.take(key, () => undefined)).toBe(false);
  });

  it('keeps the element of an item before which others arrive, so that a click chooses what was aimed at', async () => {
    const item = (label: string): IReferenceItem => ({
      kind: 'variable',
      label,
      freeze: async () => []
    });
    const labels = ['total', 'totals'];
    const changed = new Signal<object, void>({});
    const completion = await typed('@tot', {
      ...provider('Variables', async () => labels.map(item)),
      changed
    });
    const options = () => [
      ...node.querySelectorAll<HTMLElement>('[role="option"]')
    ];
    const [aimed] = options();
    labels.unshift('tot');
    changed.emit();
    await found(completion);
    expect(options().map(({ textContent }) => textContent)).toEqual(labels);
    expect(options()[1]).toBe(aimed);
    aimed.click();
    expect(chosen).toEqual(['total']);
  });

  it('has no box if there is nothing to say', async () => {
    await typed('@total', nothing);
    expect(node.childElementCount).toBe(0);
  });
});
