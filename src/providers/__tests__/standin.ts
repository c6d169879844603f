import type { TurnbookAPI } from '../../runs/api';
import type {
  Check,
  ILocal,
  ILocalModels,
  ILoopbackServer,
  IModelList,
  IProvider,
  IProviderCheck,
  IProviderInput,
  IProviderTest
} from '../../base/run';

/** The part of the server that these views use, in memory. */
export class StandIn {
  providers: IProvider[] = [
    provider('local', { source: 'local', editable: false }),
    provider('fixed', { source: 'config', editable: false, key: 'set' })
  ];
  models: IModelList = {
    providers: ['local', 'fixed'],
    models: [
      {
        id: 'local/smol',
        provider: 'local',
        model: 'smol',
        window: 2048,
        price: null
      },
      {
        id: 'fixed/big',
        provider: 'fixed',
        model: 'big',
        window: null,
        price: { input: 2.5, output: 10 }
      }
    ],
    errors: [],
    default: 'local/smol'
  };
  local: ILocal = {
    state: 'missing',
    message: '',
    model: 'smol',
    size: 93e6,
    received: 0
  };
  test: IProviderTest = {
    ok: true,
    models: ['m1', 'm2'],
    error: null
  };
  /** What is found by checks; the others find it out. */
  checks: Partial<Record<Check, Partial<IProviderCheck>>> = {};
  /** Checks wait until it resolves. */
  checking: Promise<void> = Promise.resolve();
  loopback: ILoopbackServer[] = [];
  canAdd = true;
  localModels: ILocalModels = {
    hub: 'https://hub.example',
    engine: true,
    folder: '/data/models',
    free: 20e9,
    memory: 16e9,
    models: []
  };
  /** The requests, in order. */
  calls: [string, ...unknown[]][] = [];

  get api(): TurnbookAPI {
    return this as unknown as TurnbookAPI;
  }

  async listProviders() {
    return {
      providers: this.providers,
      presets: [
        {
          name: 'ollama',
          title: 'Ollama',
          baseUrl: 'http://localhost:11434/v1',
          needsKey: false
        }
      ],
      keyStore: 'the file /data/keys.json, readable by you alone',
      canAdd: this.canAdd
    };
  }

  async putProvider(name: string, input: IProviderInput): Promise<IProvider> {
    this.calls.push(['put', name, input]);
    const before = this.providers.find(one => one.name === name);
    const kept =
      input.key === undefined && before?.baseUrl === input.baseUrl
        ? before.key
        : 'unset';
    const after = provider(name, {
      baseUrl: input.baseUrl,
      key: input.key ? 'set' : kept
    });
    this.providers = [...this.providers.filter(one => one !== before), after];
    return after;
  }

  async deleteProvider(name: string): Promise<void> {
    this.calls.push(['delete', name]);
    this.providers = this.providers.filter(one => one.name !== name);
  }

  async testProvider(
    name: string,
    input: IProviderInput
  ): Promise<IProviderTest> {
    this.calls.push(['test', name, input]);
    return this.test;
  }

  async checkProvider(
    name: string,
    input: IProviderInput,
    model: string,
    check: Check,
    signal: AbortSignal
  ): Promise<IProviderCheck> {
    this.calls.push(['check', name, input, model, check]);
    await this.checking;
    if (signal.aborted) {
      throw new Error('The request was aborted.');
    }
    const found = this.checks[check];
    return { check, model, result: 'yes', error: null, ...found };
  }

  async listLoopback(): Promise<ILoopbackServer[]> {
    this.calls.push(['loopback']);
    return this.loopback;
  }

  async listLocalModels(): Promise<ILocalModels> {
    return this.localModels;
  }

  async listModels(force = false): Promise<IModelList> {
    this.calls.push(['models', force]);
    return this.models;
  }

  async getLocal(): Promise<ILocal> {
    return this.local;
  }

  async fetchLocal(): Promise<ILocal> {
    this.calls.push(['fetch']);
    return (this.local = { ...this.local, state: 'fetching', received: 31e6 });
  }

  async cancelFetchLocal(): Promise<ILocal> {
    this.calls.push(['cancel']);
    return (this.local = { ...this.local, state: 'missing', received: 0 });
  }
}

/** A provider that a user added, unless overridden. */
export function provider(
  name: string,
  change: Partial<IProvider> = {}
): IProvider {
  return {
    name,
    baseUrl: `http://${name}.localhost/v1`,
    key: 'unset',
    source: 'user',
    editable: true,
    models: null,
    continuation: 'instruct',
    reasoning: 'rounds',
    timeouts: {},
    ...change
  };
}

/** Wait until something exists, checking after every turn of the event loop. */
export async function until<T>(
  look: () => T | null | undefined | false,
  what: string
): Promise<T> {
  // Right before the test's own time-out, which would not say what is missing.
  const end = Date.now() + 19_000;
  for (;;) {
    const found = look();
    if (found) {
      return found;
    }
    if (Date.now() > end) {
      throw new Error(`${what} did not come.\n${document.body.innerHTML}`);
    }
    await new Promise(resolve => setTimeout(resolve));
  }
}

/** Type into an input as a user does, so that React notices. */
export function type(input: HTMLInputElement, text: string): void {
  const { set } = Object.getOwnPropertyDescriptor(
    HTMLInputElement.prototype,
    'value'
  )!;
  set!.call(input, text);
  input.dispatchEvent(new Event('input', { bubbles: true }));
}

/** Select an option as a user does. */
export function choose(select: HTMLSelectElement, value: string): void {
  const { set } = Object.getOwnPropertyDescriptor(
    HTMLSelectElement.prototype,
    'value'
  )!;
  set!.call(select, value);
  select.dispatchEvent(new Event('change', { bubbles: true }));
}

/** The button with this accessible name, if any. */
export function button(name: string): HTMLButtonElement | undefined {
  return [...document.querySelectorAll('button')].find(
    one => (one.getAttribute('aria-label') ?? one.textContent) === name
  );
}

/** Click a button as a browser does, once it exists. */
export async function click(name: string): Promise<void> {
  const found = await until(() => button(name), `The button ${name}`);
  found.focus();
  found.click();
}

/** The input that a label with this text belongs to. */
export function field(label: string): HTMLInputElement {
  const found = [...document.querySelectorAll('label')].find(
    one => one.textContent === label
  );
  return document.getElementById(found!.htmlFor) as HTMLInputElement;
}
