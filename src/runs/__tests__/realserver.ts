/**
 * A real Jupyter server with Turnbook, and a scripted provider behind it.
 */
import { spawn, type ChildProcess } from 'child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'fs';
import { tmpdir } from 'os';
import { join } from 'path';
import { createInterface } from 'readline';

const ROOT = join(__dirname, '../../..');
const PYTHON = process.env.TURNBOOK_PYTHON ?? join(ROOT, '.venv/bin/python');

/**
 * Somebody reads a notebook while it is being written, as often as the file `<path>.reads` says.
 * What Jupyter then does is its own.
 */
const READ_WHILE_WRITTEN = `
from pathlib import Path
import nbformat
from jupyter_server.services.contents.largefilemanager import AsyncLargeFileManager

class ReadWhileWritten(AsyncLargeFileManager):
    async def _save_notebook(self, os_path, nb, **kwargs):
        reads = Path(os_path + ".reads")
        if not reads.exists() or not int(reads.read_text()):
            return await super()._save_notebook(os_path, nb, **kwargs)
        reads.write_text(str(int(reads.read_text()) - 1))
        with self.atomic_writing(os_path, encoding="utf-8") as file:
            await self._read_notebook(os_path)
            nbformat.write(nb, file)

c.ServerApp.contents_manager_class = ReadWhileWritten
`;

/**
 * How long both may take to start, in milliseconds. It is not waited for: they are ready when they
 * answer, and one that ends instead is noticed at once.
 */
export const START_MS = 300_000;

/** A reply in the format of a service. */
export interface IFormat {
  text: string;
  reasoning: string;
  calls: { id: string; name: string; arguments: string }[];
  images: string[];
  details: object[];
  script: { steps: Record<string, unknown>[] };
}

/** What the tests talk to. */
export interface IRealServer {
  baseUrl: string;
  token: string;
  /** Queue the provider's responses to the next requests. */
  script(...scripts: unknown[]): Promise<void>;
  /** Queue its responses to the next requests for a model. */
  scriptFor(model: string, ...scripts: unknown[]): Promise<void>;
  release(gate: string): Promise<void>;
  /** Forget what is queued, so that a failed test does not disturb the next. */
  reset(): Promise<void>;
  /** The formats of services: what to read in them, and their scripts. */
  formats(): Promise<Record<string, IFormat>>;
  requests(): Promise<{ body: string; sha256: string }[]>;
  stop(): Promise<void>;
}

/** Start both and wait until they respond. */
export async function startServer(): Promise<IRealServer> {
  const folder = mkdtempSync(join(tmpdir(), 'turnbook-jest-'));
  const env = {
    ...process.env,
    PYTHONPATH: ROOT,
    JUPYTER_CONFIG_DIR: join(folder, 'config'),
    JUPYTER_DATA_DIR: join(folder, 'data'),
    JUPYTER_RUNTIME_DIR: join(folder, 'runtime')
  };
  const provider = spawn(
    PYTHON,
    ['-m', 'jupyterlab_turnbook.scripted_provider'],
    { env, stdio: ['pipe', 'pipe', 'inherit'] }
  );
  const { url, control } = JSON.parse(await firstLine(provider)) as {
    url: string;
    control: string;
  };
  const config = join(folder, 'config.py');
  writeFileSync(
    config,
    [
      READ_WHILE_WRITTEN,
      // Under several names: with the defaults, and with a known way to continue.
      `scripted = {"base_url": "${url}", "api_key": "k"}`,
      'c.TurnbookApp.providers = {"scripted": scripted, **{',
      '    how: {**scripted, "models": ["scripted"], "continuation": how}',
      '    for how in ("prefill", "instruct")',
      '}}',
      'c.TurnbookApp.default_model = "scripted/scripted"',
      'c.TurnbookApp.loopback_ports = {}',
      // Nothing is downloaded in tests.
      'c.TurnbookApp.local_hub = ""',
      'c.IdentityProvider.token = "jest"',
      'c.ServerApp.allow_root = True',
      'c.ServerApp.jpserver_extensions = {"jupyterlab_turnbook": True}',
      `c.ServerApp.root_dir = ${JSON.stringify(folder)}`
    ].join('\n')
  );
  const server = spawn(
    PYTHON,
    [
      '-m',
      'jupyter_server',
      '--no-browser',
      // It finds one itself, right before it listens: one found here may be taken until then.
      '--port=0',
      `--config=${config}`
    ],
    { env, stdio: ['ignore', 'ignore', 'pipe'] }
  );
  let log = '';
  server.stderr!.on('data', data => {
    log += data;
  });
  const info = join(folder, 'runtime', `jpserver-${server.pid}.json`);
  const baseUrl = await address(info, server, () => log);

  const ask = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${control}/${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    });
    if (!response.ok) {
      throw new Error(
        `The scripted provider answered ${response.status}: ${await response.text()}`
      );
    }
    return response.text();
  };
  return {
    baseUrl,
    token: 'jest',
    script: async (...scripts) =>
      void (await ask('POST', 'script', { scripts })),
    scriptFor: async (model, ...scripts) =>
      void (await ask('POST', 'script', { model, scripts })),
    release: async gate => void (await ask('POST', `release/${gate}`, {})),
    reset: async () => void (await ask('DELETE', '')),
    formats: async () => JSON.parse(await ask('GET', 'formats')),
    requests: async () => {
      const answered = JSON.parse(await ask('GET', 'requests'));
      return (answered.requests ?? answered).filter(
        (request: { method: string }) => request.method === 'POST'
      );
    },
    stop: async () => {
      await Promise.all([ended(server), ended(provider)]);
      rmSync(folder, { recursive: true, force: true });
    }
  };
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    createInterface({ input: child.stdout! }).once('line', resolve);
    child.once('error', reject);
    child.once('exit', code => reject(new Error(`ended with ${code}`)));
  });
}

/** Where a server answers, once it does; it writes its port into a file. */
async function address(
  info: string,
  child: ChildProcess,
  log: () => string
): Promise<string> {
  const until = Date.now() + START_MS;
  let trouble: unknown = 'it does not answer';
  while (Date.now() < until && child.exitCode === null) {
    try {
      const { port } = JSON.parse(readFileSync(info, 'utf-8'));
      const url = `http://127.0.0.1:${port}/`;
      if ((await fetch(`${url}api`)).ok) {
        return url;
      }
    } catch (error) {
      // The file is not there or not whole yet, or the server does not listen yet.
      trouble = error;
    }
    await new Promise(resolve => setTimeout(resolve, 100));
  }
  throw new Error(`The server did not start: ${trouble}\n${log()}`);
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise(resolve => {
    if (child.exitCode !== null || child.signalCode !== null) {
      resolve();
      return;
    }
    // Jupyter ends with a request for a file under way now and then, and waits for that thread for ever.
    const stuck = setTimeout(() => child.kill('SIGKILL'), 10_000);
    child.once('exit', () => {
      clearTimeout(stuck);
      resolve();
    });
    child.kill('SIGTERM');
  });
}
