import { YNotebook, type ISharedCodeCell } from '@jupyter/ydoc';
import type { IOutput } from '@jupyterlab/nbformat';
import type { PartialJSONObject } from '@lumino/coreutils';

import { emptyChat, pairCell } from '../chatfile';
import { ensurePair } from '../landing';
import { KEYS, readRunInfo, type IRunInfo } from '../metadata';
import { Pair } from '../pair';
import { attachmentOutput, readAttachments } from '../attachments';
import { withSent } from '../sentmark';
import { readReply, replyOutput } from '../reply';
import { TOOL_MIME } from '../rounds';
import { withholdImages } from '../withoutimages';
import { currentVersion, restoreVersion, saveVersion } from '../versions';

const HASH = { r1: '1'.repeat(64), r2: '2'.repeat(64) };

const FOREIGN: IOutput = { output_type: 'stream', name: 'stdout', text: 'x' };

function info(runId: 'r1' | 'r2', change: Partial<IRunInfo> = {}): IRunInfo {
  return {
    state: 'succeeded',
    model: `p/${runId}`,
    createdAt: 10,
    updatedAt: 20,
    runId,
    attempt: runId === 'r1' ? 1 : 2,
    context: [['x', 'y', 2]],
    requestHash: HASH[runId],
    ...change
  };
}

/** A chat with a pair that was answered. */
function chat(
  change: Partial<IRunInfo> = {},
  perCell = true
): { notebook: YNotebook; cell: ISharedCodeCell } {
  const notebook = YNotebook.create({
    disableDocumentWideUndoRedo: perCell,
    data: emptyChat()
  });
  // As after opening a file.
  notebook.clearUndoHistory();
  const made = info('r1', change);
  const cell = ensurePair(notebook, pairCell('a', 'First?', made), null);
  const partial = made.state !== 'succeeded';
  cell.setOutputs([
    FOREIGN,
    replyOutput({ text: 'One.', runId: 'r1', partial })
  ]);
  return { notebook, cell };
}

/** What Edit & Resend does to a cell, up to the new reply. */
function resend(notebook: YNotebook, cell: ISharedCodeCell): void {
  saveVersion(notebook, new Pair(cell));
  notebook.transact(() => {
    cell.setSource('Second?');
    cell.setOutputs([
      FOREIGN,
      replyOutput({ text: 'Two.', runId: 'r2', partial: false })
    ]);
    cell.setMetadata(KEYS.run, info('r2') as unknown as PartialJSONObject);
  }, false);
}

const shown = (cell: ISharedCodeCell) => ({
  source: cell.getSource(),
  reply: readReply(cell.getOutputs()),
  run: readRunInfo(cell.getMetadata(KEYS.run))
});

describe('saveVersion', () => {
  it('saves what the pair said', () => {
    const { notebook, cell } = chat();
    resend(notebook, cell);
    expect(new Pair(cell).versions).toEqual([
      {
        source: 'First?',
        reply: 'One.',
        model: 'p/r1',
        requestHash: HASH.r1,
        at: 20,
        runId: 'r1',
        run: {
          state: 'succeeded',
          createdAt: 10,
          attempt: 1,
          context: [['x', 'y', 2]]
        }
      }
    ]);
  });

  it('saves messages that text cannot express, and restores them', () => {
    const { notebook, cell } = chat();
    const messages = { sha256: HASH.r1, messages: '[{"role":"user"}]' };
    cell.setMetadata(KEYS.messages, messages);
    resend(notebook, cell);
    cell.deleteMetadata(KEYS.messages);
    expect(new Pair(cell).versions[0].messages).toEqual(messages);
    expect(restoreVersion(notebook, new Pair(cell), 0)).toBe(true);
    expect(cell.getMetadata(KEYS.messages)).toEqual(messages);
    expect(new Pair(cell).versions[0].messages).toBeUndefined();
  });

  it('saves it once, and nothing for a cell that was never sent', () => {
    const { notebook, cell } = chat();
    saveVersion(notebook, new Pair(cell));
    saveVersion(notebook, new Pair(cell));
    expect(new Pair(cell).versions).toHaveLength(1);
    const fresh = YNotebook.create({ data: emptyChat() });
    const draft = fresh.cells[0] as ISharedCodeCell;
    expect(saveVersion(fresh, new Pair(draft))).toBeNull();
    expect(draft.getMetadata(KEYS.versions)).toBeUndefined();
  });

  it.each([true, false])('cannot be undone (undo per cell: %s)', perCell => {
    const { notebook, cell } = chat({}, perCell);
    saveVersion(notebook, new Pair(cell));
    notebook.undo();
    cell.undo();
    expect(new Pair(cell).versions).toHaveLength(1);
  });
});

describe('restoreVersion', () => {
  it('swaps the chosen version with the current one, and back', () => {
    const { notebook, cell } = chat();
    const first = shown(cell);
    resend(notebook, cell);
    const second = shown(cell);
    expect(restoreVersion(notebook, new Pair(cell), 0)).toBe(true);
    // The attempt never goes back: a late landing of an earlier one must lose.
    expect(shown(cell)).toEqual({
      ...first,
      run: { ...first.run, attempt: 2 }
    });
    expect(new Pair(cell).versions.map(({ source }) => source)).toEqual([
      'Second?'
    ]);
    expect(restoreVersion(notebook, new Pair(cell), 0)).toBe(true);
    expect(shown(cell)).toEqual(second);
    expect(new Pair(cell).versions.map(({ reply }) => reply)).toEqual(['One.']);
  });

  it('keeps outputs of others and one reply', () => {
    const { notebook, cell } = chat();
    resend(notebook, cell);
    restoreVersion(notebook, new Pair(cell), 0);
    expect(cell.getOutputs()).toHaveLength(2);
    expect(cell.getOutputs()[0]).toMatchObject(FOREIGN);
  });

  it('restores a stopped reply as stopped', () => {
    const { notebook, cell } = chat({ state: 'canceled' });
    const first = shown(cell);
    resend(notebook, cell);
    restoreVersion(notebook, new Pair(cell), 0);
    expect(shown(cell).reply).toEqual(first.reply);
    expect(shown(cell).run?.state).toBe('canceled');
  });

  it('restores an error with its text; only the pair in error refers to the journal', () => {
    const error = {
      type: 'rate' as const,
      code: 'quota',
      status: 429,
      message: 'Pay.'
    };
    const contextSnapshot = { runId: 'r1', hash: HASH.r1 };
    const { notebook, cell } = chat({ state: 'error', error, contextSnapshot });
    resend(notebook, cell);
    expect(JSON.stringify(new Pair(cell).versions)).not.toContain(
      'contextSnapshot'
    );
    restoreVersion(notebook, new Pair(cell), 0);
    expect(shown(cell).run).toMatchObject({
      state: 'error',
      error,
      contextSnapshot
    });
  });

  it('has a text for a version whose reply never ended', () => {
    const { notebook, cell } = chat({ state: 'awaiting' });
    resend(notebook, cell);
    restoreVersion(notebook, new Pair(cell), 0);
    expect(shown(cell).run).toMatchObject({
      state: 'error',
      error: { code: 'interrupted' }
    });
  });

  it('restores tool calls before the reply', () => {
    const { notebook, cell } = chat();
    const tool: IOutput = {
      output_type: 'display_data',
      data: { [TOOL_MIME]: { name: 'add' }, 'text/plain': 'add' },
      metadata: {}
    };
    const reply = replyOutput({ text: 'One.', runId: 'r1', partial: false });
    cell.setOutputs([tool, reply]);
    resend(notebook, cell);
    restoreVersion(notebook, new Pair(cell), 0);
    expect(cell.getOutputs()).toMatchObject([FOREIGN, tool, reply]);
    restoreVersion(notebook, new Pair(cell), 0);
    expect(cell.getOutputs()).toHaveLength(2);
  });

  it('restores a version that has only the fields of the format', () => {
    const { notebook, cell } = chat();
    cell.setMetadata(KEYS.versions, [
      { source: 'Old?', reply: 'Old.', model: 'p/o', requestHash: 'h', at: 5 }
    ]);
    expect(restoreVersion(notebook, new Pair(cell), 0)).toBe(true);
    expect(shown(cell)).toMatchObject({
      source: 'Old?',
      reply: { text: 'Old.', partial: false },
      run: { state: 'succeeded', model: 'p/o', requestHash: 'h', updatedAt: 5 }
    });
  });

  it('restores a reply without a run unchanged', () => {
    const { notebook, cell } = chat();
    cell.deleteMetadata(KEYS.run);
    const written: IOutput = {
      output_type: 'display_data',
      data: { 'text/markdown': 'By hand.' },
      metadata: {}
    };
    cell.setOutputs([written]);
    resend(notebook, cell);
    restoreVersion(notebook, new Pair(cell), 0);
    expect(cell.getOutputs()).toMatchObject([FOREIGN, written]);
    expect(cell.getMetadata(KEYS.run)).toBeUndefined();
    expect(currentVersion(new Pair(cell))).toMatchObject({
      reply: 'By hand.',
      at: 0
    });
  });

  it('never marks the cell as trusted', () => {
    const { notebook, cell } = chat();
    resend(notebook, cell);
    cell.setMetadata('trusted', true);
    restoreVersion(notebook, new Pair(cell), 0);
    expect(cell.getMetadata('trusted')).toBeUndefined();
  });

  it('does nothing while a reply is in progress or without such a version', () => {
    const { notebook, cell } = chat();
    expect(restoreVersion(notebook, new Pair(cell), 0)).toBe(false);
    resend(notebook, cell);
    const awaiting = info('r2', { state: 'awaiting' });
    cell.setMetadata(KEYS.run, awaiting as unknown as PartialJSONObject);
    const before = notebook.toJSON();
    expect(restoreVersion(notebook, new Pair(cell), 0)).toBe(false);
    expect(notebook.toJSON()).toEqual(before);
  });

  it('is one change that undo does not touch, nor what was typed before', () => {
    const { notebook, cell } = chat();
    cell.updateSource(0, 5, 'Typed');
    expect(cell.canUndo()).toBe(true);
    resend(notebook, cell);
    let changes = 0;
    notebook.ydoc.on('afterTransaction', ({ changed }) => {
      changes += changed.size > 1 ? 1 : 0;
    });
    restoreVersion(notebook, new Pair(cell), 0);
    expect(changes).toBe(1);
    const after = notebook.toJSON();
    notebook.undo();
    cell.undo();
    expect(notebook.toJSON()).toEqual(after);
  });
});

describe('a version of a pair with an image', () => {
  const image = {
    type: 'image/png',
    name: 'plot.png',
    data: 'AAEC',
    sha256: 'ab'.repeat(32),
    size: 3
  };
  const sent = (cell: ISharedCodeCell) =>
    new Pair(cell).text.attachments.map(({ data }) => data);

  it('is sent again with what it was sent with, and without what it was not', () => {
    const { notebook, cell } = chat();
    cell.setOutputs([attachmentOutput(image), ...cell.getOutputs()]);
    saveVersion(notebook, new Pair(cell));
    withholdImages(notebook, new Set(['a']));
    notebook.transact(() => {
      cell.setMetadata(KEYS.run, info('r2') as unknown as PartialJSONObject);
      const place = cell.getOutputs().length - 1;
      cell.updateOutputs(place, place + 1, [
        replyOutput({ text: 'Two.', runId: 'r2', partial: false })
      ]);
    }, false);
    expect(sent(cell)).toEqual([]);
    expect(restoreVersion(notebook, new Pair(cell), 0)).toBe(true);
    expect(sent(cell)).toEqual(['AAEC']);
    expect(readReply(cell.getOutputs())?.text).toBe('One.');
    expect(cell.getOutputs()).toEqual([
      attachmentOutput(image),
      FOREIGN,
      replyOutput({ text: 'One.', runId: 'r1', partial: false })
    ]);
    expect(restoreVersion(notebook, new Pair(cell), 0)).toBe(true);
    expect(sent(cell)).toEqual([]);
    expect(readReply(cell.getOutputs())?.text).toBe('Two.');
    // The file has its content once, whatever is restored.
    expect(JSON.stringify(notebook.toJSON()).split('AAEC')).toHaveLength(2);
    expect(readAttachments(cell.getOutputs())).toHaveLength(1);
  });

  it('is sent with a file once if that was attached twice and sent once', () => {
    const { notebook, cell } = chat();
    const output = attachmentOutput(image);
    const unsent = withSent(output, false);
    cell.setOutputs([unsent, output, ...cell.getOutputs()]);
    resend(notebook, cell);
    const files = [unsent, output];
    cell.setOutputs([...files, ...cell.getOutputs()]);
    expect(restoreVersion(notebook, new Pair(cell), 0)).toBe(true);
    expect(readReply(cell.getOutputs())?.text).toBe('One.');
    expect(cell.getOutputs().slice(0, 2)).toEqual(files);
    cell.setOutputs([output, ...cell.getOutputs().slice(1)]);
    expect(sent(cell)).toHaveLength(2);
    expect(restoreVersion(notebook, new Pair(cell), 0)).toBe(true);
    expect(sent(cell)).toHaveLength(1);
  });
});
