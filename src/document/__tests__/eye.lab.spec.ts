import { pairCell } from '../chatfile';
import { roundsUpTo, writeResults } from '../continue';
import { toggleSent } from '../eye';
import { ensurePair, land } from '../landing';
import { pairMessages } from '../messages';
import { moveCells, undoKeeping } from '../moving';
import { Pair } from '../pair';
import { partsOf } from '../parts';
import { reasoningOutput } from '../reasoning';
import { beginResend } from '../resend';
import { replyOutput } from '../reply';
import { roundOutput } from '../rounds';
import { restoreVersion, saveVersion } from '../versions';
import { answeredPair, INFO, journaledRun } from './answeredpair';

const ORIGIN = { runId: INFO.runId, partial: false };

const OUTPUTS = [
  reasoningOutput({ field: 'reasoning_content', value: 'Hm.' }, ORIGIN),
  roundOutput(
    {
      message: {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'a', type: 'function', function: { name: 'f', arguments: '' } }
        ]
      },
      results: [{ role: 'tool', tool_call_id: 'a', content: '4' }]
    },
    { runId: 'before', partial: false }
  ),
  replyOutput({ text: 'Four.', ...ORIGIN })
];

const [REASONING, ROUND, REPLY] = [0, 1, 2];

function chat() {
  const made = answeredPair(OUTPUTS);
  ensurePair(made.notebook, pairCell('b', 'And?', INFO), 'a');
  made.notebook.clearUndoHistory();
  return made;
}

const roles = ({ text }: Pair) => pairMessages(text).map(({ role }) => role);

const eyes = ({ parts }: Pair) => partsOf(parts).map(({ isSent }) => isSent);

describe('the eye', () => {
  it('is one step of undo for each part', () => {
    const { notebook, pair } = chat();
    const before = pair.toJSON();
    expect(roles(pair)).toEqual(['user', 'assistant', 'tool', 'assistant']);
    notebook.dirty = false;
    toggleSent(notebook, pair, ROUND);
    expect(notebook.dirty).toBe(true);
    toggleSent(notebook, pair, REPLY);
    expect(roles(pair)).toEqual(['user']);
    notebook.undo();
    expect(roles(pair)).toEqual(['user', 'assistant']);
    notebook.undo();
    expect(pair.toJSON()).toEqual(before);
    notebook.redo();
    expect(eyes(pair)).toEqual([true, false, true]);
    toggleSent(notebook, pair, ROUND);
    expect(pair.toJSON()).toEqual(before);
  });

  it('stays closed when the same run lands again', () => {
    const { notebook, pair } = chat();
    toggleSent(notebook, pair, REASONING);
    toggleSent(notebook, pair, REPLY);
    const hidden = pair.toJSON();
    land(notebook, {
      run: journaledRun(),
      text: 'Four.',
      reasoning: [{ field: 'reasoning_content', value: 'Hm.', seconds: 3 }]
    });
    expect(pair.parts).toEqual(hidden.outputs);
  });

  it('undone after the reply was replaced brings no old output back', () => {
    const { notebook, pair } = chat();
    toggleSent(notebook, pair, REPLY);
    const next = { ...INFO, runId: 'next', attempt: 2 };
    beginResend(notebook, pair.cell, '2 + 2?', { ...next, state: 'sending' });
    land(notebook, {
      run: journaledRun({ id: 'next', attempt: 2 }),
      text: 'Five.'
    });
    const after = pair.toJSON();
    notebook.undo();
    expect(pair.toJSON()).toEqual(after);
    expect(pair.versions[0]).toMatchObject({ reply: 'Four.', sent: false });
  });

  it('is as it was in a version that is restored', () => {
    const { notebook, pair } = chat();
    toggleSent(notebook, pair, ROUND);
    toggleSent(notebook, pair, REPLY);
    const hidden = pair.parts;
    saveVersion(notebook, pair);
    notebook.transact(
      () =>
        pair.changeParts(
          [2, 1, 0],
          [replyOutput({ text: 'Five.', ...ORIGIN })]
        ),
      false
    );
    expect(restoreVersion(notebook, pair, 0)).toBe(true);
    expect(pair.parts).toEqual(hidden);
  });

  it('stays closed while results are written, and keeps a round out of what goes on', () => {
    const { notebook, pair } = chat();
    toggleSent(notebook, pair, ROUND);
    writeResults(pair.cell, 0, new Map([[0, '5']]));
    expect(eyes(pair)).toEqual([true, false, true]);
    expect(roundsUpTo(pair.parts, 0)).toEqual([]);
    toggleSent(notebook, pair, ROUND);
    expect(roundsUpTo(pair.parts, 0)[0].results[0].content).toBe('5');
  });

  it('is undone in a cell that was moved and moved back', () => {
    const { notebook, pair } = chat();
    toggleSent(notebook, pair, REPLY);
    moveCells(notebook, ['a'], null);
    const undo = () => undoKeeping(notebook, () => notebook.undo());
    undo();
    expect(notebook.cells.map(cell => cell.getId())).toEqual(['a', 'b']);
    expect(eyes(Pair.find(notebook, 'a')!)).toEqual([true, true, false]);
    undo();
    expect(eyes(Pair.find(notebook, 'a')!)).toEqual([true, true, true]);
  });
});
