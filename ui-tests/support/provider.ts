import * as fs from 'fs';
import * as path from 'path';

/** The first port of the servers; set another one to run two suites at the same time. */
export const basePort = Number(process.env.TURNBOOK_UI_BASE_PORT ?? 18988);

const stateDir = path.join(__dirname, '..', '.state');

/** How many tests run in parallel, each worker with its own servers. */
export const workers = Number(process.env.TURNBOOK_UI_WORKERS ?? 1);

const PROJECTS = ['lab', 'collaboration', 'notebook', 'oldest', 'newest'];

/** The port of a project's Jupyter server for a worker. */
export function port(project: string, worker: number): number {
  return basePort + PROJECTS.length * worker + PROJECTS.indexOf(project);
}

/** Where the servers of a project store their addresses for a worker. */
export function stateFile(project: string, worker: number): string {
  return path.join(stateDir, `${project}-${port(project, worker)}.json`);
}

/** What `serve.py` reports about the servers of one project. */
export interface IServers {
  /** The scripted provider's base URL, as clients use it. */
  url: string;
  /** The base URL of its control API. */
  control: string;
  /** The key that it requires; it must never appear in the browser. */
  key: string;
  /** The hub that models are downloaded from. */
  hub: string;
  port: number;
  /** The Jupyter server's root folder. */
  root: string;
  /** The process that can kill and restart the Jupyter server. */
  pid: number;
}

/** Kill the Jupyter server without warning, like a power cut. */
export async function killServer({ pid, port }: IServers): Promise<void> {
  process.kill(pid, 'SIGUSR1');
  await until(async () => !(await answers(port)));
}

/** Restart the Jupyter server, on the same port and with the same files. */
export async function startServer({ pid, port }: IServers): Promise<void> {
  process.kill(pid, 'SIGUSR2');
  await until(() => answers(port));
}

/**
 * End the replies that earlier tests left in progress or waiting for another attempt; a late attempt
 * would take what the next test has scripted.
 */
export async function endRuns({ port }: IServers): Promise<void> {
  const { runs } = await call(port, 'GET', 'runs?open=1');
  for (const { id, chat, end, turn } of runs) {
    if (end === null || turn.retryAt !== null) {
      await call(port, 'DELETE', `runs/${id}?chat=${chat}`);
    }
  }
}

/** Delete the providers that earlier tests have added. */
export async function forgetProviders({ port }: IServers): Promise<void> {
  const { providers } = await call(port, 'GET', 'providers');
  for (const { name, source } of providers) {
    if (source === 'user') {
      await call(port, 'DELETE', `providers/${name}`);
    }
  }
}

async function call(port: number, method: string, route: string) {
  const url = `http://127.0.0.1:${port}/turnbook/api/${route}`;
  const headers = { connection: 'close' };
  const response = await fetch(url, { method, headers });
  if (!response.ok) {
    throw new Error(`${method} ${url}: ${response.status}`);
  }
  return response.status === 204 ? null : response.json();
}

async function answers(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/api`)).ok;
  } catch (error) {
    if (error instanceof TypeError) {
      // Nothing listens yet.
      return false;
    }
    throw error;
  }
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + 60_000;
  while (!(await holds())) {
    if (Date.now() > end) {
      throw new Error('The Jupyter server did not do as it was told.');
    }
    await new Promise(resolve => setTimeout(resolve, 100));
  }
}

/** One step of a reply, with exactly one of these keys. */
export type Step =
  | { delta: string }
  | { tokens: string; every?: number }
  | { tool_calls: unknown[] }
  | { chunk: unknown }
  | { raw: string }
  | { raw_base64: string }
  | { body: unknown }
  | { headers: true }
  | { delay: number }
  | { wait: string }
  | { stall: true }
  | { cut: true }
  | { reset: true }
  | { finish: string; usage?: unknown }
  | { done: true };

/** How the provider responds to one request. */
export interface IScript {
  status?: number;
  headers?: Record<string, string>;
  content_type?: string;
  chunked?: boolean;
  /** Write the body in pieces of this many bytes. */
  split?: number;
  steps: Step[];
}

/** A stream that pauses at a gate. */
export function gated(before: string, gate: string, after: string): IScript {
  return {
    steps: [
      { delta: before },
      { wait: gate },
      { delta: after },
      { finish: 'stop' },
      { done: true }
    ]
  };
}

/** A request that the provider received. */
export interface IRecorded {
  n: number;
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string;
  body_base64: string;
  sha256: string;
  model: string | null;
  closed: boolean;
  ended: boolean;
}

/** The addresses of a project's servers for a worker. */
export function servers(project: string, worker: number): IServers {
  const file = stateFile(project, worker);
  if (!fs.existsSync(file)) {
    throw new Error(
      `${file} is missing: the servers of "${project}" were not started. Run the tests with \`make test SUITE=ui\`.`
    );
  }
  return JSON.parse(fs.readFileSync(file, 'utf-8')) as IServers;
}

/** Controls the scripted provider of a project. */
export class ScriptedProvider {
  constructor(control: string) {
    this._control = control;
  }

  /** Queue responses to the next requests, in order; with an empty queue, it echoes the message. */
  async script(
    scripts: IScript | string | (IScript | string)[],
    model?: string
  ): Promise<void> {
    await this._call('POST', 'script', { model, scripts: [scripts].flat() });
  }

  /** Queue one complete reply. */
  async reply(text: string, every = 0): Promise<void> {
    await this.script([
      {
        steps: [{ tokens: text, every }, { finish: 'stop' }, { done: true }]
      }
    ]);
  }

  /** The requests so far; with `count`, once there were that many completions. */
  async requests(count = 0, timeout = 10): Promise<IRecorded[]> {
    const query = `count=${count}&timeout=${timeout}`;
    return (await this._call('GET', `requests?${query}`)) as IRecorded[];
  }

  /** Only the requests for completions. */
  async completions(count = 0, timeout = 10): Promise<IRecorded[]> {
    const all = await this.requests(count, timeout);
    return all.filter(request => request.path.endsWith('/chat/completions'));
  }

  /** Let the script that waits at this gate continue. */
  async release(gate: string): Promise<void> {
    await this._call('POST', `release/${encodeURIComponent(gate)}`);
  }

  /** Delete scripts and requests, and close open responses. */
  async reset(): Promise<void> {
    await this._call('DELETE', '');
  }

  private async _call(
    method: string,
    route: string,
    body?: unknown
  ): Promise<unknown> {
    const url = route ? `${this._control}/${route}` : this._control;
    const response = await fetch(url, {
      method,
      // The other side closes a connection that idles while a page loads.
      headers: { connection: 'close' },
      body: body === undefined ? undefined : JSON.stringify(body)
    });
    const text = await response.text();
    if (!response.ok) {
      throw new Error(`${method} ${url}: ${response.status} ${text}`);
    }
    return JSON.parse(text);
  }

  private _control: string;
}
