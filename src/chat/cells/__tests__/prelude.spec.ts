import { Signal } from '@lumino/signaling';

import { PreludeRegistry } from '../prelude';

const CHAT = { path: 'a.chat.ipynb', chatId: 'c1' };
const contribution = (id: string, text: string | null, rank?: number) => ({
  id,
  title: id.toUpperCase(),
  rank,
  text: () => text
});

it('messages are ordered by rank, then by registration, without empty ones', () => {
  const prelude = new PreludeRegistry();
  prelude.add(contribution('b', 'B'));
  prelude.add(contribution('late', 'L', 900));
  prelude.add(contribution('a', 'A'));
  prelude.add(contribution('first', 'F', 1));
  prelude.add(contribution('none', null));
  prelude.add(contribution('blank', ' \n'));
  expect(prelude.messages(CHAT)).toEqual([
    { id: 'first', title: 'FIRST', text: 'F' },
    { id: 'b', title: 'B', text: 'B' },
    { id: 'a', title: 'A', text: 'A' },
    { id: 'late', title: 'LATE', text: 'L' }
  ]);
});

it('a contribution gets the chat, and cannot change it for the next', () => {
  const prelude = new PreludeRegistry();
  prelude.add({
    ...contribution('rude', null),
    text: chat => {
      chat.path = 'elsewhere';
      return null;
    }
  });
  prelude.add({ ...contribution('who', null), text: chat => chat.path });
  expect(prelude.messages(CHAT)[0].text).toBe('a.chat.ipynb');
});

it('changes are emitted: added, changed, removed', () => {
  const prelude = new PreludeRegistry();
  let told = 0;
  prelude.changed.connect(() => told++);
  const source = {};
  const changed = new Signal<object, string>(source);
  const added = prelude.add({ ...contribution('a', 'A'), changed });
  expect(told).toBe(1);
  changed.emit('new');
  expect(told).toBe(2);
  added.dispose();
  added.dispose();
  expect(told).toBe(3);
  changed.emit('newer');
  expect(told).toBe(3);
  expect(prelude.messages(CHAT)).toEqual([]);
});

it('an id can be used once, and again when it is free', () => {
  const prelude = new PreludeRegistry();
  const first = prelude.add(contribution('a', 'A'));
  expect(() => prelude.add(contribution('a', 'Other'))).toThrow(/already/);
  expect(prelude.messages(CHAT).length).toBe(1);
  first.dispose();
  prelude.add(contribution('a', 'Other'));
  expect(prelude.messages(CHAT)[0].text).toBe('Other');
});

it('a contribution that throws or returns no text is reported and not sent', () => {
  const prelude = new PreludeRegistry();
  prelude.add({
    ...contribution('bad', null),
    text: () => {
      throw new Error('no connection');
    }
  });
  prelude.add({ ...contribution('odd', null), text: () => 7 as never });
  prelude.add(contribution('good', 'G'));
  const { messages, problems } = prelude.read(CHAT);
  expect(messages.map(({ id }) => id)).toEqual(['good']);
  expect(problems.map(({ id }) => id)).toEqual(['bad', 'odd']);
  expect(problems[0].message).toMatch(/BAD .*not sent: no connection\. /);
  expect(problems[1].message).toMatch(/type number/);
});
