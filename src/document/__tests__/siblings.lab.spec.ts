import { YNotebook } from '@jupyter/ydoc';
import type { ICodeCell } from '@jupyterlab/nbformat';
import { applyUpdate, encodeStateAsUpdate } from 'yjs';

import type { IRun } from '../../base/run';
import { chooseReply, FollowedSteps } from '../choice';
import { editReply, receivedReply, saveEdited } from '../editedreply';
import { hasLanded, land } from '../landing';
import type { IRunInfo } from '../metadata';
import { Pair } from '../pair';
import { markUnsent, settleLost } from '../resend';
import { undoStep } from '../undostep';
import {
  awaitsReply,
  beginSiblings,
  joinGroup,
  lastAttempt,
  nextSibling,
  pastVersions,
  restoreSiblings,
  siblingsOf,
  siblingVersions
} from '../siblings';

const info = (sibling: number): IRunInfo => ({
  state: 'sending',
  model: `p/m${sibling}`,
  createdAt: 1,
  updatedAt: 1,
  runId: `run-${sibling}`,
  attempt: sibling + 1,
  context: [],
  requestHash: `${sibling}`.repeat(64),
  group: 'g',
  sibling
});

/** A pair that asks for some replies. */
function asked(count: number): { notebook: YNotebook; pair: Pair } {
  const notebook = new YNotebook({ disableDocumentWideUndoRedo: false });
  notebook.insertCell(0, {
    cell_type: 'code',
    id: 'pair',
    source: 'Which?',
    metadata: { turnbook_run: info(0) as any },
    outputs: []
  });
  const pair = Pair.find(notebook, 'pair')!;
  const others = Array.from({ length: count - 1 }, (_, n) => info(n + 1));
  beginSiblings(notebook, pair, others);
  return { notebook, pair };
}

function run(pair: Pair, sibling: number, more: Partial<IRun> = {}): IRun {
  return {
    id: `run-${sibling}`,
    chat: 'c',
    pair: 'pair',
    attempt: sibling + 1,
    provider: 'p',
    model: `m${sibling}`,
    state: 'done',
    hash: `${sibling}`.repeat(64),
    size: 1,
    createdAt: 1,
    updatedAt: 1001,
    events: 2,
    end: null,
    continues: null,
    replaces: null,
    goesOn: null,
    automatic: false,
    pageHash: null,
    landed: false,
    dropped: false,
    cell: pair.toJSON() as unknown as IRun['cell'],
    after: null,
    turn: {
      auto: true,
      retryAt: null,
      failures: 0,
      generation: 1,
      paused: null
    },
    group: 'g',
    sibling,
    ...more
  };
}

function followed(
  notebook: YNotebook,
  changed: () => void = () => undefined,
  isHeld: () => boolean = () => false
): FollowedSteps {
  return new FollowedSteps({ notebook, changed, isHeld });
}

const texts = (pair: Pair) =>
  siblingsOf(pair).map(({ slot }) => slot.reply?.text ?? '');

describe('several replies to a message', () => {
  it('land each in its place, in any order, once', () => {
    const { notebook, pair } = asked(3);
    expect(awaitsReply(pair)).toBe(true);
    for (const n of [2, 0, 1, 2, 1]) {
      land(notebook, { run: run(pair, n), text: `reply ${n}` });
    }
    expect(texts(pair)).toEqual(['reply 0', 'reply 1', 'reply 2']);
    expect(pair.versions).toHaveLength(2);
    expect(pair.reply?.text).toBe('reply 0');
    expect(awaitsReply(pair)).toBe(false);
    expect(pastVersions(pair)).toEqual([]);
    for (const n of [0, 1, 2]) {
      expect(hasLanded(notebook, run(pair, n))).toBe(true);
      expect(land(notebook, { run: run(pair, n), text: `reply ${n}` })).toBe(
        false
      );
    }
    expect(siblingsOf(pair)[1].info).toMatchObject({
      state: 'succeeded',
      seconds: 1,
      requestHash: '1'.repeat(64)
    });
  });

  it('is not landed while it is to come', () => {
    const { notebook, pair } = asked(2);
    expect(hasLanded(notebook, run(pair, 1))).toBe(false);
  });

  it('keeps what an attempt of one replaces as an earlier version', () => {
    const { notebook, pair } = asked(2);
    const first = run(pair, 1, { state: 'interrupted' });
    land(notebook, { run: first, text: 'Half of it' });
    expect(siblingsOf(pair)[1].info.state).toBe('error');
    const again = run(pair, 1, { id: 'again', attempt: 3 });
    land(notebook, { run: again, text: 'Another one' });
    expect(texts(pair)).toEqual(['', 'Another one']);
    const [past] = pastVersions(pair);
    expect(pair.versions[past]).toMatchObject({
      reply: 'Half of it',
      runId: 'run-1'
    });
    expect(pair.versions[past].group).toBeUndefined();
    expect(lastAttempt(pair)).toBe(3);
    expect(nextSibling(pair)).toBe(2);
  });

  it('land in a file that was read again without them', () => {
    const { notebook, pair } = asked(3);
    const posted = [0, 1, 2].map(n => run(pair, n));
    // More replies to a pair that had one.
    const old = { ...info(0), state: 'succeeded' } as any;
    delete old.group;
    delete old.sibling;
    pair.setVersions([]);
    pair.setRun(old);
    land(notebook, { run: posted[2], text: 'two' });
    land(notebook, { run: posted[1], text: 'one' });
    expect(siblingsOf(pair).map(({ index }) => index)).toEqual([0, 1, 2]);
    expect(texts(pair)).toEqual(['', 'one', 'two']);
    // A pair that was sent again, before the file knew of that.
    pair.setVersions([]);
    pair.setRun({ ...old, runId: 'older', attempt: 1 });
    const later = posted.map(one => ({ ...one, attempt: one.attempt + 4 }));
    land(notebook, { run: later[1], text: 'one' });
    land(notebook, { run: later[0], text: 'zero' });
    expect(texts(pair)).toEqual(['zero', 'one']);
    expect(pair.versions.some(({ runId }) => runId === 'older')).toBe(true);
  });

  it('of a pair that was sent again since is an earlier version', () => {
    const { notebook, pair } = asked(2);
    const late = run(pair, 1);
    pair.setVersions([]);
    pair.setRun({ ...info(0), group: 'h', attempt: 7 });
    land(notebook, { run: late, text: 'late' });
    expect(siblingsOf(pair)).toEqual([]);
    expect(pair.versions).toMatchObject([{ reply: 'late' }]);
    expect(pair.run?.group).toBe('h');
  });

  it('swap when one is chosen, which can be undone while others land', () => {
    const { notebook, pair } = asked(3);
    let count = 0;
    const steps = followed(notebook, () => count++);
    land(notebook, { run: run(pair, 1), text: 'one' });
    expect(chooseReply(notebook, pair, 1)).toBe(true);
    expect(chooseReply(notebook, pair, 1)).toBe(false);
    expect(chooseReply(notebook, pair, 9)).toBe(false);
    expect(pair.reply?.text).toBe('one');
    expect(pair.run?.model).toBe('p/m1');
    land(notebook, { run: run(pair, 0), text: 'zero' });
    land(notebook, { run: run(pair, 2), text: 'two' });
    expect(texts(pair)).toEqual(['zero', 'one', 'two']);
    notebook.undo();
    expect(pair.reply?.text).toBe('zero');
    expect(texts(pair)).toEqual(['zero', 'one', 'two']);
    notebook.redo();
    expect(pair.reply?.text).toBe('one');
    expect(texts(pair)).toEqual(['zero', 'one', 'two']);
    expect(pair.parts).toHaveLength(1);
    expect(count).toBe(2);
    steps.dispose();
  });

  it.each([
    [1, 2],
    [2, 1]
  ])(
    'are all there after two browsers chose and landed at once (%i, %i)',
    (one, other) => {
      const { notebook: here, pair } = asked(3);
      here.ydoc.clientID = one;
      for (const n of [0, 1]) {
        land(here, { run: run(pair, n), text: `reply ${n}` });
      }
      const there = new YNotebook({ disableDocumentWideUndoRedo: false });
      there.ydoc.clientID = other;
      const sync = () => {
        applyUpdate(there.ydoc, encodeStateAsUpdate(here.ydoc));
        applyUpdate(here.ydoc, encodeStateAsUpdate(there.ydoc));
      };
      sync();
      const twin = Pair.find(there, 'pair')!;
      const landing = { run: run(pair, 2), text: 'reply 2' };
      chooseReply(here, pair, 2);
      const known = siblingVersions(pair);
      land(there, landing);
      sync();
      // Each browser tidies up what it did.
      restoreSiblings(here, pair, known);
      land(there, landing);
      sync();
      restoreSiblings(here, pair, known);
      land(there, landing);
      sync();
      for (const [document, found] of [
        [here, pair],
        [there, twin]
      ] as const) {
        expect(texts(found)).toEqual(['reply 0', 'reply 1', 'reply 2']);
        expect(found.run?.sibling).toBe(2);
        expect(pastVersions(found)).toEqual([]);
        expect(hasLanded(document, run(pair, 2))).toBe(true);
      }
    }
  );

  it('stay edited when another is added and chosen', () => {
    const { notebook, pair } = asked(2);
    for (const n of [0, 1]) {
      land(notebook, { run: run(pair, n), text: `reply ${n}` });
    }
    editReply(notebook, pair, 'edited');
    expect(receivedReply(pair)?.reply).toBe('reply 0');
    beginSiblings(notebook, pair, [info(2)]);
    land(notebook, { run: run(pair, 2), text: 'reply 2' });
    chooseReply(notebook, pair, 2);
    expect(texts(pair)).toEqual(['edited', 'reply 1', 'reply 2']);
    chooseReply(notebook, pair, 0);
    expect(pair.reply).toMatchObject({ text: 'edited', edited: true });
    expect(texts(pair)).toEqual(['edited', 'reply 1', 'reply 2']);
    expect(receivedReply(pair)?.reply).toBe('reply 0');
  });

  it('are edited and chosen in steps that are undone one by one', () => {
    const { notebook, pair } = asked(2);
    const steps = followed(notebook);
    for (const n of [0, 1]) {
      land(notebook, { run: run(pair, n), text: `reply ${n}` });
    }
    const says = () => [pair.reply?.text, ...texts(pair)];
    const seen = [says()];
    const step = (change: () => void) => {
      change();
      seen.push(says());
    };
    step(() => editReply(notebook, pair, 'first edit'));
    step(() => editReply(notebook, pair, 'second edit'));
    step(() => chooseReply(notebook, pair, 1));
    step(() => editReply(notebook, pair, 'other edit'));
    step(() => chooseReply(notebook, pair, 0));
    expect(seen.at(-1)).toEqual(['second edit', 'second edit', 'other edit']);
    for (let round = 0; round < 2; round++) {
      for (let at = seen.length - 2; at >= 0; at--) {
        notebook.undo();
        expect(says()).toEqual(seen[at]);
      }
      expect(pair.reply?.edited).toBeFalsy();
      expect(pastVersions(pair)).toEqual([]);
      for (let at = 1; at < seen.length; at++) {
        notebook.redo();
        expect(says()).toEqual(seen[at]);
      }
      expect(receivedReply(pair)?.reply).toBe('reply 0');
    }
    steps.dispose();
  });

  it('are chosen after the only one was edited, in steps that are undone one by one', () => {
    const { notebook, pair } = asked(1);
    const steps = followed(notebook);
    const { group: _, sibling: __, ...single } = info(0);
    pair.setRun(single);
    const alone = { group: undefined, sibling: undefined };
    land(notebook, { run: run(pair, 0, alone), text: 'zero' });
    notebook.clearUndoHistory();
    undoStep(notebook, () => pair.mark({ star: 1 }));
    editReply(notebook, pair, 'edited');
    joinGroup(notebook, pair, { group: 'g', sibling: 0 });
    beginSiblings(notebook, pair, [info(1)]);
    land(notebook, { run: run(pair, 1), text: 'one' });
    chooseReply(notebook, pair, 1);
    notebook.undo();
    expect(texts(pair)).toEqual(['edited', 'one']);
    expect(pair.run?.sibling).toBe(0);
    notebook.undo();
    expect(texts(pair)).toEqual(['zero', 'one']);
    expect(pair.reply?.edited).toBeUndefined();
    expect(pastVersions(pair)).toEqual([]);
    expect(pair.marks.star).toBe(1);
    notebook.undo();
    expect(pair.marks.star).toBe(0);
    for (let redo = 0; redo < 3; redo++) {
      notebook.redo();
    }
    expect(pair.reply?.text).toBe('one');
    expect(texts(pair)).toEqual(['edited', 'one']);
    expect(pair.marks.star).toBe(1);
    steps.dispose();
  });

  it('follow nothing but what the step changed', () => {
    const { notebook, pair } = asked(2);
    const steps = followed(notebook);
    for (const n of [0, 1]) {
      land(notebook, { run: run(pair, n), text: `reply ${n}` });
    }
    chooseReply(notebook, pair, 1);
    // As after an earlier version was restored.
    notebook.transact(() => pair.setChoice({ group: 'g', sibling: 0 }), false);
    undoStep(notebook, () => pair.mark({ star: 1 }));
    notebook.undo();
    expect(pair.reply?.text).toBe('reply 1');
    steps.dispose();
  });

  it('follow what is undone while they are held, afterwards', () => {
    const { notebook, pair } = asked(2);
    let isHeld = false;
    const steps = followed(
      notebook,
      () => undefined,
      () => isHeld
    );
    for (const n of [0, 1]) {
      land(notebook, { run: run(pair, n), text: `reply ${n}` });
    }
    editReply(notebook, pair, 'edited');
    chooseReply(notebook, pair, 1);
    const before = pair.parts;
    isHeld = true;
    notebook.undo();
    notebook.undo();
    expect(pair.parts).toEqual(before);
    steps.catchUp();
    expect(pair.parts).toEqual(before);
    isHeld = false;
    steps.catchUp();
    expect(pair.reply?.text).toBe('reply 0');
    expect(texts(pair)).toEqual(['reply 0', 'reply 1']);
    steps.dispose();
  });

  it('stay when one is saved that was edited while another was chosen', () => {
    const { notebook, pair } = asked(2);
    for (const n of [0, 1]) {
      land(notebook, { run: run(pair, n), text: `reply ${n}` });
    }
    const seen = pair.reply!;
    chooseReply(notebook, pair, 1);
    expect(saveEdited(notebook, pair, 'edited', seen)).toBe('version');
    expect(texts(pair)).toEqual(['reply 0', 'reply 1']);
    const [past] = pastVersions(pair);
    expect(pair.versions[past]).toMatchObject({ reply: 'edited' });
    expect(pair.versions[past].group).toBeUndefined();
    // That is a step of its own, too.
    const steps = followed(notebook);
    chooseReply(notebook, pair, 0);
    notebook.undo();
    expect(pair.reply?.text).toBe('reply 1');
    notebook.undo();
    expect(pastVersions(pair)).toEqual([]);
    expect(pair.reply?.text).toBe('reply 1');
    notebook.redo();
    expect(pair.versions[pastVersions(pair)[0]].reply).toBe('edited');
    steps.dispose();
  });

  it('of which the first was asked for alone: it is retried in its place', () => {
    const { notebook, pair } = asked(1);
    const alone = { group: undefined, sibling: undefined };
    const { group: _, sibling: __, ...single } = info(0);
    pair.setRun(single);
    const first = run(pair, 0, { ...alone, state: 'failed' });
    land(notebook, { run: first, text: '' });
    joinGroup(notebook, pair, { group: 'g', sibling: 0 });
    beginSiblings(notebook, pair, [info(1)]);
    land(notebook, { run: run(pair, 1), text: 'one' });
    chooseReply(notebook, pair, 1);
    const again = { ...first, id: 'again', attempt: 3, state: 'done' } as const;
    land(notebook, { run: again, text: 'zero' });
    expect(pair.reply?.text).toBe('one');
    expect(pair.run).toMatchObject({ group: 'g', sibling: 1, runId: 'run-1' });
    expect(texts(pair)).toEqual(['zero', 'one']);
    expect(land(notebook, { run: again, text: 'zero' })).toBe(false);
    // The next one, while it is what the pair says.
    chooseReply(notebook, pair, 0);
    const third = { ...again, id: 'third', attempt: 4 };
    land(notebook, { run: third, text: 'nought' });
    expect(texts(pair)).toEqual(['nought', 'one']);
    expect(pair.run).toMatchObject({ group: 'g', sibling: 0, runId: 'third' });
  });

  it('make way for a message that was sent again before the file knew', () => {
    const { notebook, pair } = asked(2);
    for (const n of [0, 1]) {
      land(notebook, { run: run(pair, n), text: `reply ${n}` });
    }
    chooseReply(notebook, pair, 1);
    const { group: _, sibling: __, ...single } = info(0);
    const cell = pair.toJSON() as unknown as IRun['cell'];
    cell.metadata.turnbook_run = { ...single, runId: 'resent' } as any;
    const alone = { group: undefined, sibling: undefined };
    const resent = run(pair, 0, { ...alone, id: 'resent', attempt: 5, cell });
    land(notebook, { run: resent, text: 'anew' });
    expect(pair.reply?.text).toBe('anew');
    expect(pair.versions.map(({ reply }) => reply)).toEqual(
      expect.arrayContaining(['reply 0', 'reply 1'])
    );
  });

  it('do not follow a choice of an earlier group', () => {
    const { notebook, pair } = asked(2);
    const steps = followed(notebook);
    chooseReply(notebook, pair, 1);
    pair.setRun({ ...info(0), group: 'h' });
    notebook.undo();
    expect(pair.run).toMatchObject({ group: 'h', sibling: 0 });
    steps.dispose();
  });

  it('are marked if they never left', () => {
    const { notebook, pair } = asked(3);
    land(notebook, { run: run(pair, 2), text: 'two' });
    markUnsent(notebook, 'pair', 'run-0');
    expect(siblingsOf(pair).map(({ info: { state } }) => state)).toEqual([
      'error',
      'error',
      'succeeded'
    ]);
  });

  it('without a run do not wait for ever, but land if it is found', () => {
    const { notebook, pair } = asked(3);
    land(notebook, { run: run(pair, 2), text: 'two' });
    const posted = run(pair, 0);
    expect(settleLost(notebook, 'pair', [{ sibling: 1 }])).toBe(true);
    const states = () => siblingsOf(pair).map(({ info: { state } }) => state);
    expect(states()).toEqual(['error', 'sending', 'succeeded']);
    expect(settleLost(notebook, 'pair', [])).toBe(true);
    expect(states()).toEqual(['error', 'error', 'succeeded']);
    expect(settleLost(notebook, 'pair', [])).toBe(false);
    expect(settleLost(notebook, 'none', [])).toBe(false);
    land(notebook, { run: posted, text: 'zero' });
    land(notebook, { run: run(pair, 1), text: 'one' });
    expect(texts(pair)).toEqual(['zero', 'one', 'two']);
    expect(states()).toEqual(Array(3).fill('succeeded'));
  });

  it('get numbers that the server takes, whatever the file says', () => {
    const { pair } = asked(2);
    expect(nextSibling(pair)).toBe(2);
    const [known] = pair.storedVersions as any[];
    pair.setVersions([known, { ...known, sibling: 9996 }]);
    expect(nextSibling(pair, 3)).toBe(9997);
    expect(nextSibling(pair, 4)).toBe(2);
    pair.setVersions([known, { ...known, sibling: 1e9 }]);
    expect(nextSibling(pair)).toBe(2);
    pair.setVersions([]);
    pair.setRun({ ...info(9999) });
    expect(nextSibling(pair, 31)).toBe(1);
    pair.setRun({ ...info(10_000) });
    expect(pair.run?.sibling).toBeUndefined();
  });

  it('are read with care from a file that was edited by hand', () => {
    const { notebook, pair } = asked(2);
    const [known] = pair.storedVersions as any[];
    pair.setVersions([
      known,
      { ...known, reply: 'twin' },
      { ...known, sibling: 2, reply: undefined },
      { ...known, sibling: -1 },
      { ...known, sibling: 10_000 },
      { ...known, sibling: '3' },
      { ...known, group: 7, sibling: 4 },
      { group: 'g', sibling: 5, source: 'Which?', reply: 'bare' },
      { ...known, sibling: 0, reply: 'another chosen one' },
      'no version'
    ]);
    expect(siblingsOf(pair).map(({ index }) => index)).toEqual([0, 1, 5]);
    expect(siblingsOf(pair)[2].info).toMatchObject({ state: 'succeeded' });
    land(notebook, { run: run(pair, 1), text: 'one' });
    expect(texts(pair)).toEqual(['', 'one', 'bare']);
    expect(pair.storedVersions).toHaveLength(10);
    expect(chooseReply(notebook, pair, 5)).toBe(true);
    expect(pair.reply?.text).toBe('bare');
    expect(texts(pair)).toEqual(['', 'one', 'bare']);
  });

  it('may be many', () => {
    const { notebook, pair } = asked(32);
    for (let n = 31; n >= 0; n--) {
      land(notebook, { run: run(pair, n), text: `reply ${n}` });
    }
    expect(texts(pair)).toEqual(
      Array.from({ length: 32 }, (_, n) => `reply ${n}`)
    );
    expect((pair.toJSON() as ICodeCell).outputs).toHaveLength(1);
  });
});
