/** Compile a glob for names, in which `*` matches any characters; case is ignored. */
export function nameGlob(glob: string): (name: string) => boolean {
  const test = letterGlob(glob.toLowerCase());
  return name => test(name.toLowerCase());
}

/**
 * Compile a glob for topic paths: `*` matches any characters within a part, a `**` part matches
 * any number of parts, including none.
 */
export function topicGlob(glob: string): (topic: string) => boolean {
  if (!glob.includes('*')) {
    return topic => topic === glob;
  }
  const parts = glob.split('/').map(part => ({
    many: part === '**',
    test: letterGlob(part)
  }));
  return topic => matches(parts, topic ? topic.split('/') : []);
}

interface IStep<T> {
  many: boolean;
  test(item: T): boolean;
}

function letterGlob(glob: string): (text: string) => boolean {
  if (!glob.includes('*')) {
    return text => text === glob;
  }
  const steps = Array.from(glob, letter => ({
    many: letter === '*',
    test: (other: string) => other === letter
  }));
  return text => matches(steps, Array.from(text));
}

/** Greedy with a single backtracking point, so no glob takes more than steps × items. */
function matches<T>(steps: readonly IStep<T>[], items: readonly T[]): boolean {
  let step = 0;
  let item = 0;
  let many = -1;
  let taken = 0;
  while (item < items.length) {
    if (step < steps.length && steps[step].many) {
      many = step++;
      taken = item;
    } else if (step < steps.length && steps[step].test(items[item])) {
      step++;
      item++;
    } else if (many >= 0) {
      step = many + 1;
      item = ++taken;
    } else {
      return false;
    }
  }
  return steps.slice(step).every(({ many }) => many);
}
