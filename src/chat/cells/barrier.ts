/**
 * What is shown between a pair and its reply: why it ended early, and what happens or helps next.
 */
import type { IPairError, PairState } from '../../document/metadata';
import type { IRun } from '../../base/run';

/** The text and buttons for a pair whose reply is incomplete. */
export interface IBarrier {
  /** What happened, in short. */
  headline: string;
  /** How far the reply got; empty if there is no text. */
  reached: string;
  /** Further details: why nothing continues automatically, and what will help. */
  detail: string;
  /**
   * The server's next attempt, and when it starts by this browser's clock; null if there is none.
   */
  next: { attempt: number; at: number } | null;
  canRetry: boolean;
  canStop: boolean;
  /** Where to fix the problem, if there is such a place. */
  remedy: 'providers' | null;
  /** `calm` if the user wanted it, `stuck` if retrying does not help. */
  mood: 'waiting' | 'stuck' | 'calm';
}

/** What is known about a pair that ended without a complete reply. */
export interface IBarrierFacts {
  state: PairState;
  error: IPairError | null;
  /** The length of the reply so far. */
  characters: number;
  /** The newest attempt in the server's journal; null if it reported none. */
  newest: IRun | null;
  /** The server's clock minus this browser's, in milliseconds. */
  skew: number;
  /** Whether the server knows nothing about this pair's request. */
  isForeign: boolean;
}

/** The barrier of a pair; null if there is nothing to show. */
export function barrier(facts: IBarrierFacts): IBarrier | null {
  const { state, error, newest, skew, characters } = facts;
  const reached = characters ? `after ${counted(characters)}` : '';
  if (state === 'canceled') {
    return {
      headline: 'Stopped',
      reached,
      detail: '',
      next: null,
      canRetry: true,
      canStop: false,
      remedy: null,
      mood: 'calm'
    };
  }
  if (state !== 'error' || !error) {
    return null;
  }
  if (facts.isForeign) {
    return stuck(
      'Interrupted',
      reached,
      'This server has no record of the request. Retry now sends the message again.'
    );
  }
  const turn = newest?.turn;
  const retryAt = turn?.auto ? turn.retryAt : null;
  const reason = REASONS.find(({ fits }) => fits(error))!;
  if (newest && retryAt !== null && retryAt !== undefined) {
    return {
      headline: reason.headline(characters > 0),
      reached,
      detail: '',
      next: { attempt: newest.attempt + 1, at: retryAt - skew },
      canRetry: true,
      canStop: true,
      remedy: null,
      mood: 'waiting'
    };
  }
  const headline = reason.headline(characters > 0);
  if (reason.help !== null) {
    return {
      ...stuck(headline, reached, reason.help),
      remedy: reason.remedy ?? null
    };
  }
  const why = turn?.paused
    ? sentence(turn.paused)
    : turn && !turn.auto
      ? 'Auto-retry is off.'
      : '';
  return stuck(headline, reached, why);
}

/** The remaining time of a wait, as a text. */
export function countdown(at: number, now: number): string {
  const seconds = Math.ceil((at - now) / 1000);
  if (seconds <= 0) {
    return 'now';
  }
  if (seconds < 120) {
    return `in ${seconds} s`;
  }
  const minutes = Math.ceil(seconds / 60);
  return minutes < 120
    ? `in ${minutes} min`
    : `in ${Math.ceil(minutes / 60)} h`;
}

interface IReason {
  fits: (error: IPairError) => boolean;
  headline: (begun: boolean) => string;
  /** Why retrying will not help, and what will; null if retrying may help. */
  help: string | null;
  remedy?: 'providers';
}

const named =
  (pattern: RegExp) =>
  ({ code, message }: IPairError): boolean =>
    pattern.test(code) || pattern.test(message);

const AGAIN = 'Retrying will not help:';

/** The first match counts. */
const REASONS: readonly IReason[] = [
  {
    fits: ({ type }) => type === 'auth',
    headline: () => 'The provider refused the key',
    help: `${AGAIN} give the provider a valid key, then retry.`,
    remedy: 'providers'
  },
  {
    fits: ({ code }) => code === 'quota',
    headline: () => 'No quota left',
    help: `${AGAIN} add credit to the account at the provider, or choose another model and use Edit & Resend.`
  },
  {
    fits: ({ type, code }) => type === 'rate' || code === 'rate',
    headline: () => 'The provider asks to slow down',
    help: null
  },
  {
    fits: ({ type }) => type === 'network',
    headline: begun =>
      begun ? 'Connection lost' : 'The provider could not be reached',
    help: null
  },
  {
    fits: ({ type }) => type === 'server',
    headline: () => 'The provider failed',
    help: null
  },
  {
    fits: ({ code }) => code === 'unknown',
    headline: () => 'It is not known whether the request was sent',
    help: 'It is not sent again automatically, because it may have been answered and billed. Retry to send it again.'
  },
  {
    fits: ({ code }) =>
      ['unknown-provider', 'bad-provider', 'redirect'].includes(code),
    headline: () => 'The provider is not set up',
    help: `${AGAIN} correct the provider’s settings, then retry.`,
    remedy: 'providers'
  },
  {
    fits: ({ code }) => code === 'content-encoding',
    headline: () => 'The provider’s answer is compressed',
    help: `${AGAIN} turn compression off at the provider or at the proxy in front of it, then retry.`
  },
  {
    fits: ({ code }) => code === 'too-large',
    headline: () => 'The reply is larger than this server allows',
    help: `${AGAIN} ask for a shorter reply, or raise c.TurnbookApp.run_max_bytes on the Jupyter server.`
  },
  {
    fits: ({ code }) => code.startsWith('local-'),
    headline: () => 'The embedded model cannot be used',
    help: `${AGAIN} fetch it from the notice above the composer, or choose another model and use Edit & Resend.`
  },
  {
    fits: named(
      /context[_ ](length|window)|too[_ ]long|max(imum)?[_ ]context/i
    ),
    headline: () => 'Too long for this model',
    help: `${AGAIN} hide pairs with the filter or choose a model with a larger window, then use Edit & Resend.`
  },
  {
    fits: named(/model_not_found|unknown_model|model .*(not exist|not found)/i),
    headline: () => 'The provider does not know this model',
    help: `${AGAIN} choose another model and use Edit & Resend.`
  },
  {
    fits: named(/refus|content_(filter|policy)|moderation|safety/i),
    headline: () => 'The provider refused this message',
    help: `${AGAIN} change the message with Edit & Resend.`
  },
  {
    fits: ({ status }) => status !== null,
    headline: () => 'The provider did not accept the request',
    help: `${AGAIN} the same request would be refused again. Change the message or the model and use Edit & Resend.`
  },
  {
    fits: () => true,
    headline: () => 'The reply did not come',
    help: 'The cause is unknown, so it is not retried automatically. Retry to send it again.'
  }
];

function counted(characters: number): string {
  const unit = characters === 1 ? 'character' : 'characters';
  return `${characters.toLocaleString('en')} ${unit}`;
}

function stuck(headline: string, reached: string, detail: string): IBarrier {
  return {
    headline,
    reached,
    detail,
    next: null,
    canRetry: true,
    canStop: false,
    remedy: null,
    mood: 'stuck'
  };
}

function sentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}
