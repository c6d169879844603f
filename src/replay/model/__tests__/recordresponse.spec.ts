import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import fc from 'fast-check';

import type { IResponse } from '../../../base/run';
import { chatErrors } from '../../../document/__tests__/chatschema';
import { anyRequest, built } from '../../__tests__/requests';
import { checkRecord } from '../check';
import { recordNotebook } from '../projection';
import { digest, type IRecordResponse } from '../record';
import { recordResponse, responseBytes, withResponse } from '../recordresponse';

const bytes = (text: string) => new TextEncoder().encode(text);

function told(body: Uint8Array, change: Partial<IResponse> = {}): IResponse {
  const hash = bytesToHex(sha256(body));
  const times = { sentAt: 1_763_280_000_000, answered: 3, ended: 9 };
  return { status: 200, ...times, hash, ...change } as IResponse;
}

const anyBody = fc.oneof(
  fc.uint8Array({ maxLength: 60 }),
  fc.string({ unit: 'grapheme' }).map(bytes),
  fc.constantFrom(bytes('\ufeffdata: 1\r\n\r\n'), bytes(''))
);

it('gives back any bytes, and is part of what the digest binds', () => {
  fc.assert(
    fc.property(anyRequest, anyBody, (request, body) => {
      const replay = built(request);
      const response = recordResponse(told(body), body)!;
      expect(responseBytes(response)).toEqual(body);
      const notebook = recordNotebook(withResponse(replay, response));
      expect(checkRecord(notebook).problems).toEqual([]);
      expect(chatErrors(notebook as any)).toEqual([]);
      // Without it, the record is what it was.
      const { record } = withResponse(replay, response);
      const { response: _, digest: __, ...rest } = record;
      expect({ ...rest, digest: replay.record.digest }).toEqual(replay.record);
    })
  );
});

it('is not made of other bytes, or of a response that is not complete', () => {
  const body = bytes('data: 1\n\n');
  expect(recordResponse(told(body), bytes('data: 2\n\n'))).toBeNull();
  expect(recordResponse(told(body, { ended: null }), body)).toBeNull();
  expect(recordResponse(told(body, { status: null }), body)).toBeNull();
});

describe('a changed response', () => {
  const body = bytes('data: {"a":"ü"}\n\ndata: [DONE]\n\n');
  const [request] = fc.sample(anyRequest, { numRuns: 1, seed: 3 });
  const replay = withResponse(
    built(request),
    recordResponse(told(body), body)!
  );

  function problems(change: object, isForged: boolean): readonly string[] {
    const response = { ...replay.record.response!, ...change };
    const record = { ...replay.record, response: response as IRecordResponse };
    const { lineage } = replay;
    const bound = isForged
      ? { ...record, digest: digest(record, lineage) }
      : record;
    const notebook = recordNotebook({ record: bound, lineage });
    return checkRecord(JSON.parse(JSON.stringify(notebook))).problems;
  }

  it('is as it was', () => {
    expect(problems({}, false)).toEqual([]);
  });

  it.each([
    { status: 201 },
    { sentAt: 1 },
    { answered: 4 },
    { ended: 10 },
    { encoding: 'base64', body: 'ZGF0YQ==' }
  ])('is found by the digest: %j', change => {
    expect(problems(change, false).join()).toContain('was changed');
  });

  it.each([
    { body: 'data: {"a":"u"}\n\ndata: [DONE]\n\n' },
    { size: 1 },
    { hash: '0'.repeat(64) },
    { encoding: 'base64' },
    { encoding: 'base64', body: 'ZGF0YQ==' },
    { encoding: 'base64', body: 'ZGF0 YQ==' }
  ])('is found with a new digest, too: %j', change => {
    expect(problems(change, true)).toEqual([
      'The response does not match its hash.'
    ]);
  });

  it.each([
    { status: '200' },
    { body: null },
    { encoding: 'gzip' },
    { size: -1 }
  ])('is no record: %j', change => {
    expect(problems(change, true).join()).toContain('not a replay record');
  });
});
