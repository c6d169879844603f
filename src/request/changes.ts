/** How much two request bodies differ. */
import { itemsOf, membersOf } from './scan';

/**
 * How many messages and options were changed, added or removed between two requests.
 *
 * Computed from the bytes alone: 0 if and only if they are equal.
 */
export function changesBetween(before: string, after: string): number {
  if (before === after) {
    return 0;
  }
  const [a, b] = [partsOf(before), partsOf(after)];
  const changed = [...new Set([...a.options.keys(), ...b.options.keys()])];
  const options = changed.filter(
    key => a.options.get(key) !== b.options.get(key)
  ).length;
  const count =
    options +
    Math.max(missing(a.messages, b.messages), missing(b.messages, a.messages));
  return count || misplaced(a.messages, b.messages) || 1;
}

interface IParts {
  options: Map<string, string>;
  messages: string[];
}

function partsOf(body: string): IParts {
  const members = membersOf(body);
  const list = members.filter(({ key }) => key === 'messages').pop();
  return {
    options: new Map(
      members
        .filter(({ key }) => key !== 'messages')
        .map(({ key, json }) => [key, json])
    ),
    messages: list ? itemsOf(list.json) : []
  };
}

/** How many messages of a list are missing from another, counting repetitions. */
function missing(from: readonly string[], other: readonly string[]): number {
  const left = new Map<string, number>();
  for (const text of other) {
    left.set(text, (left.get(text) ?? 0) + 1);
  }
  return from.filter(text => {
    const count = left.get(text) ?? 0;
    left.set(text, count - 1);
    return count <= 0;
  }).length;
}

function misplaced(a: readonly string[], b: readonly string[]): number {
  return a.filter((text, n) => text !== b[n]).length;
}
