import type { IRunInfo } from './metadata';

/** Whether a reply was stopped, interrupted, or cut at the length limit after some text. */
export function isCutOff(run: IRunInfo | null, reply: string): boolean {
  if (!run || !reply.trim()) {
    return false;
  }
  return (
    run.state === 'canceled' || run.state === 'error' || run.finish === 'length'
  );
}
