/**
 * Records that both derivations of the cells are tested with: this one and the one in Python.
 *
 * After a change of the format, write them again: `TURNBOOK_WRITE_GOLDEN=1 jlpm jest golden`.
 */
import fc from 'fast-check';
import { readFileSync, writeFileSync } from 'fs';
import * as path from 'path';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';

import type { IResponse } from '../../base/run';
import { checkRecord } from '../model/check';
import { recordNotebook } from '../model/projection';
import { recordResponse, withResponse } from '../model/recordresponse';
import { attached, referring } from './referring';
import { anyRequest, built } from './requests';

const FILE = path.join(
  __dirname,
  '../../../jupyterlab_turnbook/tests/golden-records.json'
);

const COUNT = 60;

/** The records before the last have these responses; the last has references. */
const RESPONSES: Uint8Array[] = [
  ...[
    '',
    'data: {"a":"ü \u202e 🌍"}\r\n\r\ndata: [DONE]\n\n',
    '\ufeff`</b>`'
  ].map(text => new TextEncoder().encode(text)),
  new Uint8Array([0xff, 0x00, 0xfe])
];

/** What the server says of a response that came at once. */
function told(bytes: Uint8Array, n: number): IResponse {
  const hash = bytesToHex(sha256(bytes));
  const at = 1_763_280_000_000;
  return {
    status: 200 + n,
    sentAt: at,
    answered: n,
    ended: n,
    hash
  } as IResponse;
}

describe('the golden records', () => {
  if (process.env.TURNBOOK_WRITE_GOLDEN) {
    const notebooks = fc
      .sample(anyRequest, { numRuns: COUNT, seed: 7 })
      .map((request, n) =>
        recordNotebook(
          built(request, {
            version: n,
            at: 1_763_280_000_000 + n,
            loggedHash: n % 3 ? null : n % 2 ? 'd'.repeat(64) : request.hash
          })
        )
      );
    const requests = fc.sample(anyRequest, { numRuns: 4, seed: 9 });
    requests.forEach((request, n) => {
      const facts = { requestId: `run-${n}`, loggedHash: request.hash };
      const bytes = RESPONSES[n];
      const response = recordResponse(told(bytes, n), bytes)!;
      notebooks.push(
        recordNotebook(withResponse(built(request, facts), response))
      );
    });
    notebooks.push(recordNotebook(built(referring(), { attached })));
    const lines = notebooks.map(notebook => JSON.stringify(notebook));
    writeFileSync(FILE, `[\n${lines.join(',\n')}\n]\n`);
  }

  const notebooks: any[] = JSON.parse(readFileSync(FILE, 'utf-8'));

  it('are many', () => {
    expect(notebooks).toHaveLength(COUNT + RESPONSES.length + 1);
  });

  it.each(notebooks.map((notebook, n) => [n, notebook] as const))(
    'number %i is derived as before',
    (_, notebook) => {
      const { record, lineage } = notebook.metadata.turnbook;
      expect(recordNotebook({ record, lineage })).toEqual(notebook);
      expect(checkRecord(notebook).problems).toEqual([]);
    }
  );
});
