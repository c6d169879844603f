import { nullTranslator } from '@jupyterlab/translation';

import { Composer } from '../../chat/composer/composer';
import { Attaching } from '../../chat/composer/files/attaching';
import { showCells } from '../../chat/__tests__/shownchat';
import { continueObstacle } from '../../chat/continuereply';
import type { ChatPanel } from '../../chat/panel';
import { combineReplies } from '../../chat/siblings';
import { textAttachment, type IAttachment } from '../../document/attachments';
import { Draft } from '../../session/draft';
import { savedPair } from '../../session/__tests__/sessionparts';
import { ask } from '../askin';

const FILE = textAttachment('a.txt', 'text');

const trans = nullTranslator.load('');

/** A pair with two replies, of which the chosen one was stopped. */
function stopped() {
  const pair = savedPair('pair', 'Which?', 'zero') as any;
  const { turnbook_run: run } = pair.metadata;
  const group = 'a0000000-0000-4000-8000-000000000000';
  const { model, requestHash, updatedAt: at, ...rest } = run;
  pair.metadata = {
    turnbook_run: { ...run, state: 'canceled', group, sibling: 0 },
    turnbook_versions: [
      {
        source: 'Which?',
        reply: 'one',
        model,
        requestHash,
        at,
        runId: 'run-one',
        run: rest,
        group,
        sibling: 1
      }
    ]
  };
  return pair;
}

function open() {
  const items = new Map<string, string>();
  const draft = new Draft({
    storage: {
      getItem: key => items.get(key) ?? null,
      setItem: (key, value) => void items.set(key, value),
      removeItem: key => void items.delete(key)
    }
  });
  const attaching = new Attaching({
    draft,
    contents: null as never,
    api: null as never
  });
  const content = showCells([stopped()]);
  const session = { busy: null, draft, modes: { pause: { held: null } } };
  const sent: string[][] = [];
  const names = () => draft.attachments.map(({ name }) => name);
  const composer = new Composer({
    session,
    attaching,
    send: () => sent.push([draft.text, ...names()])
  } as unknown as Composer.IOptions);
  const panel = {
    composer,
    content,
    context: { path: 'c.chat.ipynb', localPath: 'c.chat.ipynb' },
    model: content.model,
    session,
    attach: (files: readonly IAttachment[]) =>
      composer.take((one, isLocked) => one.take(files, isLocked))
  } as unknown as ChatPanel;
  return { attaching, composer, draft, names, panel, sent };
}

describe('a message that waits for its files', () => {
  it('is sent as it is: nothing changes its text or what is attached', async () => {
    const { attaching, composer, draft, names, panel, sent } = open();
    expect(continueObstacle(panel, trans)).toBeNull();
    let read!: (files: IAttachment[]) => void;
    const done = attaching.freeze({
      label: 'Table',
      kind: 'cell',
      freeze: () => new Promise(resolve => (read = resolve))
    });
    await Promise.resolve();
    composer.send();
    expect(composer.isLocked).toBe(true);
    expect(continueObstacle(panel, trans)).toMatch(/waits to be sent/);
    combineReplies(panel, trans);
    ask(panel, { attachments: [FILE], question: 'Why?' });
    expect(draft.text).toBe('');
    read([textAttachment('b.txt', 'other')]);
    await done;
    expect(sent).toEqual([['', 'b.txt']]);
    await attaching.take([]);
    expect(names()).toEqual(['b.txt']);
    expect(attaching.problems.map(({ words }) => words).at(-1)).toMatch(
      /^a\.txt is not attached: .* waits to be sent/
    );
    combineReplies(panel, trans);
    expect(draft.text).toMatch(/^Combine/);
    draft.text = '';
    ask(panel, { attachments: [FILE], question: 'Why?' });
    expect(draft.text).toBe('Why?');
    await attaching.take([]);
    expect(names()).toEqual([
      'b.txt',
      expect.stringContaining('reply 1'),
      expect.stringContaining('reply 2'),
      'a.txt'
    ]);
    panel.content.dispose();
  });

  it('is not sent when its chat is closed', async () => {
    const { attaching, composer, draft, names, panel, sent } = open();
    draft.text = 'Why?';
    let read!: (files: IAttachment[]) => void;
    const done = attaching.freeze({
      label: 'Table',
      kind: 'cell',
      freeze: () => new Promise(resolve => (read = resolve))
    });
    await Promise.resolve();
    composer.send();
    composer.dispose();
    read([FILE]);
    await done;
    await attaching.take([]);
    expect(sent).toEqual([]);
    expect([draft.text, ...names()]).toEqual(['Why?']);
    panel.content.dispose();
  });
});
