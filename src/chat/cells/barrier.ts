/**
 * What is shown between a pair and its reply: why it ended early, and what happens or helps next.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { IPairError, PairState } from '../../document/metadata';
import type { IRun } from '../../base/run';
import { safeName } from '../../ui/safename';

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
  remedy: Remedy | null;
  /** `calm` if the user wanted it, `stuck` if retrying does not help. */
  mood: 'waiting' | 'stuck' | 'calm';
}

/** Where a problem can be fixed: in the list of providers, or by leaving images out. */
export type Remedy = 'providers' | 'images';

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
  /** The names of the options that the request had. */
  options: readonly string[];
}

/** The barrier of a pair; null if there is nothing to show. */
export function barrier(
  facts: IBarrierFacts,
  trans: TranslationBundle
): IBarrier | null {
  const { state, error, newest, skew, characters } = facts;
  const reached = characters
    ? trans._n(
        'after %2 character',
        'after %2 characters',
        characters,
        characters.toLocaleString('en')
      )
    : '';
  if (state === 'canceled') {
    return {
      headline: trans.__('Stopped'),
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
      trans.__('Interrupted'),
      reached,
      trans.__(
        'This server has no record of the request. Retry now sends the message again.'
      )
    );
  }
  const turn = newest?.turn;
  const retryAt = turn?.auto ? turn.retryAt : null;
  const reason = reasons(facts, trans).find(({ fits }) => fits(error))!;
  const headline =
    characters > 0 ? (reason.begun ?? reason.headline) : reason.headline;
  if (newest && retryAt !== null && retryAt !== undefined) {
    return {
      headline,
      reached,
      detail: '',
      next: { attempt: newest.attempt + 1, at: retryAt - skew },
      canRetry: true,
      canStop: true,
      remedy: null,
      mood: 'waiting'
    };
  }
  if (reason.help !== null) {
    return {
      ...stuck(headline, reached, reason.help),
      canRetry: !reason.isFinal,
      remedy: reason.remedy ?? null
    };
  }
  const why = turn?.paused
    ? sentence(turn.paused)
    : turn && !turn.auto
      ? trans.__('Auto-retry is off.')
      : '';
  return stuck(headline, reached, why);
}

/** All that a barrier says, as one text. */
export function barrierText(
  { headline, reached, detail, next }: IBarrier,
  now: number,
  trans: TranslationBundle
): string {
  return [
    reached ? `${headline} ${reached}.` : `${headline}.`,
    detail,
    next &&
      `${trans.__('Next attempt (%1)', next.attempt)} ${countdown(next.at, now, trans)}.`
  ]
    .filter(Boolean)
    .join(' ');
}

/** The remaining time of a wait, as a text. */
export function countdown(
  at: number,
  now: number,
  trans: TranslationBundle
): string {
  const seconds = Math.ceil((at - now) / 1000);
  if (seconds <= 0) {
    return trans.__('now');
  }
  if (seconds < 120) {
    return trans.__('in %1 s', seconds);
  }
  const minutes = Math.ceil(seconds / 60);
  return minutes < 120
    ? trans.__('in %1 min', minutes)
    : trans.__('in %1 h', Math.ceil(minutes / 60));
}

interface IReason {
  fits: (error: IPairError) => boolean;
  headline: string;
  /** The headline once a part of the reply has arrived, if it is another. */
  begun?: string;
  /** What helps; null if the server retries by itself. */
  help: string | null;
  /** Whether the same request would be refused again, so that retrying is not offered. */
  isFinal?: boolean;
  remedy?: Remedy;
}

const named =
  (pattern: RegExp) =>
  ({ code, message }: IPairError): boolean =>
    pattern.test(code) || pattern.test(message);

/** The option that a provider's message is about; null if it names none. */
export function refusedOption(
  { status, code, message }: IPairError,
  options: readonly string[]
): string | null {
  if (status === null || status < 400 || status >= 500) {
    return null;
  }
  const text = `${code} ${message}`;
  const words = new Set(text.split(/[^\w-]+/));
  const names = [...options].sort((a, b) => b.length - a.length);
  return (
    names.find(name =>
      QUOTES.some(([open, close]) => text.includes(open + name + close))
    ) ??
    // Short names, such as `user` and `stop`, are also ordinary words.
    names.find(name => name.length > 4 && words.has(name)) ??
    null
  );
}

const QUOTES = ["''", '""', '``', '\u2018\u2019', '\u201c\u201d'];

/** The reasons why a reply did not come; the first that fits counts. */
const reasons = (
  { error, options }: IBarrierFacts,
  trans: TranslationBundle
): readonly IReason[] => [
  {
    fits: ({ code }) => code === 'image_unsupported',
    headline: trans.__('This model takes no images'),
    help: trans.__(
      'Choose a model that does and use Edit & Resend, or send the message without them.'
    ),
    isFinal: true,
    remedy: 'images'
  },
  {
    fits: ({ type }) => type === 'auth',
    headline: trans.__('The provider refused the key'),
    help: trans.__('Give the provider a valid key, then retry.'),
    remedy: 'providers'
  },
  {
    fits: ({ code }) => code === 'quota',
    headline: trans.__('No quota left'),
    help: trans.__(
      'Add credit to the account at the provider, then retry; or choose another model and use Edit & Resend.'
    )
  },
  {
    fits: ({ type, code }) => type === 'rate' || code === 'rate',
    headline: trans.__('The provider asks to slow down'),
    help: null
  },
  {
    fits: ({ type }) => type === 'network',
    headline: trans.__('The provider could not be reached'),
    begun: trans.__('Connection lost'),
    help: null
  },
  {
    fits: ({ type }) => type === 'server',
    headline: trans.__('The provider failed'),
    help: null
  },
  {
    fits: ({ code }) => code === 'unknown',
    headline: trans.__('It is not known whether the request was sent'),
    help: trans.__(
      'It is not sent again automatically, because it may have been answered and billed. Retry to send it again.'
    )
  },
  {
    fits: ({ code }) =>
      ['unknown-provider', 'bad-provider', 'redirect'].includes(code),
    headline: trans.__('The provider is not set up'),
    help: trans.__('Correct the provider’s settings, then retry.'),
    remedy: 'providers'
  },
  {
    fits: ({ code }) => code === 'bad-proxy',
    headline: trans.__('The proxy cannot be used'),
    help: trans.__(
      'Correct or unset the proxy of the Jupyter server, restart it, then retry.'
    )
  },
  {
    fits: ({ code }) => code === 'content-encoding',
    headline: trans.__('The provider’s answer is compressed'),
    help: trans.__(
      'Turn compression off at the provider or at the proxy in front of it, then retry.'
    )
  },
  {
    fits: ({ code }) => code === 'too-large',
    headline: trans.__('The reply is larger than this server allows'),
    help: trans.__(
      'Ask for a shorter reply with Edit & Resend, or raise c.TurnbookApp.run_max_bytes on the Jupyter server and retry.'
    )
  },
  {
    fits: ({ code }) => code.startsWith('local-'),
    headline: trans.__('The embedded model cannot be used'),
    help: trans.__(
      'Fetch it from the notice above the composer, then retry; or choose another model and use Edit & Resend.'
    )
  },
  {
    fits: named(
      /context[_ ](length|window)|too[_ ]long|max(imum)?[_ ]context/i
    ),
    headline: trans.__('Too long for this model'),
    help: trans.__(
      'Hide pairs with the filter or choose a model with a larger window, then use Edit & Resend.'
    ),
    isFinal: true
  },
  {
    fits: named(/model_not_found|unknown_model|model .*(not exist|not found)/i),
    headline: trans.__('The provider does not know this model'),
    help: trans.__(
      'Choose another model and use Edit & Resend, or retry when the provider has it.'
    )
  },
  ...optionReason(error && refusedOption(error, options), trans),
  {
    fits: named(/refus|content_(filter|policy)|moderation|safety/i),
    headline: trans.__('The provider refused this message'),
    help: trans.__('Change the message with Edit & Resend.'),
    isFinal: true
  },
  {
    fits: ({ status }) => status !== null,
    headline: trans.__('The provider did not accept the request'),
    help: trans.__(
      'Change the message or the model and use Edit & Resend, or retry if the provider was at fault.'
    )
  },
  {
    fits: () => true,
    headline: trans.__('No reply arrived'),
    help: trans.__(
      'The cause is unknown, so it is not retried automatically. Retry to send it again.'
    )
  }
];

function optionReason(
  option: string | null,
  trans: TranslationBundle
): IReason[] {
  return option === null
    ? []
    : [
        {
          fits: () => true,
          headline: trans.__(
            'The provider did not accept the option %1',
            safeName(option)
          ),
          help: trans.__(
            'Remove it from the options of the chat in the composer, or change it, then use Edit & Resend.'
          ),
          isFinal: true
        }
      ];
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
