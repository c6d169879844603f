import { YNotebook, type ISharedCodeCell } from '@jupyter/ydoc';

import {
  attachmentOutput,
  readAttachments,
  sentAttachments,
  type IAttachment
} from '../attachments';
import { emptyChat, pairCell } from '../chatfile';
import { chooseReply } from '../choice';
import { toggleSent } from '../eye';
import { ensurePair } from '../landing';
import type { IRunInfo } from '../metadata';
import { Pair } from '../pair';
import { referenceAttachment } from '../references';
import { replyOutput } from '../reply';
import { withSent } from '../sentmark';
import {
  beginSiblings,
  restoreSiblings,
  siblingsOf,
  siblingVersions
} from '../siblings';
import { isSameSnapshot, updateReference } from '../updatereference';
import { restoreVersion } from '../versions';
import { chatErrors } from './chatschema';

const cell = (text: string, number = 4) =>
  referenceAttachment(
    {
      kind: 'cell',
      path: 'a.ipynb',
      name: `a.ipynb · cell ${number}`,
      cellId: 'c',
      at: 5
    },
    text
  );

const [older, newer, other] = [cell('x = 1'), cell('x = 2'), cell('y', 9)];

const RUN_ID = '11111111-2222-4333-8444-555555555555';

const RUN: IRunInfo = {
  state: 'succeeded',
  model: 'p/m',
  createdAt: 10,
  updatedAt: 20,
  runId: RUN_ID,
  attempt: 1,
  context: [],
  requestHash: '1'.repeat(64)
};

function chat(
  run: Partial<IRunInfo> = {},
  files: readonly IAttachment[] = [other, older]
): {
  notebook: YNotebook;
  pair: Pair;
} {
  const notebook = YNotebook.create({ data: emptyChat() });
  const made: ISharedCodeCell = ensurePair(
    notebook,
    pairCell('p', 'Why?', { ...RUN, ...run }),
    null
  );
  made.setOutputs([
    ...files.map(attachmentOutput),
    replyOutput({ text: 'So.', runId: RUN_ID, partial: false })
  ]);
  return { notebook, pair: new Pair(made) };
}

const sent = (pair: Pair) => sentAttachments(pair.parts).map(one => one.data);
const kept = (pair: Pair) => readAttachments(pair.parts).map(one => one.data);
const errors = (pair: Pair) =>
  chatErrors({ metadata: {}, cells: [pair.toJSON()] as never });

describe('updateReference', () => {
  it('sends the newer snapshot from now on, and keeps the older one for its version', () => {
    const { notebook, pair } = chat();
    expect(updateReference(notebook, pair, older.sha256, newer)).toBe(true);
    expect(sent(pair)).toEqual([other.data, newer.data]);
    expect(kept(pair)).toEqual([other.data, older.data, newer.data]);
    expect(pair.reply?.text).toBe('So.');
    expect(pair.run).toEqual(RUN);
    expect(pair.versions).toMatchObject([
      {
        source: 'Why?',
        reply: 'So.',
        attachments: [other.sha256, older.sha256]
      }
    ]);
    expect(errors(pair)).toEqual([]);
  });

  it('is taken back by restoring the version, and again', () => {
    const { notebook, pair } = chat();
    updateReference(notebook, pair, older.sha256, newer);
    expect(restoreVersion(notebook, pair, 0)).toBe(true);
    expect(sent(pair)).toEqual([other.data, older.data]);
    expect(pair.reply?.text).toBe('So.');
    expect(restoreVersion(notebook, pair, 0)).toBe(true);
    expect(sent(pair)).toEqual([other.data, newer.data]);
    expect(errors(pair)).toEqual([]);
  });

  it('has each snapshot once, also when a source returns to what it was', () => {
    const { notebook, pair } = chat();
    updateReference(notebook, pair, older.sha256, newer);
    updateReference(notebook, pair, newer.sha256, older);
    expect(sent(pair)).toEqual([other.data, older.data]);
    expect(kept(pair).sort()).toEqual(
      [other.data, newer.data, older.data].sort()
    );
    // Messages may have been sent with the newer one, so that is the version now.
    expect(pair.versions).toMatchObject([
      { attachments: [other.sha256, newer.sha256] }
    ]);
    expect(restoreVersion(notebook, pair, 0)).toBe(true);
    expect(sent(pair)).toEqual([other.data, newer.data]);
  });

  it('makes a version of each snapshot that was in force', () => {
    const { notebook, pair } = chat();
    const newest = cell('x = 3');
    updateReference(notebook, pair, older.sha256, newer);
    updateReference(notebook, pair, newer.sha256, newest);
    expect(sent(pair)).toEqual([other.data, newest.data]);
    expect(pair.versions).toMatchObject([
      { attachments: [other.sha256, older.sha256] },
      { attachments: [other.sha256, newer.sha256] }
    ]);
    restoreVersion(notebook, pair, 1);
    expect(sent(pair)).toEqual([other.data, newer.data]);
    expect(errors(pair)).toEqual([]);
  });

  it('does not send what the user had switched off', () => {
    const { notebook, pair } = chat();
    pair.changeParts([1], [withSent(pair.parts[1], false)]);
    expect(sent(pair)).toEqual([other.data]);
    expect(updateReference(notebook, pair, older.sha256, newer)).toBe(true);
    expect(sent(pair)).toEqual([other.data]);
    expect(kept(pair)).toContain(newer.data);
    expect(pair.versions).toEqual([]);
    expect(errors(pair)).toEqual([]);
  });

  it.each([
    ['beside another', [other, older]],
    ['alone', [older]]
  ])('done twice, or to the older one, changes nothing: %s', (_, files) => {
    const { notebook, pair } = chat({}, files);
    updateReference(notebook, pair, older.sha256, newer);
    const once = pair.toJSON();
    expect(pair.versions).toHaveLength(1);
    expect(updateReference(notebook, pair, older.sha256, newer)).toBe(true);
    expect(pair.toJSON()).toEqual(once);
    expect(sent(pair)).toContain(newer.data);
    expect(sent(pair)).not.toContain(older.data);
  });

  it('keeps versions with files of a message without any', () => {
    const { notebook, pair } = chat({}, [older]);
    updateReference(notebook, pair, older.sha256, newer);
    toggleSent(notebook, pair, pair.parts.length - 2);
    expect(sent(pair)).toEqual([]);
    const newest = cell('x = 3');
    expect(updateReference(notebook, pair, newer.sha256, newest)).toBe(true);
    expect(sent(pair)).toEqual([]);
    expect(pair.versions).toMatchObject([{ attachments: [older.sha256] }]);
    expect(restoreVersion(notebook, pair, 0)).toBe(true);
    // What the message was without any is another version than this one.
    updateReference(notebook, pair, older.sha256, newest);
    expect(sent(pair)).toEqual([newest.data]);
    expect(pair.versions.map(({ attachments }) => attachments)).toEqual([
      undefined,
      [older.sha256]
    ]);
  });

  it('keeps what was sent with one of several replies', () => {
    const group = { group: RUN_ID, sibling: 0 };
    const { notebook, pair } = chat(group, [older]);
    const next = {
      ...RUN,
      group: RUN_ID,
      sibling: 1,
      runId: RUN_ID.replace('1', '2')
    };
    beginSiblings(notebook, pair, [next]);
    const known = siblingVersions(pair);
    updateReference(notebook, pair, older.sha256, newer);
    updateReference(notebook, pair, older.sha256, newer);
    const versions = [
      { sibling: 1, attachments: [older.sha256] },
      { sibling: 0, attachments: [older.sha256] }
    ];
    expect(pair.versions).toMatchObject(versions);
    // As after documents merged.
    restoreSiblings(notebook, pair, known);
    expect(pair.versions).toMatchObject(versions);
    expect(siblingsOf(pair).map(({ place }) => place)).toEqual([null, 0]);
    chooseReply(notebook, pair, 1);
    expect(sent(pair)).toEqual([older.data]);
    chooseReply(notebook, pair, 0);
    expect(sent(pair)).toEqual([newer.data]);
    expect(errors(pair)).toEqual([]);
  });

  it('does nothing while a reply is in progress, and with a snapshot that is not there', () => {
    const { notebook, pair } = chat({ state: 'sending' });
    const before = pair.toJSON();
    expect(updateReference(notebook, pair, older.sha256, newer)).toBe(false);
    expect(pair.toJSON()).toEqual(before);
    const resting = chat();
    expect(
      updateReference(resting.notebook, resting.pair, newer.sha256, older)
    ).toBe(false);
    expect(resting.pair.versions).toEqual([]);
  });
});

describe('isSameSnapshot', () => {
  it('compares the frozen text, not the number of the cell', () => {
    expect(isSameSnapshot(cell('x', 4), cell('x', 5))).toBe(true);
    expect(isSameSnapshot(older, newer)).toBe(false);
  });
});
