import {
  messageContent,
  readAttachments,
  type IAttachment
} from '../../../document/attachments';
import { chatErrors } from '../../../document/__tests__/chatschema';
import { bodyHash } from '../../../request/render';
import { attached, REFERENCES, referring } from '../../__tests__/referring';
import { built, edited, section } from '../../__tests__/requests';
import { checkRecord } from '../check';
import { forkNotebook } from '../fork';
import { recordNotebook } from '../projection';
import { digest, type IRecord, type IReplay } from '../record';

const replay = () => built(referring(), { attached });

/** A record in which somebody changed something and made all else fit, but for the references. */
function forged(payload: (text: string) => string, change: object = {}) {
  const { record, lineage } = replay();
  const other = payload(record.payload);
  const hash = bodyHash(other);
  const origin = { ...lineage, payloadHash: hash };
  const bound: IRecord = { ...record, ...change, payload: other, hash };
  const made: IReplay = {
    record: { ...bound, digest: digest(bound, origin) },
    lineage: origin
  };
  return checkRecord(recordNotebook(made)).problems;
}

describe('the references of a record', () => {
  it('say where they were frozen, in a valid record', () => {
    const { record } = replay();
    const [cell, file] = REFERENCES.first;
    const [variable] = REFERENCES.last;
    expect(record.references).toEqual([
      { message: 1, part: 0, sha256: cell.sha256, ...cell.reference },
      { message: 1, part: 1, sha256: file.sha256, ...file.reference },
      { message: 3, part: 0, sha256: variable.sha256, ...variable.reference }
    ]);
    const notebook = recordNotebook(replay());
    expect(chatErrors(notebook as any)).toEqual([]);
    expect(checkRecord(notebook).problems).toEqual([]);
  });

  it('are checked one by one, and the one that differs is named', () => {
    const [, file] = REFERENCES.first;
    const problems = forged(text => text.replace('1,42', '1,43'));
    expect(problems).toEqual([
      expect.stringMatching(
        /^The reference work\/rain\.csv in message 2 does not match its hash: it is [0-9a-f]{64}, the record says/
      )
    ]);
    expect(problems[0]).toContain(file.sha256);
    expect(forged(text => text.replace('Variable: ', 'Value: '))).toEqual([
      'Message 4 does not have the reference rain.ipynb · total.'
    ]);
    expect(forged(text => text.replace('How much?', 'How?'))).toEqual([]);
  });

  it('that are damaged make no record', () => {
    for (const references of [
      {},
      [1],
      [{ message: -1, part: 0, kind: 'cell', name: 'x', sha256: '' }]
    ]) {
      expect(forged(text => text, { references })).toEqual([
        expect.stringContaining('cannot be read')
      ]);
    }
    const far = { message: 99, part: 9, kind: 'cell', name: 'x', sha256: '' };
    expect(forged(text => text, { references: [far] })).toEqual([
      'Message 100 does not have the reference x.'
    ]);
  });

  it('leave out what was edited, typed, or attached elsewhere', () => {
    const [cell] = REFERENCES.first;
    const typed: IAttachment = { ...cell, data: cell.data.replace('"', "'") };
    const said = (one: IAttachment, facts: object) =>
      built(
        edited([
          section({ role: 'user', content: messageContent('x', [one]) }, facts)
        ]),
        { attached }
      ).record;
    expect(said(typed, { cell: 'first' })).not.toHaveProperty('references');
    expect(said(cell, { cell: 'other' })).not.toHaveProperty('references');
    expect(said(cell, { cell: 'first' }).references).toHaveLength(1);
  });

  it('keep the hash of what was edited in the chat’s file, and it is reported', () => {
    const [cell] = REFERENCES.first;
    const data = cell.data.replace('"', "'");
    const stored = { ...cell, data };
    const made = built(
      edited([
        section(
          { role: 'user', content: messageContent('x', [stored]) },
          { cell: 'first' }
        )
      ]),
      { attached: () => [stored] }
    );
    expect(made.record.references).toEqual([
      { message: 0, part: 0, sha256: cell.sha256, ...cell.reference }
    ]);
    expect(checkRecord(recordNotebook(made)).problems).toEqual([
      expect.stringContaining(`the record says ${cell.sha256}`)
    ]);
  });

  it('give a fork their path and date, and no more than what matches', () => {
    const sources = (one: IReplay) =>
      forkNotebook(one).cells.flatMap(({ outputs }) =>
        readAttachments((outputs as any[]) ?? []).map(
          ({ reference }) => reference
        )
      );
    const all = [...REFERENCES.first, ...REFERENCES.last];
    expect(sources(replay())).toEqual(all.map(({ reference }) => reference));
    expect(chatErrors(forkNotebook(replay()) as any)).toEqual([]);

    const { record, lineage } = replay();
    const references = record.references!.map(one => ({
      ...one,
      sha256: '0'.repeat(64)
    }));
    expect(
      sources({ record: { ...record, references }, lineage }).map(
        one => one?.path
      )
    ).toEqual(['', undefined, '']);
  });
});
