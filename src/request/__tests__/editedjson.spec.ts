import fc from 'fast-check';

import { RequestDraft } from '../draft';
import { editedJSON } from '../editedjson';
import { withValue } from '../leaves';
import { baseFromBody } from '../sections';

const BODY = `{"model":"m","messages":[
  {"role": "assistant", "content": "Four.", "reasoning_details": [
    {"type": "reasoning.encrypted", "data": "QUJD\\/", "at": 1.0, "n": 12345678901234567890},
    {"type": "reasoning.text", "text": "caf\\u00e9"}
  ]},
  {"role":"user","content":"Thanks"}],"stream":true}`;

const ENCRYPTED =
  '{"type": "reasoning.encrypted", "data": "QUJD\\/", "at": 1.0, "n": 12345678901234567890}';

function draftOf(body: string): RequestDraft {
  const options = { chatId: 'c', pair: 'p', provider: 'work' };
  return new RequestDraft({
    base: baseFromBody(body, { ...options, source: 'journal' })
  });
}

describe('an edited message', () => {
  it('keeps the bytes of what is not edited, and all of them after an undo', () => {
    const draft = draftOf(BODY);
    const [{ id }] = draft.request.sections;
    draft.setLeaf(id, ['content'], 'Five.');
    expect(draft.request.body).toContain(ENCRYPTED);
    expect(draft.request.body).toContain('"caf\\u00e9"');
    expect(draft.request.body).toContain('"content":"Five."');
    draft.setLeaf(id, ['reasoning_details', 1, 'text'], 'tea');
    expect(draft.request.body).toContain(ENCRYPTED);
    expect(draft.request.body).toContain('"text":"tea"');
    draft.undo();
    draft.undo();
    expect(draft.request.body).toBe(BODY);
    // A piece that is removed takes nothing else with it.
    draft.removeLeaf(id, ['reasoning_details', 1]);
    expect(draft.request.body).toContain(`"reasoning_details":[${ENCRYPTED}]`);
  });

  it('says what its edits say, for any message and any edit', () => {
    const message = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }));
    fc.assert(
      fc.property(
        message,
        fc.string(),
        fc.jsonValue(),
        fc.boolean(),
        (start, key, value, removes) => {
          const json = JSON.stringify(start, null, 1);
          const before = JSON.parse(json);
          const keys = Object.keys(before);
          const path = [removes && keys.length ? keys[0] : key];
          const after = withValue(
            before,
            path,
            removes ? undefined : (value as never)
          );
          const text = editedJSON(json, before, after as never);
          expect(JSON.stringify(JSON.parse(text))).toBe(JSON.stringify(after));
        }
      )
    );
  });
});
