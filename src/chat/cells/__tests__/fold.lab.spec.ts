import { nullTranslator } from '@jupyterlab/translation';
import { Panel } from '@lumino/widgets';

import { headOf, isLong, lineCount } from '../fold';
import { PairFolds } from '../pairfolds';

const trans = nullTranslator.load('jupyterlab_turnbook');
const lines = (count: number) => Array(count).fill('line').join('\n');

describe('long texts', () => {
  it('have more than 40 lines, not counting empty ones at the end', () => {
    expect(lineCount('')).toBe(1);
    expect(lineCount('one\ntwo\n\n\n')).toBe(2);
    expect(isLong(lines(40))).toBe(false);
    expect(isLong(`${lines(40)}\n\n`)).toBe(false);
    expect(isLong(lines(41))).toBe(true);
  });

  it('show their beginning', () => {
    expect(headOf(lines(40))).toBe(lines(40));
    expect(lineCount(headOf(lines(41)))).toBe(16);
  });
});

describe('PairFolds', () => {
  const setUp = () => {
    const panel = new Panel();
    const nodes = {
      message: document.createElement('div'),
      reply: document.createElement('div')
    };
    const folds = new PairFolds({
      trans,
      node: part => nodes[part],
      insert: widget => panel.addWidget(widget)
    });
    const buttons = () =>
      [...panel.node.querySelectorAll('button')].map(node => node.textContent);
    const folded = () =>
      (['message', 'reply'] as const).filter(part =>
        nodes[part].classList.contains('jp-mod-folded')
      );
    return { folds, buttons, folded };
  };

  it('folds long parts that were not read, and keeps what the user chose', () => {
    const { folds, buttons, folded } = setUp();
    folds.show({ message: 'short', reply: lines(50) }, false);
    expect(buttons()).toEqual(['Show all 50 lines']);
    expect(folded()).toEqual(['reply']);
    folds.unfold('message');
    expect(folded()).toEqual(['reply']);
    folds.unfold('reply');
    folds.show({ message: 'short', reply: lines(51) }, false);
    expect(buttons()).toEqual(['Show less']);
    folds.toggle();
    expect(buttons()).toEqual(['Show all 51 lines']);
  });

  it('leaves open what has just been read, and has nothing for short texts', () => {
    const { folds, buttons, folded } = setUp();
    folds.show({ message: lines(41), reply: lines(41) }, true);
    expect(buttons()).toEqual(['Show less', 'Show less']);
    expect(folded()).toEqual([]);
    folds.toggle();
    expect(folded()).toEqual(['message', 'reply']);
    folds.show({ message: 'short', reply: '' }, true);
    expect(folds.canFold).toBe(false);
    expect(buttons()).toEqual([]);
    expect(folded()).toEqual([]);
  });
});
