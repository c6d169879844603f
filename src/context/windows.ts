/** The context windows of models. */
import { nameGlob } from '../filter/glob';

/** The window of an unknown model; most models served today have at least this. */
export const DEFAULT_WINDOW = 32_768;

/** Where a window comes from. */
export type WindowSource = 'provider' | 'table' | 'setting' | 'default';

/** A model's window and where it comes from. */
export interface IModelWindow {
  tokens: number;
  source: WindowSource;
}

/** Windows by model; a name may contain `*`, and may start with a provider. */
export type WindowSetting = Readonly<Record<string, number>>;

/**
 * A model's window: from the provider's list if it has it, else from the table of well-known
 * models, else from the user's setting, else a default.
 *
 * @param model - The model as `provider/model`.
 * @param listed - The window in the provider's list.
 */
export function modelWindow(
  model: string,
  listed: number | null | undefined,
  setting: WindowSetting = {}
): IModelWindow {
  const told: [WindowSource, number | null | undefined][] = [
    ['provider', listed],
    ['table', fromTable(model)],
    ['setting', fromSetting(model, setting)]
  ];
  for (const [source, tokens] of told) {
    if (isWindow(tokens)) {
      return { tokens, source };
    }
  }
  return { tokens: DEFAULT_WINDOW, source: 'default' };
}

/** The part of a window that requests may use: 120k of 128k, and the same ratio for others. */
export function softCap(window: number): number {
  return Math.floor((window * 120) / 128);
}

/**
 * Well-known models; the first match counts. Where hosts or later releases differ, this has the
 * lower number: a request that is too long fails, a shorter one does not.
 */
const TABLE: readonly [pattern: string, tokens: number][] = [
  ['gpt-4o*-realtime*', 16_000],
  ['gpt-4o*-transcribe*', 16_000],
  ['gpt-4o*', 128_000],
  ['chatgpt-4o*', 128_000],
  ['gpt-4.1*', 1_047_576],
  ['gpt-4.5*', 128_000],
  ['gpt-4-turbo*', 128_000],
  ['gpt-4-*-preview', 128_000],
  ['gpt-4-32k*', 32_768],
  ['gpt-4', 8_192],
  ['gpt-4-0*', 8_192],
  ['gpt-3.5-turbo-instruct*', 4_096],
  ['gpt-3.5-turbo*', 16_385],
  ['gpt-5*-chat*', 128_000],
  ['gpt-5*', 400_000],
  ['gpt-oss*', 131_072],
  ['o1-mini*', 128_000],
  ['o1-preview*', 128_000],
  ['o1*', 200_000],
  ['o3*', 200_000],
  ['o4-mini*', 200_000],
  ['claude-2.0*', 100_000],
  ['claude-instant*', 100_000],
  ['claude-*', 200_000],
  ['gemini-*-image*', 32_768],
  ['gemini-1.5*', 1_048_576],
  ['gemini-2*', 1_048_576],
  ['gemini-3*', 1_048_576],
  ['gemma-3-1b*', 32_768],
  ['gemma3:1b*', 32_768],
  ['gemma-3-*', 131_072],
  ['gemma3*', 131_072],
  ['gemma-2-*', 8_192],
  ['gemma2*', 8_192],
  ['*llama-3.1*', 131_072],
  ['*llama-3.2*', 131_072],
  ['*llama-3.3*', 131_072],
  ['llama3.1*', 131_072],
  ['llama3.2*', 131_072],
  ['llama3.3*', 131_072],
  ['*llama-3-*', 8_192],
  ['llama3', 8_192],
  ['llama3:*', 8_192],
  ['*llama-2-*', 4_096],
  ['llama2*', 4_096],
  ['mistral-large*', 131_072],
  ['*mistral-nemo*', 131_072],
  ['ministral*', 131_072],
  ['*mixtral-8x22b*', 65_536],
  ['*mixtral*', 32_768],
  ['*mistral-7b*', 32_768],
  ['mistral-small*', 32_768],
  ['codestral*', 32_768],
  ['deepseek-chat*', 65_536],
  ['deepseek-reasoner*', 65_536],
  ['deepseek-v3*', 65_536],
  ['deepseek-r1', 65_536],
  ['qwen*', 32_768],
  ['command-r*', 131_072],
  ['phi-4*', 16_384],
  ['smollm2*', 8_192]
];

/** Hosts put owners before a model's name: `openrouter/openai/gpt-4o`. */
function fromTable(model: string): number | null {
  const name = model.slice(model.lastIndexOf('/') + 1);
  const row = TABLE.find(([pattern]) => nameGlob(pattern)(name));
  return row ? row[1] : null;
}

/** The exact name before patterns, longer patterns before shorter ones. */
function fromSetting(model: string, setting: WindowSetting): number | null {
  const name = model.slice(model.indexOf('/') + 1);
  const matching = Object.keys(setting)
    .filter(key => isWindow(setting[key]))
    .filter(key => [model, name].some(nameGlob(key)))
    .sort((a, b) => rank(b) - rank(a) || (a < b ? -1 : 1));
  return matching.length ? setting[matching[0]] : null;
}

function rank(pattern: string): number {
  const exact = pattern.includes('*') ? 0 : 1e6;
  return exact + pattern.length;
}

function isWindow(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0;
}
