import { errorMessage } from '../../base/errors';
import { trans } from '../../base/words';
import type { SchemaCheck } from '../../request/structured/checkschema';
import type { ISchemaQuestion, SchemaAnswer } from './schemaworker';

/** How long a check may take. */
const CHECK_MS = 2_000;

/** How long the worker may take to load, or to begin a check. */
const LOAD_MS = 20_000;

/** How many schemas that took too long are remembered. */
const MAX_SLOW = 50;

/**
 * Checks JSON against schemas, one at a time, in a worker.
 *
 * A schema in a file may contain a pattern that takes for ever; then the worker is ended, the page
 * goes on, and the schema is not tried again.
 */
export class SchemaChecker {
  constructor(private _start: () => Promise<Worker>) {}

  /** Check JSON against a schema, both as text. Never rejects. */
  check(json: string, schema: string): Promise<SchemaCheck> {
    this._waiting += 1;
    const checked = this._last.then(() => this._check(json, schema));
    this._last = checked.then(() => {
      this._waiting -= 1;
      if (!this._waiting) {
        this._end();
      }
    });
    return checked;
  }

  private async _check(json: string, schema: string): Promise<SchemaCheck> {
    if (this._slow.has(schema)) {
      return tooSlow();
    }
    try {
      if (!this._worker) {
        this._worker = await this._start();
        await ready(this._worker);
      }
      // A machine that is busy does not count against the schema.
      await ready(this._worker, { json, schema });
      const answer = await said(this._worker, CHECK_MS);
      if (answer === null) {
        this._end();
        this._remember(schema);
        return tooSlow();
      }
      return typeof answer === 'string' ? { problem: '' } : answer;
    } catch (error) {
      this._end();
      return { problem: errorMessage(error) };
    }
  }

  private _end(): void {
    this._worker?.terminate();
    this._worker = null;
  }

  private _remember(schema: string): void {
    if (this._slow.size >= MAX_SLOW) {
      this._slow.clear();
    }
    this._slow.add(schema);
  }

  private _last: Promise<void> = Promise.resolve();
  private _slow = new Set<string>();
  private _waiting = 0;
  private _worker: Worker | null = null;
}

/** Wait until a worker has loaded, or has begun with a question. */
async function ready(
  worker: Worker,
  question?: ISchemaQuestion
): Promise<void> {
  if ((await said(worker, LOAD_MS, question)) === null) {
    throw new Error(trans.__('the check could not be loaded'));
  }
}

/** What a worker says next, after a question if there is one; null if it says nothing in time. */
function said(
  worker: Worker,
  limitMs: number,
  question?: ISchemaQuestion
): Promise<SchemaAnswer | null> {
  return new Promise((resolve, reject) => {
    let timer = setTimeout(() => {
      // If the page was held up, an answer that came in time is the next task.
      timer = setTimeout(() => resolve(null));
    }, limitMs);
    worker.onmessage = (event: MessageEvent<SchemaAnswer>) => {
      clearTimeout(timer);
      resolve(event.data);
    };
    worker.onerror = event => {
      clearTimeout(timer);
      event.preventDefault();
      reject(
        new Error(event.message || trans.__('the check could not be loaded'))
      );
    };
    if (question) {
      worker.postMessage(question);
    }
  });
}

function tooSlow(): SchemaCheck {
  return { problem: trans.__('the check took too long') };
}

/** The checker of the page. */
export const schemaChecker = new SchemaChecker(async () => {
  const { startWorker } = await import('./startworker');
  return startWorker();
});
