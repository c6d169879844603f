import { Context } from '@jupyterlab/docregistry';
import { Notebook } from '@jupyterlab/notebook';
import { nullTranslator } from '@jupyterlab/translation';

import { lacks } from '../support';

const trans = nullTranslator.load('jupyterlab_turnbook');

/** What is lacking without a member of a class. */
function without({ prototype }: any, name: string) {
  const owner =
    name in Object.getPrototypeOf(prototype)
      ? Object.getPrototypeOf(prototype)
      : prototype;
  const member = Object.getOwnPropertyDescriptor(owner, name)!;
  delete owner[name];
  try {
    return lacks(trans);
  } finally {
    Object.defineProperty(owner, name, member);
  }
}

describe('lacks', () => {
  it('finds nothing in this JupyterLab', () => {
    expect(lacks(trans)).toEqual([]);
  });

  it.each([
    [Notebook, '_runOnIdleTime', 'open more slowly', false],
    [Notebook, '_trimSelections', 'open more slowly', false],
    [Context, '_raiseConflict', 'which version to save', true]
  ])('says what a user notices without %p.%s', (type, name, text, isMissed) => {
    expect(without(type, name)).toEqual([
      { text: expect.stringContaining(text), isMissed }
    ]);
  });
});
