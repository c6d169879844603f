import { YNotebook } from '@jupyter/ydoc';
import type { IOutput } from '@jupyterlab/nbformat';
import * as Y from 'yjs';

import { FollowedSteps } from '../choice';
import {
  canEditReply,
  editReply,
  receivedReply,
  saveEdited
} from '../editedreply';
import { land } from '../landing';
import { keepMessages, pairMessages } from '../messages';
import type { IRunInfo } from '../metadata';
import { Pair } from '../pair';
import { beginResend } from '../resend';
import { replyOutput } from '../reply';
import { restoreVersion } from '../versions';
import { answeredPair, INFO, journaledRun } from './answeredpair';
import { chatErrors } from './chatschema';

const { runId: RUN } = INFO;
const OTHER = '00000000-0000-4000-8000-000000000002';

const CAME = 'It is five.';
const EDITED = 'It is **four**.';

function chat(change: Partial<IRunInfo> = {}, outputs?: IOutput[]) {
  const info = { ...INFO, ...change };
  const partial = info.state !== 'succeeded';
  const came = replyOutput({ text: CAME, runId: RUN, partial });
  const made = answeredPair(outputs ?? [came], info);
  // As an open chat does.
  new FollowedSteps({
    notebook: made.notebook,
    changed: () => undefined,
    isHeld: () => false
  });
  return made;
}

describe('an edited reply', () => {
  it('is what the pair says; what came is a version with its hash', () => {
    const { notebook, pair } = chat();
    expect(editReply(notebook, pair, EDITED)).toBe(true);
    expect(pair.reply).toEqual({
      text: EDITED,
      runId: RUN,
      partial: false,
      edited: true
    });
    expect(pair.run).toEqual(INFO);
    expect(pair.versions).toMatchObject([
      { reply: CAME, runId: RUN, requestHash: INFO.requestHash }
    ]);
    expect(receivedReply(pair)?.reply).toBe(CAME);
    expect(pairMessages(pair.text).at(-1)?.content).toBe(EDITED);
    expect(pair.parts[0].data).toEqual({ 'text/markdown': EDITED });
    expect(chatErrors(notebook.toJSON() as never)).toEqual([]);
  });

  it('is undone and redone as one step', () => {
    const { notebook, pair } = chat({ seams: [{ at: 3 }] });
    const before = pair.toJSON();
    editReply(notebook, pair, EDITED);
    const after = pair.toJSON();
    notebook.undo();
    expect(pair.toJSON()).toEqual(before);
    notebook.redo();
    expect(pair.toJSON()).toEqual(after);
    editReply(notebook, pair, 'Again.');
    notebook.undo();
    expect(pair.toJSON()).toEqual(after);
  });

  it('is none once it has the text that came', () => {
    const { notebook, pair } = chat({ seams: [{ at: 3 }] });
    const before = pair.toJSON();
    editReply(notebook, pair, EDITED);
    expect(pair.run?.seams).toBeUndefined();
    editReply(notebook, pair, `${EDITED} Really.`);
    expect(pair.versions).toHaveLength(1);
    expect(editReply(notebook, pair, CAME)).toBe(true);
    const metadata = { ...before.metadata, turnbook_edits: 3 };
    expect(pair.toJSON()).toEqual({ ...before, metadata });
  });

  it('keeps the line breaks that came if nothing else was changed', () => {
    const came = 'One\r\ntwo\r\n';
    const output = replyOutput({ text: came, runId: RUN, partial: false });
    const { notebook, pair } = chat({}, [output]);
    expect(editReply(notebook, pair, 'One\ntwo\n')).toBe(false);
    editReply(notebook, pair, 'Other');
    editReply(notebook, pair, 'One\ntwo\n');
    expect(pair.parts).toEqual([output]);
  });

  it('is restored and edited again without doubling versions', () => {
    const { notebook, pair } = chat();
    editReply(notebook, pair, EDITED);
    expect(restoreVersion(notebook, pair, 0)).toBe(true);
    expect(pair.reply).toEqual({ text: CAME, runId: RUN, partial: false });
    expect(pair.versions).toMatchObject([{ reply: EDITED, edited: true }]);
    expect(editReply(notebook, pair, EDITED)).toBe(true);
    expect(pair.versions).toMatchObject([{ reply: CAME }]);
    expect(receivedReply(pair)?.reply).toBe(CAME);
  });

  it.each([['with'], ['without']])(
    'stays when the run lands again, %s its version',
    how => {
      const { notebook, pair } = chat();
      editReply(notebook, pair, EDITED);
      if (how === 'without') {
        pair.setVersions([]);
      }
      const after = pair.toJSON();
      const seams = [{ at: 3 }];
      land(notebook, { run: journaledRun(), text: CAME, seams });
      expect(pair.reply).toMatchObject({ text: EDITED, edited: true });
      expect(pair.run?.seams).toBeUndefined();
      expect(pair.parts).toEqual(after.outputs);
      expect(pair.versions).toHaveLength(how === 'with' ? 1 : 0);
    }
  );

  it('becomes a version when another attempt goes on with what came', () => {
    const { notebook, pair } = chat({ state: 'error' });
    editReply(notebook, pair, 'It is');
    land(notebook, {
      run: journaledRun({ id: OTHER, attempt: 2, continues: RUN }),
      text: `${CAME} Or six.`
    });
    expect(pair.reply).toMatchObject({ text: `${CAME} Or six.`, runId: OTHER });
    expect(pair.reply?.edited).toBeUndefined();
    expect(pair.versions).toMatchObject([
      { reply: CAME },
      { reply: 'It is', edited: true }
    ]);
  });

  it('becomes a version when the message is sent again; undo brings nothing back', () => {
    const { notebook, pair } = chat();
    editReply(notebook, pair, EDITED);
    const info = { ...INFO, runId: OTHER, attempt: 2 };
    const takeBack = beginResend(notebook, pair.cell, '2 + 3?', {
      ...info,
      state: 'sending'
    });
    takeBack();
    expect(pair.reply).toMatchObject({ text: EDITED, edited: true });
    beginResend(notebook, pair.cell, '2 + 3?', { ...info, state: 'sending' });
    expect(editReply(notebook, pair, 'Too soon.')).toBe(false);
    land(notebook, {
      run: journaledRun({ id: OTHER, attempt: 2 }),
      text: 'Five.'
    });
    const after = pair.toJSON();
    expect(pair.versions).toMatchObject([
      { reply: CAME },
      { reply: EDITED, edited: true }
    ]);
    notebook.undo();
    const { turnbook_edits: _, ...metadata } = after.metadata;
    expect(pair.toJSON()).toEqual({ ...after, metadata });
  });

  it('is sent instead of messages that were kept beside the text', () => {
    const { notebook, pair } = chat();
    const kept = [{ role: 'user', content: '2 + 2?', name: 'Ann' }];
    pair.setMessages({ ...keepMessages(kept, pairMessages(pair.text)) });
    expect(pair.messages).toEqual(kept);
    editReply(notebook, pair, EDITED);
    expect(pair.messages).toBeNull();
    notebook.undo();
    expect(pair.messages).toEqual(kept);
  });

  it('is one, whoever of two people saved last', () => {
    const { notebook, pair } = chat();
    const twin = YNotebook.create({ disableDocumentWideUndoRedo: true });
    const sync = (from: YNotebook, to: YNotebook) =>
      Y.applyUpdate(to.ydoc, Y.encodeStateAsUpdate(from.ydoc));
    sync(notebook, twin);
    editReply(notebook, pair, 'Mine.');
    const theirs = Pair.find(twin, 'a')!;
    editReply(twin, theirs, 'Theirs.');
    sync(notebook, twin);
    sync(twin, notebook);
    expect(pair.parts).toEqual(theirs.parts);
    expect(pair.parts).toHaveLength(1);
    expect(pair.versions).toMatchObject([{ reply: CAME }]);
  });

  it('keeps as a version what another page made of it meanwhile', () => {
    const { notebook, pair } = chat();
    editReply(notebook, pair, 'Theirs.');
    expect(editReply(notebook, pair, 'Mine.', CAME)).toBe(true);
    expect(pair.reply).toMatchObject({ text: 'Mine.', edited: true });
    expect(pair.versions).toMatchObject([
      { reply: CAME },
      { reply: 'Theirs.', edited: true }
    ]);
    expect(receivedReply(pair)?.reply).toBe(CAME);
    // What the user had before is no such thing.
    editReply(notebook, pair, 'Mine again.', 'Mine.');
    expect(pair.versions).toHaveLength(2);
  });

  it('is a version of the reply that the user saw, if another one came meanwhile', () => {
    const { notebook, pair } = chat();
    const seen = { text: CAME, runId: RUN };
    const next = { ...INFO, runId: OTHER, attempt: 2 };
    beginResend(notebook, pair.cell, '2 + 2?', { ...next, state: 'sending' });
    land(notebook, {
      run: journaledRun({ id: OTHER, attempt: 2 }),
      text: 'Four.'
    });
    const { reply } = pair;
    expect(saveEdited(notebook, pair, EDITED, seen)).toBe('version');
    expect(pair.reply).toEqual(reply);
    expect(pair.versions).toMatchObject([
      { reply: CAME, runId: RUN },
      { reply: EDITED, runId: RUN, edited: true }
    ]);
    expect(chatErrors(notebook.toJSON() as never)).toEqual([]);
    restoreVersion(notebook, pair, 1);
    expect(pair.reply).toMatchObject({ text: EDITED, edited: true });
    expect(receivedReply(pair)?.reply).toBe(CAME);
    // Also if nothing came.
    const { notebook: other, pair: silent } = chat();
    silent.changeParts([0]);
    expect(saveEdited(other, silent, EDITED, seen)).toBe('version');
    expect(silent.versions).toMatchObject([{ reply: EDITED, edited: true }]);
    // The same reply is edited in place.
    const { notebook: last, pair: same } = chat();
    expect(saveEdited(last, same, EDITED, seen)).toBe('reply');
    expect(same.reply?.text).toBe(EDITED);
  });

  it('of another tool has no run', () => {
    const output: IOutput = {
      output_type: 'display_data',
      data: { 'text/markdown': CAME, 'text/plain': CAME },
      metadata: { other: 1 }
    };
    const { notebook, pair } = chat({}, [output]);
    pair.setRun(undefined);
    editReply(notebook, pair, EDITED);
    expect(pair.parts[0].metadata).toEqual({
      other: 1,
      turnbook: { edited: true }
    });
    expect(receivedReply(pair)?.reply).toBe(CAME);
    expect(chatErrors(notebook.toJSON() as never)).toEqual([]);
    editReply(notebook, pair, CAME);
    expect(pair.parts).toEqual([output]);
    expect(pair.storedVersions).toEqual([]);
  });

  it.each<[string, IOutput[]]>([
    ['no reply', []],
    ['a stream', [{ output_type: 'stream', name: 'stdout', text: 'x' }]],
    [
      'several',
      ['One.', 'Two.'].map(text =>
        replyOutput({ text, runId: RUN, partial: false })
      )
    ]
  ])('cannot be made of %s, nor of an empty text', (_, outputs) => {
    const { notebook, pair } = chat({}, outputs);
    expect(canEditReply(outputs)).toBe(false);
    expect(editReply(notebook, pair, EDITED)).toBe(false);
    expect(pair.parts).toEqual(outputs);
    const { notebook: other, pair: whole } = chat();
    expect(editReply(other, whole, ' \n')).toBe(false);
  });

  it('that a file only claims has nothing to compare it with', () => {
    const claimed = replyOutput({
      text: EDITED,
      runId: RUN,
      partial: false,
      edited: true
    });
    const { notebook, pair } = chat({}, [claimed]);
    expect(receivedReply(pair)).toBeNull();
    expect(editReply(notebook, pair, 'Other.')).toBe(true);
    expect(pair.storedVersions).toEqual([]);
  });
});
