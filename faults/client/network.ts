import type { INewRun, IRun } from '../../src/base/run';
import { ApiError } from '../../src/runs/api';

/** An answer that a page got. */
export interface IAnswer {
  status: number;
  text: string;
  /** The statuses of a request that was repeated on its way. */
  statuses?: number[];
}

const IS_POST = /^POST \/turnbook\/api\/runs$/;
const IS_LANDED = /^PUT \/turnbook\/api\/runs\/[^/]+\/landed$/;

/** A page's way to its server: takes messages another way, repeats them, and is gone with its page. */
export class Network {
  constructor(private readonly _options: Network.IOptions) {}

  /** Whether the page is gone: nothing leaves it and nothing comes. */
  isDead = false;
  /** How often the next message is posted, at once. */
  copies = 1;
  /** How many reports of landed replies are under way. */
  landing = 0;
  /** The last answer to a call that changes a run or a turn. */
  last: IAnswer | null = null;

  readonly fetch = async (
    input: RequestInfo | URL,
    init?: RequestInit
  ): Promise<Response> => {
    const request = new Request(input, init);
    const url = new URL(request.url);
    const name = `${request.method} ${url.pathname}`;
    if (this.isDead) {
      return new Promise(() => undefined);
    }
    const isLanded = IS_LANDED.test(name);
    this.landing += isLanded ? 1 : 0;
    try {
      const response = IS_POST.test(name)
        ? await this._post(request, url)
        : await fetch(request);
      if (/^(DELETE|PUT) \/turnbook\/api\/(runs|turns)\//.test(name)) {
        await this._keep(response);
      }
      return this.isDead ? new Promise(() => undefined) : response;
    } finally {
      this.landing -= isLanded ? 1 : 0;
    }
  };

  /** Whether a message may go over the socket: one way of its own, or several copies, it may not. */
  get mayUseSocket(): boolean {
    const { postUrl, url } = this._options;
    return postUrl === url && this.copies === 1;
  }

  /** A message that went over the socket. */
  readonly overSocket = async (
    run: INewRun,
    answer: Promise<IRun>
  ): Promise<IRun> => {
    this._options.posted(run);
    try {
      const said = await answer;
      this.last = { status: 201, text: JSON.stringify(said) };
      this._options.told(said);
      return said;
    } catch (error) {
      if (error instanceof ApiError) {
        const { status, code, message } = error;
        this.last = { status, text: JSON.stringify({ code, message }) };
      }
      throw error;
    }
  };

  /** A message, which may go through a proxy that cuts. */
  private async _post(request: Request, url: URL): Promise<Response> {
    const body = await request.text();
    this._options.posted(JSON.parse(body) as INewRun);
    const { headers } = request;
    const path = url.pathname + url.search;
    const where = new URL(path, this._options.postUrl);
    const { copies } = this;
    this.copies = 1;
    const all = await Promise.all(
      Array.from({ length: copies }, () =>
        fetch(where, { method: 'POST', headers, body })
      )
    );
    const [first] = all;
    await this._keep(first);
    if (this.last && copies > 1) {
      this.last.statuses = all.map(({ status }) => status);
    }
    return first;
  }

  private async _keep(response: Response): Promise<void> {
    const copy = response.clone();
    const text = await copy.text().catch(() => null);
    if (text === null) {
      // Cut in the middle: who reads it will see.
      return;
    }
    this.last = { status: response.status, text };
    if (response.ok) {
      const said = JSON.parse(text) as IRun | { run: IRun };
      this._options.told('run' in said ? said.run : said);
    }
  }
}

export namespace Network {
  export interface IOptions {
    url: string;
    /** Where messages are posted. */
    postUrl: string;
    /** A message is on its way. */
    posted: (run: INewRun) => void;
    /** An answer has a run. */
    told: (run: IRun) => void;
  }
}
