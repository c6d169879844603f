/** The facts of sides in a table. */
import type { PartialJSONObject } from '@lumino/coreutils';

import { canonical } from '../base/canonical';
import type { IWords } from '../base/words';
import { dollars } from '../document/usage';
import type { IFacts, ISide } from './side';

/** One line of the table. */
export interface IFactRow {
  readonly name: string;
  /** A text for each side; empty if it is unknown. */
  readonly values: readonly string[];
  readonly differs: boolean;
}

/** The facts as rows; those that no side knows are left out. */
export function factRows(
  sides: readonly Pick<ISide, 'facts' | 'path' | 'said'>[],
  trans: IWords
): IFactRow[] {
  const of = (read: (facts: IFacts) => string | null) =>
    sides.map(({ facts }) => read(facts) ?? '');
  const number = (value: number | null) => value?.toLocaleString() ?? null;
  const all: [string, string[]][] = [
    [trans.__('File'), sides.map(({ path }) => path)],
    [trans.__('Model'), of(({ model }) => model)],
    [trans.__('Options'), of(({ options }) => optionText(options))],
    [
      trans.__('Messages'),
      sides.map(({ said }) => said.length.toLocaleString())
    ],
    [trans.__('Input tokens'), of(({ input }) => number(input))],
    [trans.__('Output tokens'), of(({ output }) => number(output))],
    [
      trans.__('Time'),
      of(({ seconds }) =>
        seconds === null ? null : trans.__('%1 s', seconds.toFixed(1))
      )
    ],
    [
      trans.__('Price'),
      of(({ cost }) => (cost === null ? null : dollars(cost)))
    ],
    [trans.__('Date'), of(({ at }) => (at === null ? null : dateText(at)))],
    [trans.__('Request (sha256)'), of(({ hash }) => hash)]
  ];
  return all
    .filter(([, values]) => values.some(value => value !== ''))
    .map(([name, values]) => ({
      name,
      values,
      differs: values.some(value => value !== values[0])
    }));
}

/** A date; a file may have any number. */
function dateText(at: number): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? '' : date.toLocaleString();
}

function optionText(options: PartialJSONObject | null): string | null {
  return options && Object.keys(options).length
    ? Object.entries(options)
        .filter(([, value]) => value !== undefined)
        .map(([key, value]) => `${key}: ${canonical(value!)}`)
        .sort()
        .join('\n')
    : null;
}
