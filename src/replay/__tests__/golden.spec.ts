/**
 * Records that both derivations of the cells are tested with: this one and the one in Python.
 *
 * After a change of the format, write them again: `TURNBOOK_WRITE_GOLDEN=1 jlpm jest golden`.
 */
import fc from 'fast-check';
import { readFileSync, writeFileSync } from 'fs';
import * as path from 'path';

import { checkRecord } from '../model/check';
import { recordNotebook } from '../model/projection';
import { anyRequest, built } from './requests';

const FILE = path.join(
  __dirname,
  '../../../jupyterlab_turnbook/tests/golden-records.json'
);

const COUNT = 60;

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
    const lines = notebooks.map(notebook => JSON.stringify(notebook));
    writeFileSync(FILE, `[\n${lines.join(',\n')}\n]\n`);
  }

  const notebooks: any[] = JSON.parse(readFileSync(FILE, 'utf-8'));

  it('are many', () => {
    expect(notebooks).toHaveLength(COUNT);
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
