/** What reruns are and how far they are, in words. Pure. */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { IRerun, IRerunPreview } from '../base/run';
import { dollars } from '../document/usage';
import type { BadField } from './form';

/** Whether a rerun sends, or waits for replies. */
export function isAlive({ state }: Pick<IRerun, 'state'>): boolean {
  return state === 'running' || state === 'ending';
}

/** Whether a rerun lacks replies that can be sent without a doubt. */
export function canGoOn(rerun: IRerun): boolean {
  return !isAlive(rerun) && rerun.done + doubtful(rerun) < rerun.total;
}

/** How many replies are broken or unknown, and so not repeated unless the user wants it. */
export function doubtful({ broken, unknown }: IRerun): number {
  return broken + unknown;
}

/** Why what the user entered cannot be read; empty if it can. */
export function badWords(
  bad: readonly BadField[],
  trans: TranslationBundle
): string {
  return [
    ...(bad.includes('maxRequests')
      ? [trans.__('Enter the number of requests in digits only, such as 1000.')]
      : []),
    ...(bad.includes('maxCost')
      ? [
          trans.__(
            'Enter the dollars without a separator of thousands, such as 1000 or 2.50.'
          )
        ]
      : [])
  ].join(' ');
}

/** What a rerun would take: requests, tokens and price; what is unknown is said. */
export function estimateWords(
  preview: IRerunPreview,
  trans: TranslationBundle
): string {
  const { requests, had, models } = preview;
  const asked = models.filter(row => row.requests > 0);
  const input = asked.reduce((sum, row) => sum + row.inputTokens, 0);
  const output = asked.reduce((sum, row) => sum + (row.outputTokens ?? 0), 0);
  const isOutputKnown = asked.every(row => row.outputTokens !== null);
  const priced = asked.filter(row => row.cost !== null);
  const unpriced = asked.filter(row => row.cost === null);
  const cost = priced.reduce((sum, row) => sum + row.cost!, 0);
  return [
    trans._n('%1 request', '%1 requests', requests),
    ...(had
      ? [
          trans._n(
            '%1 reply is there already',
            '%1 replies are there already',
            had
          )
        ]
      : []),
    ...(asked.length
      ? [
          trans.__('~%1 tokens in', input.toLocaleString('en')),
          isOutputKnown
            ? trans.__('~%1 tokens out', output.toLocaleString('en'))
            : trans.__('tokens out unknown')
        ]
      : []),
    ...(priced.length ? [trans.__('about %1', dollars(cost))] : []),
    ...(unpriced.length
      ? [
          priced.length
            ? trans.__(
                'price of %1 unknown',
                unpriced.map(row => row.model).join(', ')
              )
            : trans.__('price unknown')
        ]
      : [])
  ].join(' · ');
}

/** What a rerun is: records, models and repeats. */
export function extentWords(rerun: IRerun, trans: TranslationBundle): string {
  return [
    trans._n('%1 record', '%1 records', rerun.records),
    rerun.models.join(', '),
    trans._n('%1 repeat', '%1 repeats', rerun.repeats),
    ...(rerun.set.length ? [rerun.set.join(', ')] : [])
  ].join(' · ');
}

/** How far a rerun is: replies, rate, cost, time left. */
export function progressWords(rerun: IRerun, trans: TranslationBundle): string {
  const { done, total, broken, unknown, refused, underWay } = rerun;
  const alive = isAlive(rerun);
  return [
    trans.__('%1 of %2 replies', done, total),
    ...(refused ? [trans.__('%1 refused', refused)] : []),
    ...(broken ? [trans.__('%1 ended early', broken)] : []),
    ...(unknown ? [trans.__('%1 unknown', unknown)] : []),
    ...(underWay ? [trans.__('%1 under way', underWay)] : []),
    ...(alive && rerun.rate ? [trans.__('%1/s', rate(rerun.rate))] : []),
    costWords(rerun, trans),
    ...(rerun.state === 'running' && rerun.secondsLeft
      ? [trans.__('%1 left', duration(rerun.secondsLeft))]
      : [])
  ]
    .filter(part => part !== '')
    .join(' · ');
}

/** The state of a rerun in words. */
export function stateWords(rerun: IRerun, trans: TranslationBundle): string {
  switch (rerun.state) {
    case 'running':
      return rerun.elsewhere
        ? trans.__('Running on another Jupyter server')
        : trans.__('Running');
    case 'ending':
      return trans._n(
        'Stopping: %1 request under way is waited for',
        'Stopping: %1 requests under way are waited for',
        rerun.underWay
      );
    case 'done':
      return trans.__('Done');
    case 'incomplete':
      return trans.__('Ended, but replies are missing');
    case 'stopped':
      return trans.__('Stopped');
    case 'interrupted':
      return trans.__('Interrupted when the Jupyter server ended');
    case 'failed':
      return trans.__('Failed');
  }
}

/** Minutes and seconds, or hours and minutes. */
export function duration(seconds: number): string {
  const whole = Math.round(seconds);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60)];
  return hours
    ? `${hours}:${pad(minutes % 60)}:${pad(whole % 60)}`
    : `${minutes}:${pad(whole % 60)}`;
}

/** What it cost so far; a price that is not known is never 0. */
function costWords(
  { cost, unpriced, done, broken, unknown }: IRerun,
  trans: TranslationBundle
): string {
  if (done + broken + unknown === 0) {
    return '';
  }
  if (!unpriced) {
    return trans.__('%1 so far', dollars(cost));
  }
  return cost > 0
    ? trans.__('%1 or more so far', dollars(cost))
    : trans.__('cost unknown');
}

function rate(value: number): string {
  return value < 10 ? value.toFixed(1) : String(Math.round(value));
}

function pad(value: number): string {
  return String(value).padStart(2, '0');
}
