/**
 * Turns in the formats of services, and hostile ones, through the real server and the real client.
 *
 * @jest-environment node
 */
import { ServerConnection } from '@jupyterlab/services';
import { UUID } from '@lumino/coreutils';

import type { INewRun, IRun } from '../../base/run';
import { pairCell } from '../../document/chatfile';
import { reasoningOutput, reasoningText } from '../../document/reasoning';
import { replyImageOutput } from '../../document/replyimages';
import { bodyHash, defaultFrame, renderRequest } from '../../request/render';
import { TurnbookAPI } from '../api';
import { LiveRun } from '../live';
import { RunSocket } from '../socket';
import { finishedCalls } from '../toolcalls';
import {
  START_MS,
  startServer,
  type IFormat,
  type IRealServer
} from './realserver';

jest.setTimeout(60_000);

let server: IRealServer;
let api: TurnbookAPI;
let socket: RunSocket;
let formats: Record<string, IFormat>;

beforeAll(async () => {
  server = await startServer();
  const settings = ServerConnection.makeSettings({
    baseUrl: server.baseUrl,
    wsUrl: server.baseUrl.replace('http', 'ws'),
    token: server.token,
    appendToken: true
  });
  api = new TurnbookAPI({ serverSettings: settings });
  socket = new RunSocket({
    url: () => api.streamUrl,
    WebSocket: settings.WebSocket as typeof WebSocket
  });
  formats = await server.formats();
}, START_MS);

beforeEach(() => server.reset());

afterAll(async () => {
  socket?.dispose();
  await server?.stop();
});

function newRun(provider: string, content: unknown = 'Hello?'): INewRun {
  const id = UUID.uuid4();
  const pair = UUID.uuid4();
  const body = renderRequest(defaultFrame('scripted'), [
    { role: 'user', content: content as string }
  ]);
  const cell = pairCell(pair, 'Hello?', {
    state: 'sending',
    model: `${provider}/scripted`,
    createdAt: 1,
    updatedAt: 1,
    runId: id,
    attempt: 1,
    context: [],
    requestHash: bodyHash(body)
  });
  const chat = UUID.uuid4();
  const autoRetry = false;
  return { id, chat, pair, cell, after: null, provider, body, autoRetry };
}

function follow(run: IRun): { live: LiveRun; ended: Promise<IRun> } {
  const live = new LiveRun({ run, api, socket });
  const ended = new Promise<IRun>(resolve => {
    live.ended.connect((_, end) => resolve(end));
  });
  return { live, ended };
}

/** Wait until a run has anything of a reply. */
function begun(live: LiveRun): Promise<void> {
  return new Promise(resolve => {
    const check = () => {
      if (live.text || live.calls.length || live.reasoning.length) {
        resolve();
      }
    };
    live.grown.connect(check);
    live.thought.connect(check);
    live.called.connect(check);
    check();
  });
}

/** The steps of a format until shortly before it says that it is finished. */
function untilCut({ script: { steps } }: IFormat): Record<string, unknown>[] {
  const end = steps.findIndex(step =>
    /"finish_reason":"/.test(JSON.stringify(step))
  );
  return steps.slice(0, end - (end > 4 ? 1 : 0));
}

/** What a page keeps of a run. */
function kept(live: LiveRun) {
  return {
    text: live.text,
    reasoning: live.reasoning.map(reasoningText).join(''),
    calls: finishedCalls(live.calls, live.run.id).map(
      ({ id, function: made }) => ({ id, ...(made as object) })
    ),
    images: [...live.images]
  };
}

const NAMES = [
  'deepseek',
  'deepseek-calls',
  'vllm',
  'vllm-calls',
  'vllm-new',
  'vllm-new-calls',
  'ollama',
  'ollama-calls',
  'openrouter',
  'openrouter-calls',
  'openrouter-encrypted',
  'openrouter-image',
  'llama.cpp',
  'llama.cpp-calls',
  'mistral'
];

it('all formats are tried here', () => {
  expect(Object.keys(formats).sort()).toEqual([...NAMES].sort());
});

describe.each(NAMES)('a turn in the format of %s', name => {
  it('is read whole, with an image in the request', async () => {
    const { text, reasoning, calls, images, details } = formats[name];
    await server.script(name);
    const request = newRun('scripted', [
      {
        type: 'image_url',
        image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' }
      },
      { type: 'text', text: 'What is it?' }
    ]);
    const { live, ended } = follow(await api.createRun(request));
    expect((await ended).state).toBe('done');
    const hidden = details.some(piece => 'data' in piece)
      ? '[encrypted, 24 characters]'
      : '';
    expect(kept(live)).toEqual({
      text,
      reasoning: reasoning + hidden,
      calls,
      images
    });
    if (details.length) {
      expect(live.reasoning.map(({ value }) => value)).toEqual([details]);
    }
    expect((await server.requests()).pop()?.body).toBe(request.body);
  });

  it('is stopped in the middle, and what came is kept', async () => {
    const { text, reasoning } = formats[name];
    const steps = untilCut(formats[name]).slice(0, 3);
    await server.script({ steps: [...steps, { stall: true }] });
    const request = newRun('scripted');
    const { live, ended } = follow(await api.createRun(request));
    await begun(live);
    await api.stopRun(request.chat, request.id);
    expect((await ended).state).toBe('stopped');
    const came = kept(live);
    expect(came.text + came.reasoning).not.toBe('');
    expect(text.startsWith(came.text)).toBe(true);
    expect(reasoning.startsWith(came.reasoning)).toBe(true);
  });

  it.each(['prefill', 'instruct', 'scripted'])(
    'is resumed by %s after it broke off',
    async provider => {
      const { text, reasoning, calls, images } = formats[name];
      await server.script({
        steps: [...untilCut(formats[name]), { cut: true }]
      });
      const request = newRun(provider);
      const first = follow(await api.createRun(request));
      await first.ended;
      const came = kept(first.live);
      const isContinued =
        provider !== 'scripted' && came.text !== '' && !came.calls.length;
      const rest = text.slice(came.text.length);
      await server.script(
        isContinued
          ? { steps: [{ delta: rest }, { finish: 'stop' }, { done: true }] }
          : name
      );
      const { chat, pair } = request;
      const { run } = await api.retryTurn(chat, pair, { now: true });
      const second = follow(run);
      expect((await second.ended).state).toBe('done');
      const { reasoning: thought, ...whole } = kept(second.live);
      expect(whole).toEqual({ text, calls, images });
      expect(thought.replace(/\[encrypted.*\]$/, '')).toBe(reasoning);
      const bodies = (await server.requests()).slice(-2);
      expect(bodies[0].body).toBe(request.body);
      expect(bodies[1].body === request.body).toBe(!isContinued);
    }
  );
});

const HTML = '<img src=x onerror="window.__pwned=1"><script>1</script>';
const nested = (depth: number) =>
  JSON.parse('['.repeat(depth) + ']'.repeat(depth)) as unknown;

describe('a hostile reply', () => {
  /** Let a provider send deltas before a short reply; return what is kept. */
  async function hostile(...deltas: unknown[]): Promise<LiveRun> {
    await server.script({
      steps: [
        ...deltas.map(delta => ({ chunk: { choices: [{ index: 0, delta }] } })),
        { delta: 'Still here.' },
        { finish: 'stop' },
        { done: true }
      ]
    });
    const { live, ended } = follow(await api.createRun(newRun('scripted')));
    expect((await ended).state).toBe('done');
    expect(live.text).toBe('Still here.');
    return live;
  }

  /** The outputs that land. */
  function outputs(live: LiveRun) {
    const origin = { runId: live.run.id, partial: false };
    return [
      ...live.reasoning.map(each => reasoningOutput(each, origin)),
      ...live.images.map(url => replyImageOutput(url, origin))
    ].map(({ data }) => JSON.parse(JSON.stringify(data)));
  }

  it('with markup in its reasoning is kept as text', async () => {
    const [output] = outputs(
      await hostile({ reasoning_content: `${HTML}\u001b[2J\u001b]0;x\u0007` })
    );
    expect(output['text/plain']).toBe(
      `Reasoning:\n${HTML}\u001b[2J\u001b]0;x\u0007`
    );
    expect(Object.keys(output)).not.toContain('text/html');
  });

  it.each([
    ['a number', 5],
    ['a text', HTML],
    ['an object', { text: HTML }],
    ['null', null],
    ['a list of no objects', [null, 5, 'x', [HTML]]]
  ])(
    'with %s in place of a list of pieces has no reasoning',
    async (_, odd) => {
      expect(outputs(await hostile({ reasoning_details: odd }))).toEqual([]);
    }
  );

  it('with __proto__ among its pieces changes no prototype', async () => {
    const piece = JSON.parse(
      '{"type": "reasoning.text", "index": 0, "__proto__": {"polluted": 1}, "text": "x"}'
    );
    const more = { type: 'reasoning.text', index: 0, text: 'y' };
    const live = await hostile(
      { reasoning_details: [piece] },
      { reasoning_details: [more], __proto__: { reasoning: 'z' } }
    );
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    const [output] = outputs(live);
    const stored = output['application/vnd.turnbook.reasoning+json'];
    expect(stored.opaque).toContain('"__proto__":{"polluted":1}');
    expect(stored.opaque).toContain('"text":"xy"');
  });

  it('with 10 MB of reasoning and 20,000 pieces is kept whole', async () => {
    const many = Array.from({ length: 5000 }, (_, index) => ({
      type: 'reasoning.text',
      index,
      text: 'thought '.repeat(32)
    }));
    const page = (from: number) => ({
      reasoning_details: many.map(piece => ({
        ...piece,
        index: piece.index + from
      }))
    });
    const live = await hostile(page(0), page(5000), page(10_000), page(15_000));
    const [{ value }] = live.reasoning;
    expect(value).toHaveLength(20_000);
    expect(outputs(live)).toHaveLength(1);
  });

  it('with pieces nested beyond all measure ends there, and what came before lands', async () => {
    expect(
      outputs(await hostile({ reasoning_details: [{ data: nested(150) }] }))
    ).toHaveLength(1);
    const deep = `[${'['.repeat(20_000)}${']'.repeat(20_000)}]`;
    await server.script({
      steps: [
        { delta: 'Before. ' },
        {
          raw: `data: {"choices": [{"delta": {"reasoning_details": [{"data": ${deep}}]}}]}\n\n`
        },
        { delta: 'After.' },
        { finish: 'stop' },
        { done: true }
      ]
    });
    const { live, ended } = follow(await api.createRun(newRun('scripted')));
    const { state, end } = await ended;
    expect([state, end?.message]).toEqual([
      'failed',
      expect.stringContaining('not a JSON object')
    ]);
    expect(live.text).toBe('Before. ');
    expect(outputs(live)).toEqual([]);
  });

  it('with images that are none shows and loads none of them', async () => {
    const urls = [
      'javascript:alert(1)',
      'file:///etc/passwd',
      'data:text/html;base64,PHNjcmlwdD4=',
      'data:image/svg+xml;base64,PHN2Zy8+',
      'data:image/png,notbase64',
      '//evil.test/a.png',
      '/logout',
      'blob:http://x/1',
      'http://evil.test/a.png) <img src=x onerror=alert(1)>'
    ];
    const images = urls.map(url => ({ type: 'image_url', image_url: { url } }));
    const made = outputs(await hostile({ images }));
    expect(made).toHaveLength(urls.length);
    for (const data of made.slice(0, -1)) {
      expect(data).toEqual({ 'text/markdown': '[image]' });
    }
    expect(made.at(-1)).toEqual({
      'text/markdown':
        '![](<http://evil.test/a.png)%20%3Cimg%20src=x%20onerror=alert(1)%3E>)'
    });
  });

  it('with thousands of images keeps each once', async () => {
    const images = Array.from({ length: 3000 }, (_, n) => ({
      type: 'image_url',
      image_url: { url: `https://evil.test/${n % 2000}.png` }
    }));
    const live = await hostile({ images }, { images });
    expect(live.images).toHaveLength(2000);
  });
});
