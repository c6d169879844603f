import { toggleSent } from '../../document/eye';
import { Pair } from '../../document/pair';
import { parse } from '../../filter/parse';
import type { Query } from '../../filter/query';
import { sameBeginning } from '../../request/lasttime';
import type { LastTime } from '../lasttime';
import type { ChatSession } from '../session';
import { Chats } from './chats';
import { Tab } from './tabs';

const chats = new Chats();

const LONG = 'What is a long question? '.repeat(200);

/** Wait until something about the last requests changes. */
const changed = (lastTime: LastTime) =>
  new Promise<void>(resolve => {
    const onChanged = () => {
      lastTime.changed.disconnect(onChanged);
      resolve();
    };
    lastTime.changed.connect(onChanged);
  });

function query(text: string): Query {
  const parsed = parse(text);
  if ('error' in parsed) {
    throw new Error(parsed.error.message);
  }
  return parsed.query;
}

/** How many messages of the request being written are as last time. */
async function beginning({ lastTime, requests }: ChatSession) {
  const { request } = requests.live;
  // A hint or a reply that lands is a change, too.
  while (!lastTime.of(request)) {
    await changed(lastTime);
  }
  return sameBeginning(lastTime.of(request)!, request).messages;
}

const requestsOf = (tab: Tab) =>
  tab.net.made.filter(name => name.endsWith('/request'));

it('is known from the journal, and read only when somebody looks', async () => {
  const tab = await chats.openChat();
  const { session } = tab;
  session.draft.text = 'first';
  expect(session.lastTime.of(session.requests.live.request)).toBeNull();
  await tab.ask('one');
  await tab.ask('two');
  session.draft.text = 'three';
  await session.context.counted;
  expect(requestsOf(tab)).toEqual([]);
  // Two messages of the first pair, and the second message.
  expect(await beginning(session)).toBe(3);
  await beginning(session);
  expect(requestsOf(tab)).toHaveLength(1);
  session.requests.live.setLeaf(
    session.requests.live.request.sections[2].id,
    ['content'],
    'edited'
  );
  expect(await beginning(session)).toBe(2);
});

it('is known after a reload, for each model', async () => {
  const tab = await chats.openChat();
  await tab.ask('one');
  const { server, path } = tab.options;
  const again = await Tab.open({ server, path });
  again.session.draft.text = 'two';
  expect(await beginning(again.session)).toBe(1);
  again.session.model = 'test/other';
  const { live } = again.session.requests;
  expect(again.session.lastTime.of(live.request)).toBeNull();
});

it('hints at what a filter makes the provider read again', async () => {
  const tab = await chats.openChat();
  const { context, lastTime } = tab.session;
  await tab.ask('Short one');
  await tab.ask(LONG);
  await tab.ask('another short one');
  expect(lastTime.hint).toBeNull();
  context.query = query('NOT (user:"Short one")');
  await changed(lastTime);
  const { again, same } = lastTime.hint!;
  expect(same).toBe(0);
  expect(again).toBeGreaterThan(1024);
  context.query = null;
  await changed(lastTime);
  expect(lastTime.hint).toBeNull();
  expect(requestsOf(tab)).toEqual([]);
});

it('hints at an edit of a cell, and not at a mark', async () => {
  const tab = await chats.openChat();
  const { lastTime } = tab.session;
  const first = await tab.ask('Short');
  await tab.ask(LONG);
  await tab.ask('more');
  const cell = tab.notebook.cells.find(one => one.getId() === first)!;
  cell.setMetadata('turnbook', { star: 2 });
  cell.setSource('Shorter');
  await changed(lastTime);
  expect(lastTime.hint?.again).toBeGreaterThan(1024);
  cell.setSource('Short');
  await changed(lastTime);
  expect(lastTime.hint).toBeNull();
});

it('hints at reasoning that is not sent any more, if the provider gets it', async () => {
  const tab = await chats.openChat();
  const { lastTime } = tab.session;
  const { providers } = await tab.api.listProviders();
  const { baseUrl } = providers.find(({ name }) => name === 'scripted')!;
  await tab.api.putProvider('thinks', {
    baseUrl,
    models: ['scripted'],
    reasoning: 'always'
  });
  await tab.catalog.refresh();
  tab.session.model = 'thinks/scripted';
  await tab.script({
    steps: [
      { reasoning: 'Hm.' },
      { delta: 'So.' },
      { finish: 'stop' },
      { done: true }
    ]
  });
  const first = await tab.ask('Short');
  await tab.ask(LONG);
  await tab.ask('more');
  expect(lastTime.hint).toBeNull();
  const pair = Pair.find(tab.notebook, first)!;
  expect(pair.text.reasoning).toHaveLength(1);
  toggleSent(tab.notebook, pair, 0);
  await changed(lastTime);
  expect(lastTime.hint?.again).toBeGreaterThan(1024);
});
