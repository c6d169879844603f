import { YNotebook } from '@jupyter/ydoc';

import { findPair } from '../../document/landing';
import { readRounds, roundOutput } from '../../document/rounds';
import { CALL } from './chats';
import { savedPair } from './sessionparts';
import { keepResults } from '../results';

const ROUND = {
  message: { role: 'assistant', tool_calls: [CALL] },
  results: []
};

function open() {
  const notebook = new YNotebook();
  notebook.insertCell(0, {
    ...savedPair('pair', 'What is the weather?', ''),
    outputs: [roundOutput(ROUND)]
  } as never);
  let saves = 0;
  const file = { autosave: () => void saves++ } as never;
  return {
    keep: (pair: string, written: [number, string][]) =>
      keepResults(notebook, file, pair, 0, new Map(written)),
    results: () =>
      readRounds(findPair(notebook, 'pair')!.getOutputs())[0].results,
    saves: () => saves
  };
}

describe('keepResults', () => {
  it('writes a result into its round and saves', () => {
    const { keep, results, saves } = open();
    keep('pair', [[0, 'Rain.']]);
    expect(results()).toEqual([
      { role: 'tool', tool_call_id: CALL.id, content: 'Rain.' }
    ]);
    expect(saves()).toBe(1);
  });

  it('takes a result away that is empty now', () => {
    const { keep, results, saves } = open();
    keep('pair', [[0, 'Rain.']]);
    keep('pair', [[0, '']]);
    expect(results()).toEqual([]);
    expect(saves()).toBe(2);
  });

  it('saves nothing when nothing changed', () => {
    const { keep, saves } = open();
    keep('pair', []);
    keep('gone', [[0, 'Rain.']]);
    expect(saves()).toBe(0);
    keep('pair', [[0, 'Rain.']]);
    keep('pair', [[0, 'Rain.']]);
    expect(saves()).toBe(1);
  });
});
