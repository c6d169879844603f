/** The small parts that a draft is made of. */
import fc from 'fast-check';
import * as Y from 'yjs';

import { gatherContext, NEW_MESSAGE } from '../../context/gather';
import { wellFormed } from '../../base/json';
import { changeText } from '../edits';
import {
  differences,
  leavesOf,
  sameJSON,
  valueAt,
  valueHash,
  withValue
} from '../leaves';
import { notableOptions, optionErrors } from '../options';
import { applyMoves, movesBetween } from '../order';
import { defaultFrame } from '../render';
import { itemsOf, membersOf } from '../scan';
import { baseFromBody, baseFromContext } from '../sections';
import { anyJSON, anyKey, anyText } from './requests';

describe('scan', () => {
  it('finds the exact text of every value, however it is spaced', () => {
    fc.assert(
      fc.property(
        fc.dictionary(anyKey, anyJSON),
        fc.constantFrom(undefined, 1, '\t', '\r\n '),
        (value, space) => {
          const text = JSON.stringify(value, null, space);
          const members = membersOf(text);
          expect(members.map(({ key }) => key)).toEqual(Object.keys(value));
          for (const { key, json } of members) {
            expect(JSON.parse(json)).toEqual(
              JSON.parse(JSON.stringify(value[key]))
            );
            expect(text).toContain(json);
          }
        }
      )
    );
    fc.assert(
      fc.property(
        fc.array(anyJSON),
        fc.constantFrom(undefined, 2),
        (list, n) => {
          const items = itemsOf(JSON.stringify(list, null, n));
          expect(items.map(item => JSON.parse(item))).toEqual(
            JSON.parse(JSON.stringify(list))
          );
        }
      )
    );
  });
});

describe('leaves', () => {
  it('can be read and replaced, and nothing else changes', () => {
    fc.assert(
      fc.property(anyJSON, fc.nat(), anyText, (value, n, text) => {
        const leaves = leavesOf(value);
        const { path } = leaves[n % leaves.length];
        const before = JSON.stringify(value);
        const next = withValue(value, path, text);
        expect(valueAt(next, path)).toBe(text);
        expect(JSON.stringify(value)).toBe(before);
        const others = leavesOf(next).filter(
          one => JSON.stringify(one.path) !== JSON.stringify(path)
        );
        expect(others).toHaveLength(leaves.length - 1);
      })
    );
  });

  it('treat `__proto__` as an ordinary key', () => {
    const value = JSON.parse('{"__proto__": {"a": 1}}');
    const next = withValue(value, ['__proto__', 'a'], 2);
    expect(JSON.stringify(next)).toBe('{"__proto__":{"a":2}}');
    expect(valueAt({}, ['__proto__'])).toBeUndefined();
    expect(valueAt({}, ['constructor', 'name'])).toBeUndefined();
  });

  it('turn one value into the other by their differences', () => {
    fc.assert(
      fc.property(
        fc.dictionary(anyKey, anyJSON),
        fc.dictionary(anyKey, anyJSON),
        fc.boolean(),
        (from, other, near) => {
          const to = near ? { ...from, ...other } : other;
          let value: any = from;
          for (const [path, next] of differences(from, to)) {
            value = withValue(value, path, next);
          }
          expect(JSON.stringify(value)).toBe(JSON.stringify(to));
        }
      )
    );
  });

  it('have the same hash exactly when they are the same', () => {
    fc.assert(
      fc.property(anyJSON, anyJSON, (a, b) => {
        expect(valueHash(a) === valueHash(b)).toBe(sameJSON(a, b));
      })
    );
    expect(valueHash('1')).not.toBe(valueHash(1));
    expect(valueHash(null)).not.toBe(valueHash(undefined));
  });
});

describe('order', () => {
  const anyOrders = fc
    .uniqueArray(fc.string(), { maxLength: 8 })
    .chain(ids =>
      fc.tuple(
        fc.constant(ids),
        fc.shuffledSubarray(ids, { minLength: ids.length })
      )
    );

  it('is reached by moves', () => {
    fc.assert(
      fc.property(anyOrders, ([from, to]) => {
        expect(applyMoves(from, movesBetween(from, to))).toEqual(to);
      })
    );
  });

  it('takes one move for one section', () => {
    const ids = ['a', 'b', 'c', 'd'];
    expect(movesBetween(ids, ['d', 'a', 'b', 'c'])).toHaveLength(1);
    expect(movesBetween(ids, ['b', 'c', 'd', 'a'])).toHaveLength(1);
    expect(movesBetween(ids, ids)).toEqual([]);
  });

  it('tolerates missing sections', () => {
    const move = { section: 'c', before: 'x', after: 'a' };
    expect(applyMoves(['a', 'b', 'c'], [move])).toEqual(['a', 'c', 'b']);
    expect(applyMoves(['a', 'b'], [move])).toEqual(['a', 'b']);
  });
});

describe('texts', () => {
  it('change without splitting characters', () => {
    const whole = fc.string({ unit: 'grapheme' });
    fc.assert(
      fc.property(whole, whole, (from, to) => {
        const doc = new Y.Doc({ gc: false });
        const text = doc.getText('t');
        text.insert(0, from);
        changeText(text, to);
        expect(text.toString()).toBe(to);
        const other = new Y.Doc();
        Y.applyUpdate(other, Y.encodeStateAsUpdate(doc));
        expect(other.getText('t').toString()).toBe(to);
      })
    );
    expect(wellFormed('a\ud83db😀')).toBe('a\ufffdb😀');
  });

  it('do not grow by unchanged parts', () => {
    const doc = new Y.Doc({ gc: false });
    const text = doc.getText('t');
    text.insert(0, 'x'.repeat(10_000));
    const before = Y.encodeStateAsUpdate(doc).length;
    changeText(text, `${'x'.repeat(5_000)}y${'x'.repeat(5_000)}`);
    expect(Y.encodeStateAsUpdate(doc).length - before).toBeLessThan(100);
  });
});

describe('options', () => {
  it('that differ from the default are stored with the pair', () => {
    expect(notableOptions(defaultFrame('m'))).toEqual({});
    expect(
      notableOptions({
        model: 'm',
        messages: null,
        stream: true,
        stop: null,
        x: { y: 1 }
      })
    ).toEqual({ stop: null, x: { y: 1 }, stream_options: null });
  });

  it('are checked with their paths, except unknown ones', () => {
    expect(optionErrors({ x_new: [1, { a: 'b' }] })).toEqual([]);
    expect(optionErrors({ temperature: 3, stop: 5 })).toEqual([
      { path: ['temperature'], message: 'temperature must be <= 2' },
      { path: ['stop'], message: 'stop must be string or array or null' }
    ]);
    expect(optionErrors({ tool_choice: 'maybe' })).toEqual([
      {
        path: ['tool_choice'],
        message: expect.stringContaining('"none", "auto", "required"')
      }
    ]);
  });
});

describe('bases', () => {
  const about = { chatId: 'c', pair: 'p', provider: 'x' };
  const context = gatherContext(
    [
      { kind: 'system', id: 's', text: 'Be brief.' },
      { kind: 'pair', id: 'a', user: 'hi', reply: 'hi', state: 'succeeded' },
      { kind: 'pair', id: 'b', user: 'hi', reply: 'ho', state: 'succeeded' }
    ],
    'now'
  );
  const ids = (base: { sections: readonly { id: string }[] }) =>
    base.sections.map(({ id }) => id);

  it('name the new message after its cell', () => {
    const base = baseFromContext(context, { ...about, model: 'm' });
    expect(ids(base).pop()).toBe('p/user');
    expect(ids(base)).not.toContain(NEW_MESSAGE.id);
    expect(base.frame).toEqual(defaultFrame('m'));
  });

  it('find the cells of messages that are still the same, in order', () => {
    const messages = [...context.messages];
    messages[2] = { role: 'assistant', content: 'was something else' };
    const body = JSON.stringify({ model: 'm', messages });
    const base = baseFromBody(body, {
      ...about,
      source: 'journal',
      cells: context
    });
    expect(ids(base)).toEqual([
      's/system',
      'a/user',
      'message 3/assistant',
      'b/user',
      'b/assistant',
      'p/user'
    ]);
    expect(base.sections[2].cell).toBeNull();
    expect(base.sections[3].cell).toBe('b');
  });

  it('give every section an id of its own', () => {
    const message = { role: 'user', content: 'same' };
    const body = JSON.stringify({ messages: [message, message, message] });
    const base = baseFromBody(body, { ...about, source: 'record' });
    expect(new Set(ids(base)).size).toBe(3);
  });
});
