import { nullTranslator } from '@jupyterlab/translation';

import { showCells } from '../../chat/__tests__/shownchat';
import { originMetadata, ORIGIN_KEY } from '../../document/origin';
import { Pair } from '../../document/pair';
import { pastVersion } from '../../document/siblings';
import { savedPair } from '../../session/__tests__/sessionparts';
import { goToOrigin } from '../gotoorigin';
import { findText } from '../origins';

const code = (text: string, language = 'python') =>
  `Look:\n\n\`\`\`${language}\n${text}\n\`\`\`\n`;

const GROUP = 'a0000000-0000-4000-8000-000000000000';

/** Two replies to one message, and earlier versions before, between and after the other one. */
function several() {
  const pair = savedPair('pair', 'Which?', code('zero')) as any;
  const { turnbook_run: run } = pair.metadata;
  const version = (runId: string, text: string, more = {}) => ({
    source: 'Which?',
    reply: code(text),
    model: run.model,
    requestHash: run.requestHash,
    at: run.updatedAt,
    runId,
    run: { state: 'succeeded', attempt: 1, context: [], createdAt: 1 },
    ...more
  });
  pair.metadata = {
    turnbook_run: { ...run, group: GROUP, sibling: 0 },
    turnbook_versions: [
      version('run-old', 'old'),
      version('run-one', 'one', { group: GROUP, sibling: 1 }),
      version('run-older', 'older'),
      version('run-two', 'zero', { group: GROUP, sibling: 2 })
    ]
  };
  return pair;
}

/** The chat with that pair, and going to a text from it. */
function chat() {
  const content = showCells([several()]);
  const executed: unknown[] = [];
  const panel = {
    context: { localPath: 'a.chat.ipynb' },
    title: { label: 'a.chat.ipynb' },
    session: { info: { chatId: 'chat' } },
    model: content.model,
    content
  };
  const go = (text: string, run: string) =>
    goToOrigin(
      originMetadata(text, { chatId: 'chat', pair: 'pair', run })[ORIGIN_KEY],
      {
        app: {
          commands: { execute: async (...all: unknown[]) => executed.push(all) }
        } as never,
        chats: { find: (is: any) => (is(panel) ? panel : undefined) } as never,
        api: { listChats: async () => [] } as never,
        trans: nullTranslator.load('')
      }
    );
  const [cell] = content.widgets as any[];
  const past = () =>
    cell.shownVersion === null
      ? null
      : pastVersion(cell.pair, cell.shownVersion)?.runId;
  const front = () =>
    [...cell.node.querySelectorAll('[role="tab"]')].findIndex(
      tab => tab.getAttribute('aria-selected') === 'true'
    );
  return { content, executed, go, past, front };
}

afterEach(() => jest.restoreAllMocks());

describe('the way from a cell to its reply', () => {
  it('leads to the reply, to another of several, and to the version that it was', async () => {
    const { content, executed, go, past, front } = chat();
    expect(await go('zero', 'run-pair')).toBeNull();
    expect(executed).toHaveLength(1);
    expect([past(), front()]).toEqual([null, 0]);
    expect(await go('older', 'run-older')).toContain('is shown');
    expect(past()).toBe('run-older');
    expect(await go('old', 'run-old')).toContain('is shown');
    expect(past()).toBe('run-old');
    expect(await go('one', 'run-one')).toBeNull();
    expect(past()).toBeNull();
    expect(await go('gone', 'run-one')).toContain('no longer has the text');
    content.dispose();
  });

  it('brings the reply to the front that it came from, also if others say the same', async () => {
    // Where there is little room, one reply is shown at a time.
    jest.spyOn(Element.prototype, 'clientWidth', 'get').mockReturnValue(500);
    const { content, go, past, front } = chat();
    for (const [text, run, index] of [
      ['one', 'run-one', 1],
      ['zero', 'run-two', 2],
      ['zero', 'run-pair', 0],
      ['one', 'unknown', 1]
    ] as const) {
      expect(await go(text, run)).toBeNull();
      expect([past(), front()]).toEqual([null, index]);
    }
    content.dispose();
  });
});

describe('findText', () => {
  const find = (reply: string, text: string) => {
    const content = showCells([savedPair('pair', 'Which?\nOne?', reply)]);
    const pair = Pair.find(content.model!.sharedModel, 'pair')!;
    const found = findText(
      pair,
      originMetadata(text, {
        chatId: 'chat',
        pair: 'pair',
        run: 'run-pair'
      })[ORIGIN_KEY] as never
    );
    content.dispose();
    return found;
  };

  it('finds code, prose, code of another language, and the message as a quote', () => {
    const reply = `Before.\n\n${code('a = 1')}\n${code('b', 'sql')}`;
    for (const text of [
      'a = 1',
      'b',
      'Before.\n\nLook:',
      '```sql\nb\n```',
      '```python\na = 1\n```',
      '> Which?\n> One?'
    ]) {
      expect(find(reply, text)).toEqual({ in: 'reply' });
    }
    expect(find(reply, 'c')).toBeNull();
  });

  it('reads a reply with many languages as fast as one with a few', () => {
    const blocks = Array.from({ length: 3000 }, (_, n) =>
      code(`${n}`, `l${n}`)
    );
    // Of this process alone: a busy machine makes the same work last longer.
    const before = process.cpuUsage();
    expect(find(blocks.join('\n'), 'none of them')).toBeNull();
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(5000);
  });
});
