import { YNotebook } from '@jupyter/ydoc';
import type { PartialJSONValue } from '@lumino/coreutils';
import fc from 'fast-check';

import { storable } from '../../base/json';
import {
  changeChatEntry,
  chatEntry,
  chatInfo,
  fileEntry,
  problemsOf,
  setChatInfo
} from '../chatentry';
import { emptyChat } from '../chatfile';
import { FORMAT, KEYS } from '../metadata';

const CHAT = '0b1c2d3e-0000-4000-8000-00000000000a';

const INFO = { format: FORMAT, chatId: CHAT, model: 'p/m' };

/** As a shared document can hold it; it knows no null of its own. */
const anything = fc
  .jsonValue()
  .map(value => storable((value ?? 0) as PartialJSONValue));

/** The notebook of all tests, whose entry is this. */
function holding(entry: unknown): YNotebook {
  NOTEBOOK.deleteMetadata(KEYS.notebook);
  NOTEBOOK.setMetadata(KEYS.notebook, entry as PartialJSONValue);
  NOTEBOOK.clearUndoHistory();
  return NOTEBOOK;
}

const NOTEBOOK = YNotebook.create({ data: emptyChat() });

describe("a chat's entry", () => {
  it('is read whatever a file contains', () => {
    fc.assert(
      fc.property(anything, value => {
        const info = chatInfo(holding(value));
        expect(info === null || typeof info.chatId === 'string').toBe(true);
        expect(fileEntry({ metadata: { [KEYS.notebook]: value } })).toEqual(
          value
        );
        fileEntry(value);
        fileEntry({ metadata: value });
      })
    );
  });

  it('reads back what is written, and keeps what a newer version wrote', () => {
    fc.assert(
      fc.property(anything, value => {
        const notebook = holding({ later: value, model: value });
        setChatInfo(notebook, INFO);
        expect(chatInfo(notebook)).toEqual(INFO);
        expect(chatEntry(notebook)).toEqual({ ...INFO, later: value });
        expect(notebook.canUndo()).toBe(false);
      })
    );
  });

  it('is replaced by a chat if it is not an object', () => {
    const notebook = holding('abc');
    changeChatEntry(notebook, () => ({ ...INFO }));
    expect(chatEntry(notebook)).toBe('abc');
    setChatInfo(notebook, INFO);
    expect(chatEntry(notebook)).toEqual(INFO);
  });

  it('changes without an undo step, and not at all if it stays the same', () => {
    const notebook = holding({ ...INFO, options: { seed: 1 } });
    let changes = 0;
    notebook.changed.connect(() => changes++);
    changeChatEntry(notebook, entry => entry);
    expect(changes).toBe(0);
    changeChatEntry(notebook, ({ options: _, ...rest }) => rest);
    expect(chatEntry(notebook)).toEqual(INFO);
    expect(changes).toBe(1);
    expect(notebook.canUndo()).toBe(false);
  });
});

describe('problemsOf', () => {
  it('names what cannot be read: the entry, and by its id each cell', () => {
    const notebook = YNotebook.create({ data: emptyChat() });
    expect(problemsOf(notebook)).toEqual([]);
    const [cell] = notebook.cells;
    notebook.setMetadata(KEYS.notebook, 'abc');
    cell.setMetadata(KEYS.run, { state: 'strange' });
    cell.setMetadata(KEYS.marks, 3);
    cell.setMetadata(KEYS.messages, {});
    const id = cell.getId();
    expect(problemsOf(notebook).map(problem => problem.cell)).toEqual([
      null,
      id,
      id,
      id
    ]);
  });
});
