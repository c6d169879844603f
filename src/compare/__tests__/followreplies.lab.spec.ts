import { nullTranslator } from '@jupyterlab/translation';
import { PromiseDelegate } from '@lumino/coreutils';
import { Signal } from '@lumino/signaling';

import { followReplies } from '../followreplies';
import type { IItem } from '../items';
import type { Loaded } from '../load';
import { NO_FACTS } from '../side';
import { CompareContent } from '../widget';

const trans = nullTranslator.load('');

const side = (title: string): Loaded => ({
  side: { title, said: [], facts: NO_FACTS, notes: [], path: 'a' },
  versions: []
});

/** A comparison of two versions of a pair, and the chat that they are in. */
function setUp() {
  const loads: PromiseDelegate<Loaded[]>[] = [];
  const items: IItem[] = [0, 1].map(version => ({
    path: 'RTC:a.chat.ipynb',
    pair: 'pair',
    version
  }));
  const comparison = new CompareContent({
    items,
    load: () => {
      const load = new PromiseDelegate<Loaded[]>();
      loads.push(load);
      return load.promise;
    },
    trans
  });
  const comparisons: any = {
    forEach: (act: (one: unknown) => void) => act({ content: comparison })
  };
  const chat = (localPath: string) => ({
    context: { localPath },
    session: {
      landed: new Signal<object, string>({}),
      reread: new Signal<object, void>({})
    }
  });
  const [here, late] = [chat('other.chat.ipynb'), chat('a.chat.ipynb')];
  const chats = {
    forEach: (act: (one: unknown) => void) => act(here),
    widgetAdded: new Signal<object, unknown>({})
  } as any;
  const contents = { localPath: (path: string) => path.split(':').pop()! };
  followReplies({ chats, comparisons, contents });
  chats.widgetAdded.emit(late);
  return { comparison, here, late, loads };
}

describe('a comparison', () => {
  it('is read again when a reply that it shows has landed', () => {
    const { comparison, here, late, loads } = setUp();
    expect(loads).toHaveLength(1);
    late.session.landed.emit('another pair');
    here.session.landed.emit('pair');
    expect(loads).toHaveLength(1);
    late.session.landed.emit('pair');
    expect(loads).toHaveLength(2);
    comparison.dispose();
  });

  it('is read again when a chat that it shows was, since another page may have landed the reply', () => {
    const { comparison, here, late, loads } = setUp();
    here.session.reread.emit();
    expect(loads).toHaveLength(1);
    late.session.reread.emit();
    expect(loads).toHaveLength(2);
    comparison.dispose();
  });

  it('shows what was read last, whatever arrives last', async () => {
    const { comparison, late, loads } = setUp();
    late.session.landed.emit('pair');
    const [first, second] = loads;
    second.resolve([side('old'), side('new')]);
    await second.promise;
    const { caption } = comparison.title;
    expect(caption).toContain('new');
    first.resolve([side('old'), side('not there yet')]);
    await first.promise;
    expect(comparison.title.caption).toBe(caption);
    comparison.dispose();
  });
});
