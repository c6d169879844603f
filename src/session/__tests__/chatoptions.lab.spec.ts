import { chatEntry } from '../../document/chatentry';
import type { ChatSession } from '../session';
import { Chats } from './chats';
import { savedPair, sessionParts, settle } from './sessionparts';

const chats = new Chats();

const TOOLS = [
  {
    type: 'function',
    function: { name: 'look', description: 'x'.repeat(4000) }
  }
];

async function open(more: Parameters<typeof sessionParts>[1] = {}) {
  const parts = sessionParts([savedPair('p1', 'q', 'r')], more);
  const session = parts.open();
  parts.readDocument();
  parts.listModels();
  parts.readSettings();
  await session.ready;
  await settle();
  return { parts, session, entry: () => chatEntry(parts.notebook) as any };
}

const names = ({ options }: ChatSession) =>
  options.shown.map(({ name, scope }) => `${name} ${scope}`);

describe('the options of a chat', () => {
  it('go with every message, and edits of a request with one', async () => {
    const tab = await chats.openChat();
    const { session } = tab;
    session.options.set('temperature', 0.2);
    session.requests.live.setOption('top_p', 0.5);
    expect(names(session)).toEqual(['temperature chat', 'top_p message']);
    const [one, two] = [await tab.ask('one'), await tab.ask('two')].map(pair =>
      JSON.parse(session.requests.madeBody(pair)!)
    );
    expect(names(session)).toEqual(['temperature chat']);
    expect(session.options.undoable).toBeNull();
    expect(one).toMatchObject({ temperature: 0.2, top_p: 0.5 });
    expect(two.temperature).toBe(0.2);
    expect(two).not.toHaveProperty('top_p');
  });

  it('keep an edited option, and remove it for good', async () => {
    const { session, entry } = await open();
    const { live } = session.requests;
    live.setOption('temperature', 0.9);
    session.options.keep('temperature');
    await settle();
    expect(entry().options).toEqual({ temperature: 0.9 });
    expect(names(session)).toEqual(['temperature chat']);
    expect(session.requests.live.request.editedOptions).toEqual([]);
    session.options.remove(session.options.shown[0]);
    await settle();
    expect(entry()).not.toHaveProperty('options');
    expect(session.requests.live.request.frame).not.toHaveProperty(
      'temperature'
    );
    expect(session.options.shown).toEqual([]);
  });

  it('keep that an option is not sent, and bring a usual one back', async () => {
    const { session } = await open();
    session.requests.live.setOption('stream_options', undefined);
    session.options.keep('stream_options');
    await settle();
    const [option] = session.options.shown;
    expect(option).toMatchObject({ name: 'stream_options', scope: 'chat' });
    session.options.remove(option);
    await settle();
    expect(session.options.shown).toEqual([]);
    expect(session.requests.live.request.frame.stream_options).toEqual({
      include_usage: true
    });
  });

  it('undo the last change, whatever was there', async () => {
    const { parts, session, entry } = await open();
    const strange = { temperature: 'hot', messages: [1] };
    parts.notebook.setMetadata('turnbook', { ...entry(), options: strange });
    session.options.set('seed', 7);
    expect(entry().options).toEqual({ temperature: 'hot', seed: 7 });
    expect(session.options.undoable).toBe('seed');
    session.options.undo();
    expect(entry().options).toEqual(strange);
    expect(entry()).not.toHaveProperty('frame');
    expect(session.options.undoable).toBeNull();

    session.options.set('seed', 8);
    parts.notebook.setMetadata('turnbook', { ...entry(), options: {} });
    expect(session.options.undoable).toBeNull();
  });

  it('are refused if a request cannot have them', async () => {
    const { session, entry } = await open();
    const before = JSON.stringify(entry());
    for (const [name, value] of [
      ['model', 'x'],
      ['messages', []],
      ['stream', false],
      ['stream_options', null],
      ['temperature', 'hot'],
      ['', 1]
    ] as const) {
      expect(() => session.options.set(name, value as never)).toThrow();
    }
    expect(JSON.stringify(entry())).toBe(before);
  });

  it('make a notebook a chat', async () => {
    const { session, entry } = await open({ model: null });
    session.options.set('__proto__', { a: 1 });
    expect(entry().options).toEqual({ ___proto__: { a: 1 } });
    expect(names(session)).toEqual(['__proto__ chat']);
  });

  it('count with the tools of the chat or of the request, and leave less room', async () => {
    const { session } = await open({ model: 'local/small' });
    const before = session.budgets.state;
    session.options.set('tools', TOOLS);
    await settle();
    const { total, parts, included } = session.budgets.state;
    expect(parts.options).toBeGreaterThan(1000);
    expect(total).toBe(before.total + parts.options);
    expect([before.included, included]).toEqual([1, 1]);
    session.options.set('tools', [...TOOLS, ...TOOLS]);
    await settle();
    expect(session.budgets.state.included).toBe(0);
    session.requests.live.setOption('tools', undefined);
    await settle();
    expect(session.budgets.state.parts.options).toBe(0);
  });

  it('are not agreed to by setting another one', async () => {
    const { parts, session, entry } = await open();
    const theirs = { ...entry(), options: { tools: TOOLS } };
    parts.notebook.setMetadata('turnbook', theirs);
    expect(session.about.asks?.options).toEqual(['tools']);
    session.options.set('seed', 7);
    expect(session.about.asks?.options).toEqual(['tools', 'seed']);
    session.about.agree(session.about.asks!.terms);
    session.options.set('seed', 8);
    expect(session.about.asks).toBeNull();
  });
});
