/**
 * What a real Python kernel says of its variables, also of those that do not want to be described.
 */
import {
  KernelManager,
  ServerConnection,
  type Kernel
} from '@jupyterlab/services';

import {
  START_MS,
  startServer,
  type IRealServer
} from '../../runs/__tests__/realserver';
import { describeVariable, KernelProblem, listVariables } from '../kernelask';
import { VariableProvider } from '../variableprovider';

jest.setTimeout(60_000);

const SETUP = `
import itertools, os, time
x = 42
text = "a" * 50_000
class Said:
    def __init__(self, say): self.say = say
    def _repr_llm_(self): return self.say()
class Odd(type):
    @property
    def __name__(cls): raise RuntimeError("listing ran code")
class OddOne(metaclass=Odd): pass
odd = OddOne()
kind = Said(lambda: "Three sales in March.")
def fail(): raise ValueError("no words")
raises = Said(fail)
def loop():
    while True: pass
loops = Said(loop)
def swallow():
    while True:
        try: time.sleep(0.01)
        except BaseException: pass
swallows = Said(swallow)
counts = Said(lambda: sum(itertools.count()))
def noise():
    global x
    x = 99
    print("heard")
    os.write(1, b"heard")
    os.system("echo heard")
    return "quiet"
prints = Said(noise)
quits = Said(lambda: os._exit(0))
aborts = Said(lambda: os.abort())
number = Said(lambda: 3)
talks = Said(lambda: print("heard") or "quiet")
red = Said(lambda: "\\x1b[31mred\\x1b[0m")
import collections, datetime, socket, sys, types
asked, other = socket.socketpair()
class Remote:
    def __getattr__(self, name): other.send(name.encode())
    def __len__(self): other.send(b"len"); return 1
    def __repr__(self): other.send(b"repr"); return "a row"
    def head(self, n): other.send(b"head"); return self
    shape = property(lambda self: other.send(b"shape") and (1, 1))
class RemoteSaid(Remote):
    def _repr_llm_(self): return "a remote table"
class Meta(type):
    def __getattr__(cls, name): other.send(b"class")
class RemoteClass(Remote, metaclass=Meta): pass
remote = Remote()
remote_said = RemoteSaid()
remote_class = RemoteClass()
remotes = [1, ("a", Remote()), {"b": Remote()}]
method = remote.head
class Rows(list):
    def __repr__(self): other.send(b"repr"); return "rows"
    def __iter__(self): other.send(b"iter"); return iter([])
rows = Rows([1, 2])
loose = [None, True, 1.5, "a'b", b"c", (1,), {"d": [2]}, set(), collections.deque([3]), datetime.date(2024, 1, 2)]
many = list(range(100_000))
inside = []
inside.append(inside)
# As pandas makes them, of which there is none in these tests.
pandas = types.ModuleType("pandas")
class Kind(str): kind = "i"
class Types(dict): pass
class DataFrame:
    __module__ = "pandas.core.frame"
    def __init__(self, names, kind=Kind("int64")): self.columns = names; self.kind = kind
    shape = property(lambda self: (1000, len(self.columns)))
    dtypes = property(lambda self: Types((name, self.kind) for name in self.columns))
    iloc = property(lambda self: self)
    def __getitem__(self, place): return self
    def to_string(self, formatters): return f"   a  b\\n0  1  x"
pandas.DataFrame = DataFrame
sys.modules["pandas"] = pandas
frame = DataFrame(["a", "b"])
long_names = DataFrame(["n" * 200_000 for _ in range(10)], Kind("k" * 200_000))
class OwnTable(DataFrame):
    __module__ = "mine"
    def to_string(self, formatters): other.send(b"text")
own_table = OwnTable(["a"])
`;

let server: IRealServer;
let manager: KernelManager;
let kernel: Kernel.IKernelConnection;

beforeAll(async () => {
  server = await startServer();
  manager = new KernelManager({
    serverSettings: ServerConnection.makeSettings({
      baseUrl: server.baseUrl,
      wsUrl: server.baseUrl.replace('http', 'ws'),
      token: server.token,
      appendToken: true
    })
  });
  kernel = await manager.startNew({ name: 'python3' });
  await kernel.info;
  await run(SETUP);
}, START_MS);

afterAll(async () => {
  await kernel?.shutdown();
  manager?.dispose();
  await server?.stop();
});

/** Run code as a cell does; resolves with what it printed when the kernel is idle again. */
async function run(code: string): Promise<string> {
  const future = kernel.requestExecute({ code, store_history: true });
  let said = '';
  future.onIOPub = ({ content }) => {
    said += 'text' in content ? String(content.text) : '';
  };
  const { content } = await future.done;
  expect(content.status).toBe('ok');
  return said;
}

/** Wait until the kernel says that it is idle. */
async function idle(): Promise<void> {
  while (kernel.status !== 'idle') {
    await new Promise<void>(resolve => {
      const seen = () => {
        kernel.statusChanged.disconnect(seen);
        resolve();
      };
      kernel.statusChanged.connect(seen);
    });
  }
}

async function describe_(name: string): Promise<string> {
  await idle();
  return describeVariable(kernel, name);
}

test('lists names and types without running code of the variables', async () => {
  await idle();
  const list = await listVariables(kernel, '');
  expect(list).toContainEqual({ name: 'x', type: 'int' });
  expect(list).toContainEqual({ name: 'odd', type: 'OddOne' });
  const names = list.map(({ name }) => name);
  expect(names).not.toContain('os');
  expect(names).not.toContain('In');
  expect(names.filter(name => name.startsWith('_'))).toEqual([]);
});

test.each([
  ['x', 'type: builtins.int\n\n42'],
  ['kind', 'Three sales in March.'],
  ['prints', 'quiet'],
  ['red', 'red'],
  [
    'frame',
    'type: pandas.core.frame.DataFrame\nshape: (1000, 2)\ncolumns:\n  a: int64\n  b: int64\nfirst 5 rows:\n   a  b\n0  1  x'
  ],
  [
    'loose',
    `type: builtins.list\nlength: 10\n\n[None, True, 1.5, "a'b", b'c', (1,), {'d': [2]}, set(), deque([3]), datetime.date(2024, 1, 2)]`
  ],
  ['inside', 'type: builtins.list\nlength: 1\n\n[[[[[[[…]]]]]]]'],
  ['rows', 'type: __main__.Rows\nlength: 2\n\n[1, 2]']
])('describes %s', async (name, text) => {
  expect(await describe_(name)).toBe(text);
});

test('says that _repr_llm_ failed, and describes the rest', async () => {
  expect(await describe_('raises')).toMatch(
    /^_repr_llm_\(\) failed: ValueError: no words\ntype: __main__.Said\n/
  );
  expect(await describe_('number')).toMatch(
    /^_repr_llm_\(\) returned no text\.\ntype: __main__.Said\n/
  );
});

test('runs no code of a value that may ask a server, but _repr_llm_', async () => {
  const unasked =
    /^type: (\S+)\n\nIts content is not shown: .*_repr_llm_\(\)\.$/;
  const types = {
    remote: '__main__.Remote',
    remote_class: '__main__.RemoteClass',
    method: 'builtins.method',
    asked: 'socket.socket',
    own_table: 'mine.OwnTable'
  };
  for (const [name, type] of Object.entries(types)) {
    expect(unasked.exec(await describe_(name))?.[1]).toBe(type);
  }
  expect(await describe_('remotes')).toBe(
    "type: builtins.list\nlength: 3\n\n[1, ('a', <__main__.Remote>), {'b': <__main__.Remote>}]"
  );
  expect(await describe_('rows')).toContain('[1, 2]');
  expect(await describe_('remote_said')).toBe('a remote table');
  const heard = await run(
    'asked.setblocking(False)\ntry: print(asked.recv(100))\nexcept BlockingIOError: print("nothing")'
  );
  expect(heard).toBe('nothing\n');
});

test('cuts what is long in lists and tables', async () => {
  const many = await describe_('many');
  expect(many).toContain('length: 100,000\n\n[0, 1, 2,');
  expect(many.length).toBeLessThan(3_000);
  const names = await describe_('long_names');
  expect(names).toContain(`\n  ${'n'.repeat(100)}…: ${'k'.repeat(100)}…\n`);
  expect(names).toContain('first 5 rows:');
});

test('cuts a long text in the middle', async () => {
  const text = await describe_('text');
  expect(text).toContain('length: 50,000');
  expect(text).toContain('… 48,000 characters left out …');
});

test.each(['loops', 'swallows', 'counts'])(
  'gives up on %s, and the kernel goes on',
  async name => {
    await expect(describe_(name)).rejects.toThrow(
      `${name} was not described within 2 s. Attach the output of a cell`
    );
    expect(await run('print(6 * 7)')).toBe('42\n');
  }
);

test.each(['quits', 'aborts'])(
  '%s ends a copy, never the kernel',
  async name => {
    await expect(describe_(name)).rejects.toThrow(KernelProblem);
    expect(await run('print(x)')).toBe('42\n');
  }
);

test('asking changes nothing that can be seen', async () => {
  const state =
    'print(x, sorted(n for n in dir() if not n.startswith("_")), len(In))';
  const before = await run(state);
  const heard: string[] = [];
  const listen = (_: unknown, { header }: { header: { msg_type: string } }) => {
    heard.push(header.msg_type);
  };
  await idle();
  kernel.iopubMessage.connect(listen);
  await describe_('prints');
  await describe_('raises');
  await expect(describe_('loops')).rejects.toThrow();
  await idle();
  kernel.iopubMessage.disconnect(listen);
  expect(new Set(heard)).toEqual(new Set(['status']));
  const count = (text: string) => Number(/\d+\n$/.exec(text));
  const after = await run(state);
  expect(count(after)).toBe(count(before) + 1);
  expect(after.replace(/\d+\n$/, '')).toBe(before.replace(/\d+\n$/, ''));
  const children = await run(
    'import subprocess; print(subprocess.run(["ps", "--ppid", str(os.getpid()), "-o", "comm="], capture_output=True, text=True).stdout.replace("ps\\n", ""))'
  );
  expect(children.trim()).toBe('');
});

test('where processes cannot be copied, Python code that takes too long is ended', async () => {
  await run('copy = os.fork; del os.fork; import sys; traced = sys.gettrace()');
  try {
    const heard: string[] = [];
    const listen = (
      _: unknown,
      { header }: { header: { msg_type: string } }
    ) => {
      heard.push(header.msg_type);
    };
    await idle();
    kernel.iopubMessage.connect(listen);
    expect(await describe_('talks')).toBe('quiet');
    expect(await describe_('raises')).toContain('ValueError: no words');
    await expect(describe_('loops')).rejects.toThrow('not described within');
    await idle();
    kernel.iopubMessage.disconnect(listen);
    expect(new Set(heard)).toEqual(new Set(['status']));
  } finally {
    const kept = await run('os.fork = copy; print(sys.gettrace() is traced)');
    expect(kept).toBe('True\n');
  }
});

test('a name that is gone, and one that is no name, are said to be', async () => {
  await expect(describe_('gone')).rejects.toThrow(
    'The kernel has no variable gone now.'
  );
  await expect(describe_('x"); import os #')).rejects.toThrow(
    'The kernel has no variable'
  );
});

test('a busy kernel says so at once, and gets no request', async () => {
  await idle();
  const cell = kernel.requestExecute({
    code: 'import sys; print("go", flush=True); input()',
    allow_stdin: true
  });
  const asked = new Promise<void>(resolve => {
    cell.onStdin = () => resolve();
  });
  await asked;
  const sent: string[] = [];
  const listen = (_: unknown, { msg, direction }: Kernel.IAnyMessageArgs) => {
    if (direction === 'send') {
      sent.push(msg.header.msg_type);
    }
  };
  kernel.anyMessage.connect(listen);
  await expect(describeVariable(kernel, 'x')).rejects.toThrow(
    'The kernel is busy. Ask again when it is idle.'
  );
  const provider = new VariableProvider({
    label: 'Variables',
    kernels: () => [{ path: 'd/a.ipynb', name: 'a.ipynb', kernel }]
  });
  await expect(
    provider.find('', 10, new AbortController().signal)
  ).rejects.toThrow('a.ipynb: The kernel is busy. Ask again when it is idle.');
  expect(sent).toEqual([]);
  kernel.anyMessage.disconnect(listen);
  kernel.sendInputReply({ value: '', status: 'ok' }, {} as never);
  await cell.done;
});

test('offers what matches, and asks the kernel again only after a cell ran', async () => {
  const provider = new VariableProvider({
    label: 'Variables',
    kernels: () => [{ path: 'd/a.ipynb', name: 'a.ipynb', kernel }]
  });
  let asked = 0;
  const listen = (_: unknown, { msg, direction }: Kernel.IAnyMessageArgs) => {
    asked += Number(
      direction === 'send' && msg.header.msg_type === 'execute_request'
    );
  };
  const find = async (query: string) => {
    const { signal } = new AbortController();
    const items = await provider.find(query, 3, signal);
    return items.map(({ label }) => label);
  };
  await idle();
  kernel.anyMessage.connect(listen);
  // Keys that are pressed before it has answered: it is busy with our own question.
  expect(await Promise.all(['f', 'fr', 'fram'].map(find))).toEqual([
    expect.arrayContaining(['frame']),
    ['frame', 'DataFrame'],
    ['frame', 'DataFrame']
  ]);
  expect(await find('RAISES')).toEqual(['raises']);
  expect(await find('no such name')).toEqual([]);
  expect(asked).toBe(1);
  await run('raises_too = 1');
  await idle();
  expect(await find('raises')).toEqual(['raises', 'raises_too']);
  expect(asked).toBe(3);
  kernel.anyMessage.disconnect(listen);
  const { signal } = new AbortController();
  const [item] = await provider.find('x', 1, signal);
  // One that is chosen at once, and another one beside it.
  const [[attachment]] = await Promise.all([item.freeze(), item.freeze()]);
  expect(attachment.reference).toMatchObject({
    kind: 'variable',
    path: 'd/a.ipynb',
    name: 'a.ipynb · x'
  });
  expect(attachment.data).toContain('42');
});

test('of too many variables, the newest are listed', async () => {
  await run('globals().update({f"star_{n}": n for n in range(1_500)}); df = 1');
  try {
    await idle();
    const names = (await listVariables(kernel, '')).map(({ name }) => name);
    expect(names).toHaveLength(1_000);
    expect(names.slice(-2)).toEqual(['star_1499', 'df']);
  } finally {
    await run('for n in range(1_500): del globals()[f"star_{n}"]\ndel df, n');
  }
});
