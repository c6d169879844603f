import Ajv from 'ajv';
import { readFileSync } from 'fs';
import * as path from 'path';
import { parse } from 'yaml';

import { RequestDraft } from '../draft';
import { eventFacts } from '../facts';
import { usual } from './requests';

const EVENTS = path.join(__dirname, '../../../jupyterlab_turnbook/events');

const HASH = 'e'.repeat(64);

describe('what events report about a request', () => {
  it.each([
    ['intercept', {}],
    ['resume', { kind: 'send' }],
    ['apply', {}],
    ['fallback', { reason: 'wrong-snapshot' }],
    ['parity-mismatch', { otherHash: HASH, where: 'snapshot' }]
  ] as const)('fits what the server takes of %s', (name, more) => {
    const base = { ...usual(), debugName: 'Survey · turn 2' };
    const draft = new RequestDraft({ base });
    draft.setLeaf('c0/system', ['content'], 'Be kind.');
    draft.takeVersion('pause');
    const data = { ...eventFacts(name, draft), ...more };
    expect(data).toMatchObject({
      hash: draft.request.hash,
      version: 1,
      debugName: 'Survey · turn 2'
    });
    const file = path.join(EVENTS, `${name}.yaml`);
    const ajv = new Ajv({ strict: false });
    const schema = parse(readFileSync(file, 'utf-8'));
    expect([ajv.validate(schema, data), ajv.errors]).toEqual([true, null]);
    expect(JSON.stringify(data)).not.toContain('kind.');
  });
});
