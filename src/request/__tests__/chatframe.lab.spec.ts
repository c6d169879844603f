import { YNotebook } from '@jupyter/ydoc';
import fc from 'fast-check';

import { emptyChat } from '../../document/chatfile';
import { KEYS } from '../../document/metadata';
import { frameEntry, readFrame, writeFrame } from '../chatframe';

const object = fc.dictionary(
  fc.constantFrom('__proto__', '___proto__', 'constructor', 'temperature'),
  fc.dictionary(fc.constantFrom('__proto__', 'a'), fc.jsonValue()),
  { minKeys: 1 }
);

describe('the options of a chat', () => {
  it('keep any key in the document, with their exact text and without', () => {
    fc.assert(
      fc.property(object, fc.boolean(), (options, isExact) => {
        const notebook = YNotebook.create({ data: emptyChat() });
        const { frame, ...rest } = frameEntry(
          JSON.stringify({ model: 'm', messages: [], ...options })
        );
        writeFrame(notebook, isExact ? { frame, ...rest } : rest);
        const saved = JSON.parse(JSON.stringify(notebook.toJSON()));
        const again = YNotebook.create({ data: saved });
        const told = readFrame(again.getMetadata(KEYS.notebook), 'm');
        const found = (told ?? []).map(({ key, json }) => [
          key,
          JSON.parse(json)
        ]);
        expect(JSON.parse(JSON.stringify(Object.fromEntries(found)))).toEqual(
          expect.objectContaining(JSON.parse(JSON.stringify(options)))
        );
        const names = found.map(([key]) => key);
        expect(names).toEqual(expect.arrayContaining(Object.keys(options)));
      })
    );
  });
});
