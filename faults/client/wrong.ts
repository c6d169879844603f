import type { IRunEvent } from '../../src/base/run';
import { Pair } from '../../src/document/pair';
import type { IRunListener } from '../../src/runs/listeners';
import type { Context } from './context';

/** How a page can be wrong on purpose, to show that the counting sees it. */
export type WrongWay =
  | 'forgets an event'
  | 'takes events twice'
  | 'lands a reply twice'
  | 'joins without looking';

/** Breaks the shipped client: what its socket hands on, or what it has landed. */
export class Wrong {
  constructor(
    private readonly _way: WrongWay,
    private readonly _context: Context
  ) {}

  /** What takes a run's events instead of the page. */
  deliver(run: string, listener: IRunListener): (event: IRunEvent) => void {
    return event => {
      this._said.push(saidIn(event));
      if (this._way === 'takes events twice') {
        const { n } = event;
        // With numbers of their own, or the page would know better.
        if (event.data !== undefined) {
          listener.onEvent({ ...event, n: 2 * n - 1 });
        }
        listener.onEvent({ ...event, n: 2 * n });
      } else if (this._way !== 'forgets an event' || event.n !== 3) {
        listener.onEvent(event);
      }
    };
  }

  /** A reply has just landed. */
  landed(pair: string): void {
    const cell = Pair.find(this._context.model.sharedModel, pair)?.cell;
    const outputs = cell?.getOutputs() ?? [];
    const [first] = outputs;
    if (!cell || !first) {
      return;
    }
    if (this._way === 'lands a reply twice') {
      cell.setOutputs([...outputs, structuredClone(first)]);
    } else if (this._way === 'joins without looking') {
      const data = { 'text/markdown': this._said.join('') };
      cell.setOutputs([{ ...first, data }]);
    }
  }

  private readonly _said: string[] = [];
}

function saidIn({ data }: IRunEvent): string {
  const chunk = data === undefined ? null : JSON.parse(data);
  return chunk?.choices?.[0]?.delta?.content ?? '';
}
