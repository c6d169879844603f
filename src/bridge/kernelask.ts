/**
 * Asks kernels about variables, silently: no output, no history, no new names, and never behind a
 * running cell.
 */
import type { Kernel, KernelMessage } from '@jupyterlab/services';

import { fromBase64 } from '../base/base64';
import { isObject } from '../base/json';
import { withoutCodes } from '../base/terminal';
import { trans } from '../base/words';
import { PYTHON_SECONDS, pythonExpression } from './askpython';
import { cutMiddle, readEnds, TEXT_LIMIT } from './cuttext';

/** How long an answer is waited for, in milliseconds; the kernel gives up before. */
const LIMIT_MS = PYTHON_SECONDS * 1000 + 1000;

/** The name of our expression in a request. */
const NAME = 'turnbook';

/** A variable of a kernel. */
export interface IVariable {
  name: string;
  /** The name of its type; empty if the kernel does not say. */
  type: string;
}

/** What is used of a kernel. */
export type AskedKernel = Pick<
  Kernel.IKernelConnection,
  'info' | 'requestComplete' | 'requestExecute' | 'requestInspect' | 'status'
>;

/** A kernel that cannot say something now; the message is for the user. */
export class KernelProblem extends Error {}

/**
 * The variables of a kernel.
 *
 * @param start - What their names start with; only kernels of other languages than Python need it.
 */
export async function listVariables(
  kernel: AskedKernel,
  start: string
): Promise<IVariable[]> {
  return timed(kernel, async () =>
    (await isPython(kernel))
      ? readVariables(await evaluate(kernel, pythonExpression(null)))
      : completions(kernel, start)
  );
}

/** What a model reads of a variable. */
export async function describeVariable(
  kernel: AskedKernel,
  name: string
): Promise<string> {
  return timed(kernel, async () =>
    (await isPython(kernel))
      ? readText(await evaluate(kernel, pythonExpression(name)), name)
      : inspected(kernel, name)
  );
}

/** What kernels are being asked; never rejects. */
const asking = new WeakMap<AskedKernel, Promise<unknown>>();

/** Run a request of an idle kernel, with a limit of time. */
async function timed<T>(
  kernel: AskedKernel,
  request: () => Promise<T>
): Promise<T> {
  // What is asked here makes a kernel busy too, for a moment.
  while (asking.has(kernel)) {
    await asking.get(kernel);
  }
  if (kernel.status !== 'idle') {
    throw new KernelProblem(
      kernel.status === 'busy'
        ? trans.__('The kernel is busy. Ask again when it is idle.')
        : trans.__('The kernel is not ready. Ask again when it is idle.')
    );
  }
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () =>
        reject(
          new KernelProblem(
            trans.__('The kernel did not answer within %1 s.', LIMIT_MS / 1000)
          )
        ),
      LIMIT_MS
    );
  });
  const answer = Promise.race([request(), late]);
  const over = answer
    .catch(() => undefined)
    // The kernel's status follows its answer, within the same task.
    .then(() => new Promise(resolve => setTimeout(resolve)));
  asking.set(kernel, over);
  try {
    return await answer;
  } finally {
    clearTimeout(timer);
    void over.then(() => asking.delete(kernel));
  }
}

async function isPython(kernel: AskedKernel): Promise<boolean> {
  const { language_info: language } = await kernel.info;
  return language.name === 'python';
}

/** The value of an expression that returns JSON in base64. */
async function evaluate(
  kernel: AskedKernel,
  expression: string
): Promise<unknown> {
  const future = kernel.requestExecute({
    code: '',
    silent: true,
    store_history: false,
    stop_on_error: false,
    allow_stdin: false,
    user_expressions: { [NAME]: expression }
  });
  const { content } = (await future.done) as KernelMessage.IExecuteReplyMsg;
  const values = content.status === 'ok' ? content.user_expressions : {};
  const value = isObject(values) ? values[NAME] : undefined;
  const data = isObject(value) && isObject(value.data) ? value.data : {};
  const [, base64] = /^'([\w+/]+=*)'$/.exec(String(data['text/plain'])) ?? [];
  if (!base64) {
    const said = isObject(value) ? value.evalue : undefined;
    throw new KernelProblem(
      trans.__(
        'The kernel did not answer as expected: %1',
        typeof said === 'string' ? said.slice(0, 500) : content.status
      )
    );
  }
  const bytes = fromBase64(base64);
  return JSON.parse(new TextDecoder().decode(bytes));
}

function readVariables(answer: unknown): IVariable[] {
  const list = isObject(answer) ? answer.variables : undefined;
  return (Array.isArray(list) ? list : []).flatMap(one => {
    const [name, type] = Array.isArray(one) ? one : [];
    return typeof name === 'string' && typeof type === 'string'
      ? [{ name, type }]
      : [];
  });
}

function readText(answer: unknown, name: string): string {
  const { text, error, late, gone } = isObject(answer) ? answer : {};
  if (typeof text === 'string') {
    return withoutCodes(text);
  }
  throw new KernelProblem(
    late
      ? trans.__(
          '%1 was not described within %2 s. Attach the output of a cell that shows it instead.',
          name,
          PYTHON_SECONDS
        )
      : gone
        ? trans.__('The kernel has no variable %1 now.', name)
        : trans.__(
            '%1 cannot be described: %2',
            name,
            withoutCodes(String(error))
          )
  );
}

/** The names that a kernel would complete; kernels cannot list their variables otherwise. */
async function completions(
  kernel: AskedKernel,
  start: string
): Promise<IVariable[]> {
  if (!start) {
    return [];
  }
  const { content } = await kernel.requestComplete({
    code: start,
    cursor_pos: start.length
  });
  return content.status === 'ok'
    ? content.matches
        .filter(name => /^[\p{L}_.][\p{L}\p{N}_.]*$/u.test(name))
        .map(name => ({ name, type: '' }))
    : [];
}

/** What a kernel says of a name. */
async function inspected(kernel: AskedKernel, name: string): Promise<string> {
  const { content } = await kernel.requestInspect({
    code: name,
    cursor_pos: name.length,
    detail_level: 0
  });
  const data = content.status === 'ok' && content.found ? content.data : {};
  const text = data['text/markdown'] ?? data['text/plain'];
  if (typeof text !== 'string') {
    throw new KernelProblem(
      trans.__('The kernel knows nothing about %1.', name)
    );
  }
  const read = readEnds(text, withoutCodes);
  return cutMiddle(read.text, TEXT_LIMIT, read.gaps);
}
