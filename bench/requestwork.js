/**
 * The parts of editing a request that a key press waits for, measured in Node.
 *
 * Bundled and run by `request.mjs`; prints one JSON object.
 */
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';

import { charsEstimator, TokenCache } from '../lib/context/tokens';
import { RequestDraft } from '../lib/request/draft';
import { bodyHash, defaultFrame } from '../lib/request/render';
import { applySnapshot } from '../lib/request/snapshot/apply';
import { captureSnapshot } from '../lib/request/snapshot/capture';
import { checkSnapshot } from '../lib/request/snapshot/validate';

const { messages, bytes, keys } = JSON.parse(process.argv[2]);

const WORDS = 'The quick brown fox jumps over the lazy dog and goes home. ';

function base() {
  const size = Math.floor(bytes / messages) - 40;
  const text = WORDS.repeat(Math.ceil(size / WORDS.length));
  return {
    chatId: 'chat',
    pair: 'new',
    provider: 'p',
    sections: Array.from({ length: messages }, (_, n) => {
      const role = n === 0 ? 'system' : n % 2 ? 'user' : 'assistant';
      return {
        id: `c${n}/${role}`,
        kind: n === 0 ? 'system' : n === messages - 1 ? 'user' : 'history',
        cell: `c${n}`,
        message: { role, content: `${n} ${text}`.slice(0, size) }
      };
    }),
    frame: defaultFrame('m'),
    trimmed: 0,
    source: 'live'
  };
}

/** The processor's time in milliseconds: on a busy machine the clock measures the others too. */
function timed(act) {
  const start = process.cpuUsage();
  act();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

function times(count, act) {
  return Array.from({ length: count }, (_, n) => timed(() => act(n)));
}

/** The tokens of all sections and the hash: what the panel shows after a key press. */
function shown(draft, tokens) {
  const { sections, hash } = draft.request;
  const sum = sections.reduce(
    (total, { message }) => total + tokens.ofMessage(message),
    0
  );
  return [sum, hash];
}

function typing(tokens) {
  const draft = new RequestDraft({ base: base() });
  shown(draft, tokens);
  const text = draft.text(`c1/user`, ['content']);
  return times(keys, n => {
    text.insert(100 + n, 'x');
    shown(draft, tokens);
  });
}

const rough = new TokenCache(charsEstimator());
const exact = new TokenCache({
  count: text => countTokens(text),
  revision: 1,
  ready: Promise.resolve(),
  problem: null
});

// The first runs make the code warm; the second ones count.
typing(rough);
const key = typing(rough);
const keyExact = typing(exact);

// What a key press costs when the whole request is written and hashed again.
const plain = base();
const whole = times(keys, n => {
  const list = plain.sections.map(({ message }) => ({ ...message }));
  list[1].content += 'x'.repeat(n);
  bodyHash(JSON.stringify({ ...plain.frame, messages: list }));
  for (const message of list) {
    countTokens(message.content);
  }
});

const draft = new RequestDraft({ base: base() });
const open = timed(() => shown(draft, exact));
const steps = [];
for (let n = 0; n < 20; n++) {
  draft.setLeaf(`c${2 * n + 1}/user`, ['content'], `edited ${n}`);
  draft.remove(`c${2 * n + 2}/assistant`);
}
const undo = times(20, () => {
  draft.undo();
  shown(draft, exact);
});
const redo = times(20, () => {
  draft.redo();
  shown(draft, exact);
});
const version = times(10, () => draft.takeVersion('replay'));
draft.reset();
const restore = timed(() => {
  draft.restoreVersion(1);
  shown(draft, exact);
});
const capture = timed(() =>
  steps.push(JSON.stringify(captureSnapshot(draft.request), null, 2))
);
const check = timed(() => checkSnapshot(steps[0]));
const apply = timed(() => applySnapshot(draft, JSON.parse(steps[0])));

const growing = new RequestDraft({ base: base() });
const before = growing.encode().length;
const leaf = growing.text('c1/user', ['content']);
const opened = growing.encode().length;
for (let n = 0; n < 1000; n++) {
  leaf.insert((n * 37) % leaf.length, 'x');
}
const typed = growing.encode().length;
for (let n = 0; n < 1000; n++) {
  growing.setOption('temperature', (n % 20) / 10);
}
const set = growing.encode().length;
const sources = [base(), base()];
for (let n = 0; n < 50; n++) {
  const next = sources[n % 2];
  growing.base = { ...next, sections: next.sections.slice(n % 100) };
}
const filtered = growing.encode().length;

console.log(
  JSON.stringify({
    size: draft.request.body.length,
    key,
    keyExact,
    whole,
    open,
    undo,
    redo,
    version,
    restore,
    capture,
    check,
    apply,
    growth: {
      before,
      opened: opened - before,
      typed: typed - opened,
      set: set - typed,
      filtered: filtered - set
    }
  })
);
