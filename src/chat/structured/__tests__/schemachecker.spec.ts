import { SchemaChecker } from '../schemachecker';
import type { ISchemaQuestion, SchemaAnswer } from '../schemaworker';

const SLOW = { problem: 'the check took too long' };
const RIGHT = { errors: [], more: 0 };

/** A worker that says what it is told to. */
class ScriptedWorker {
  onmessage: (event: { data: SchemaAnswer }) => void = () => undefined;
  asked: ISchemaQuestion[] = [];
  isEnded = false;

  postMessage(question: ISchemaQuestion): void {
    this.asked.push(question);
  }

  terminate(): void {
    this.isEnded = true;
  }

  /** Say something, and let the page go on. */
  async say(data: SchemaAnswer): Promise<void> {
    this.onmessage({ data });
    await settle();
  }
}

const settle = () => jest.advanceTimersByTimeAsync(0);

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

/** A checker that has asked its worker about a schema. */
async function asking(schema = '{}') {
  const workers: ScriptedWorker[] = [];
  const checker = new SchemaChecker(async () => {
    const worker = new ScriptedWorker();
    workers.push(worker);
    return worker as unknown as Worker;
  });
  const check = async (again = schema) => {
    const checked = checker.check('1', again);
    await settle();
    return checked;
  };
  const checked = check();
  await settle();
  const [worker] = workers;
  await worker.say('ready');
  expect(worker.asked).toEqual([{ json: '1', schema }]);
  return { check, checked, worker, workers };
}

describe('a check', () => {
  it('may begin late', async () => {
    const { checked, worker } = await asking();
    await jest.advanceTimersByTimeAsync(10_000);
    await worker.say('begun');
    await worker.say(RIGHT);
    expect(await checked).toBe(RIGHT);
    expect(worker.isEnded).toBe(true);
  });

  it('has an answer that came in time, although the page hears the clock first', async () => {
    const { check, checked, worker, workers } = await asking();
    await worker.say('begun');
    jest.advanceTimersByTime(2000);
    await worker.say(RIGHT);
    expect(await checked).toBe(RIGHT);
    // Nothing is held against the schema.
    void check();
    await settle();
    expect(workers).toHaveLength(2);
  });

  it('that takes too long is ended, and its schema is not tried again', async () => {
    const { check, checked, worker, workers } = await asking();
    await worker.say('begun');
    await jest.advanceTimersByTimeAsync(3000);
    expect(await checked).toEqual(SLOW);
    expect(worker.isEnded).toBe(true);
    expect(await check()).toEqual(SLOW);
    expect(workers).toHaveLength(1);
  });

  it('that never begins says nothing of its schema', async () => {
    const { check, checked, worker, workers } = await asking();
    await jest.advanceTimersByTimeAsync(30_000);
    expect(await checked).toEqual({ problem: 'the check could not be loaded' });
    expect(worker.isEnded).toBe(true);
    void check();
    await settle();
    expect(workers).toHaveLength(2);
  });
});
