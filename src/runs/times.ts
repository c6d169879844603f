/** How long a page waits for its server and for other pages, in milliseconds. */
export interface ITimes {
  /** Before the first reconnection; each further wait is twice as long. */
  firstDelay: number;
  lastDelay: number;
  heartbeat: number;
  /** How long a connection may be silent. */
  silence: number;
  /** How long a new connection may take until a message arrives. */
  proof: number;
  /** How long a connection may take to respond after the page slept or the network came back. */
  check: number;
  /** How long a message that was sent over a connection may have no answer. */
  answer: number;
  /** How long a page waits for the page that sent a message to save its reply. */
  grace: number;
  /** Pages whose sender has gone must not all save at once. */
  graceSpread: number;
}

export const TIMES: ITimes = {
  firstDelay: 500,
  lastDelay: 30_000,
  heartbeat: 20_000,
  silence: 45_000,
  proof: 8_000,
  check: 2_500,
  answer: 6_000,
  grace: 3_000,
  graceSpread: 2_000
};

/** How long to wait before the nth reconnection, with jitter to avoid stampedes. */
export function reconnectDelay(
  attempt: number,
  random: number,
  { firstDelay, lastDelay }: ITimes = TIMES
): number {
  const delay = Math.min(firstDelay * 2 ** attempt, lastDelay);
  return delay * (0.75 + random / 2);
}
