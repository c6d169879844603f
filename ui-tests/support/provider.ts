import * as fs from 'fs';
import * as path from 'path';

/** The first of the ports that the servers take; another one lets two runs go on side by side. */
export const basePort = Number(process.env.TURNBOOK_UI_BASE_PORT ?? 18988);

const stateDir = path.join(__dirname, '..', '.state');

/** How many tests run at once, each worker with servers of its own. */
export const workers = Number(process.env.TURNBOOK_UI_WORKERS ?? 1);

/** The port of a project's Jupyter server for a worker. */
export function port(project: string, worker: number): number {
  return basePort + 2 * worker + (project === 'collaboration' ? 1 : 0);
}

/** Where the servers of a project leave their addresses for a worker. */
export function stateFile(project: string, worker: number): string {
  return path.join(stateDir, `${project}-${port(project, worker)}.json`);
}

/** What `serve.py` tells about the servers of one project. */
export interface IServers {
  /** The scripted provider's base URL, as a client gives it. */
  url: string;
  /** The base URL of its control API. */
  control: string;
  /** The key that it asks for; it must never be seen in the browser. */
  key: string;
  port: number;
  /** The Jupyter server's root folder. */
  root: string;
  /** The process that can kill the Jupyter server and start it again. */
  pid: number;
}

/** Kill the Jupyter server without a warning, as a power cut would. */
export async function killServer({ pid, port }: IServers): Promise<void> {
  process.kill(pid, 'SIGUSR1');
  await until(async () => !(await answers(port)));
}

/** Start the Jupyter server again, on the same port and with the same files. */
export async function startServer({ pid, port }: IServers): Promise<void> {
  process.kill(pid, 'SIGUSR2');
  await until(() => answers(port));
}

async function answers(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/api`)).ok;
  } catch (error) {
    if (error instanceof TypeError) {
      // Nobody listens.
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

/** One step of a reply; exactly one of the leading keys each. */
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

/** How the provider answers one request. */
export interface IScript {
  status?: number;
  headers?: Record<string, string>;
  content_type?: string;
  chunked?: boolean;
  /** Write the body in pieces of this many bytes. */
  split?: number;
  steps: Step[];
}

/** A stream that waits in the middle for a gate. */
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

/** A request that the provider got. */
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

/** Drives the scripted provider of a project through its control API. */
export class ScriptedProvider {
  constructor(control: string) {
    this._control = control;
  }

  /** Queue answers to the next requests, in order; with nothing queued it says the message back. */
  async script(scripts: IScript | IScript[], model?: string): Promise<void> {
    await this._call('POST', 'script', { model, scripts: [scripts].flat() });
  }

  /** Queue one reply that ends well. */
  async reply(text: string, every = 0): Promise<void> {
    await this.script([
      {
        steps: [{ tokens: text, every }, { finish: 'stop' }, { done: true }]
      }
    ]);
  }

  /** What it got so far; with `count`, once that many completions were asked for. */
  async requests(count = 0, timeout = 10): Promise<IRecorded[]> {
    const query = `count=${count}&timeout=${timeout}`;
    return (await this._call('GET', `requests?${query}`)) as IRecorded[];
  }

  /** The requests for completions alone. */
  async completions(count = 0, timeout = 10): Promise<IRecorded[]> {
    const all = await this.requests(count, timeout);
    return all.filter(request => request.path.endsWith('/chat/completions'));
  }

  /** Let the script that waits at this gate go on. */
  async release(gate: string): Promise<void> {
    await this._call('POST', `release/${encodeURIComponent(gate)}`);
  }

  /** Forget scripts and requests, and end what is open. */
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
      // A connection that idles while a page loads is closed by the other side.
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
