/** Made by `make types` from jupyterlab_turnbook/openapi.yaml; change that instead. */
import type { ICodeCell } from '@jupyterlab/nbformat';

export interface components {
  schemas: {
    Uuid: string;
    /** @description A chat is named by a UUID and by nothing else. */
    ChatId: components['schemas']['Uuid'];
    /**
     * @description Path below the server root, without a drive name. It has no empty part, no `.` or `..`, and no control
     *     character.
     */
    Path: string;
    Error: {
      code: string;
      message: string;
      run?: components['schemas']['Run'] | null;
    };
    /** @enum {string} */
    RunState:
      | 'claimed'
      | 'sending'
      | 'streaming'
      | 'done'
      | 'failed'
      | 'stopped'
      | 'interrupted'
      | 'unknown';
    /** @description A code cell as nbformat JSON. */
    Cell: ICodeCell;
    NewRun: {
      id: components['schemas']['Uuid'];
      chat: components['schemas']['ChatId'];
      /** @description The cell's id. */
      pair: string;
      /** @description The pair's cell; re-inserted if the notebook never was saved. */
      cell: components['schemas']['Cell'];
      /** @description Id of the cell before it; null for the first. */
      after: string | null;
      provider: string;
      /** @description The request body; sent as these UTF-8 bytes. */
      body: string;
      /**
       * @description Whether the pair may have runs already; this one then is its next attempt.
       * @default false
       */
      resend?: boolean;
      /**
       * @description Whether the server may retry this turn by itself; becomes `turn.auto`.
       * @default true
       */
      autoRetry?: boolean;
      /**
       * @description The sha256 that the page made of `body`. It is kept beside the server's own; if they differ the run is sent
       *     all the same, both can be seen (`hash`, `pageHash`), and the event `parity-mismatch` is emitted.
       */
      requestHash?: string;
      draft?: components['schemas']['DraftCounts'];
      /**
       * @description Set if several replies to the message are asked for: what these siblings share. The chat's lock lets those of
       *     one group be alive at the same time.
       */
      group?: components['schemas']['Uuid'];
      sibling?: components['schemas']['SiblingNumber'];
      /** @description The other siblings. They are claimed with this one, all or none. */
      siblings?: {
        id: components['schemas']['Uuid'];
        sibling: components['schemas']['SiblingNumber'];
        provider: string;
        body: string;
        requestHash: string;
      }[];
    };
    /** @description Which reply to its message a run is, if there are several. Each has its own attempts and retries. */
    SiblingNumber: number;
    /**
     * @description An event that a page may emit; `docs/events.md` says what each carries.
     * @enum {string}
     */
    EventName:
      | 'intercept'
      | 'resume'
      | 'apply'
      | 'fallback'
      | 'parity-mismatch'
      | 'replay'
      | 'start-chatting'
      | 'stale'
      | 'restore';
    /**
     * @description What a message of a request is to the user.
     * @enum {string}
     */
    SectionKind: 'system' | 'context' | 'history' | 'tool' | 'user';
    /** @description What the draft of a request was like; told in events and nowhere kept. */
    DraftCounts: {
      /** @description How many sections of each kind, and how many options and metadata the draft changes. */
      sections?: {
        system?: number;
        context?: number;
        history?: number;
        tool?: number;
        user?: number;
        options?: number;
        metadata?: number;
      };
      edited?: number;
      deleted?: number;
      version?: number;
      /** @description What people call the request: the chat's title and the turn. */
      debugName?: string;
    };
    /** @enum {string} */
    GoesOn: 'prefill' | 'instruct';
    Run: {
      /** Format: uuid */
      id: string;
      chat: string;
      pair: string;
      attempt: number;
      provider: string;
      model: string;
      state: components['schemas']['RunState'];
      /** @description sha256 of the bytes put on the wire. */
      hash: string;
      size: number;
      createdAt: number;
      updatedAt: number;
      /** @description Number of the last event. */
      events: number;
      end: components['schemas']['Outcome'] | null;
      /**
       * @description The run whose partial reply this one goes on from. The reply is the texts of both joined: what this one
       *     repeats of the end is in it once, and a text that begins again replaces the partial.
       */
      continues: string | null;
      /**
       * @description The run whose partial reply (and what it continued) this one begins anew instead of going on from it; that
       *     partial becomes a version of the pair.
       */
      replaces: string | null;
      /** @description How the provider was asked to go on; null for a run that continues none. */
      goesOn: components['schemas']['GoesOn'] | null;
      /** @description Whether the server began it by itself. */
      automatic: boolean;
      /** @description The sha256 that the page made of the body it posted, if it told one. */
      pageHash: string | null;
      landed: boolean;
      dropped: boolean;
      cell: components['schemas']['Cell'];
      /** @description True if `cell` lacks large outputs, such as pictures; `GET runs/{id}/cell` has all of them. Absent if it is whole. */
      cellCut?: boolean;
      after: string | null;
      turn: components['schemas']['TurnState'];
      /** @description What the siblings of a pair share. Absent for a single reply. */
      group?: string;
      sibling?: components['schemas']['SiblingNumber'];
      /** @description The other siblings, in the answer to their claim alone. */
      siblings?: components['schemas']['Run'][];
    };
    /** @description The retry state that all attempts of one pair share; of siblings, those of one. */
    TurnState: {
      auto: boolean;
      /** @description When the server will start the next attempt; null if it will not. */
      retryAt: number | null;
      /** @description Failed attempts since a stream ended well. */
      failures: number;
      /** @description Changes with every decision of the user. */
      generation: number;
      /** @description Why the server will not go on by itself. */
      paused: string | null;
    };
    Turn: {
      chat: string;
      pair: string;
      turn: components['schemas']['TurnState'];
      run: components['schemas']['Run'];
    };
    Attempt: {
      run: components['schemas']['Run'];
      /** @description The tokens as the provider counted them in the stream; null if it did not. */
      usage: {
        [key: string]: unknown;
      } | null;
    };
    /** @description Every attempt of a pair, first to last. */
    Attempts: {
      chat: string;
      pair: string;
      turn: components['schemas']['TurnState'];
      attempts: components['schemas']['Attempt'][];
    };
    /**
     * @description The kind of an error, which decides what helps against it.
     * @enum {string}
     */
    ErrorType: 'auth' | 'rate' | 'network' | 'server' | 'unknown';
    /** @description How a run ended. */
    Outcome: {
      /** @description null when it went well or was stopped. */
      type: components['schemas']['ErrorType'] | null;
      /** @description What the provider calls it, or one of Turnbook's own; `image_unsupported` means that the model takes no images. */
      code: string | null;
      /** @description HTTP status, where there was one. */
      status: number | null;
      message: string;
      /** @description Seconds. */
      retryAfter: number | null;
      /** @description The provider's finish_reason. */
      finish: string | null;
    };
    /** @description Either a chunk (`data`) or, last, the end (`end` and `state`). Numbered from 1 without gaps. */
    Event: {
      n: number;
      /** @description One server-sent event's data as the provider wrote it. */
      data?: string;
      end?: components['schemas']['Outcome'];
      state?: components['schemas']['RunState'];
    };
    /** @description What a provider answered. Times are milliseconds since the request left; what an older version did not record is null. */
    Response: {
      run: string;
      state: components['schemas']['RunState'];
      end: components['schemas']['Outcome'] | null;
      /** @description When the request left, since 1970. */
      sentAt: number | null;
      /** @description HTTP status. */
      status: number | null;
      /** @description Headers that help to understand the response, with names in lower case; keys are redacted. */
      headers: {
        [key: string]: string;
      };
      /** @description When the status came. */
      answered: number | null;
      /** @description When the last byte came. */
      ended: number | null;
      /** @description Bytes of the body as they came; null until it ended. */
      size: number | null;
      /** @description sha256 of the body as it came; null until it ended. */
      hash: string | null;
      /** @description Whether `GET runs/{id}/response/bytes` has the body. */
      exact: boolean;
      /**
       * @description Why it has not: nothing came, more may come, the server stopped before the end, a key in it was redacted, it is
       *     no stream whose bytes can be told from its events, it was compressed and so not read, or an older version
       *     recorded it.
       */
      missing: components['schemas']['MissingBytes'] | null;
      events: {
        n: number;
        at: number | null;
        /** @description One server-sent event's data as the provider wrote it. */
        data: string;
      }[];
    };
    /** @enum {string} */
    MissingBytes:
      | 'no-answer'
      | 'under-way'
      | 'server-stopped'
      | 'redacted'
      | 'malformed'
      | 'compressed'
      | 'not-recorded';
    Opening: {
      path: components['schemas']['Path'];
      /** @description The path of which the page knows that it became `path`, since it had the file open there. */
      from?: components['schemas']['Path'];
      /**
       * @description The user's answer to `unclaimed`: this file is the chat and takes its replies, or it is a copy.
       * @enum {string}
       */
      claim?: 'take' | 'copy';
    };
    Chat: {
      chatId: components['schemas']['ChatId'];
      path: string;
      /** @enum {string} */
      status: 'new' | 'known' | 'renamed' | 'copy' | 'unclaimed';
      copiedFrom: string | null;
      /** @description Of `unclaimed`: how many replies no saved notebook has. */
      unlanded: number;
    };
    Journal: {
      file: string;
      /** @description The kind of network disk that the file is on, such as `nfs4`, where one server at a time can use it; null if it is on a local disk. */
      networkDisk: string | null;
      version: number;
      bytes: number;
      /** @description 0 stands for no limit. */
      maxBytes: number;
      /** @description 0 stands for no limit. */
      maxAgeDays: number;
      damaged: components['schemas']['Damage'][];
      /** @description Journals that were damaged, oldest first. Each was replaced by a new one with what could be read of it, and is kept until the user deletes it. */
      setAside: {
        file: string;
        bytes: number;
      }[];
    };
    /** @description What the runs of a model took on one day. Those whose price the provider said are apart from those whose price it did not. null is unknown; a sum is of the runs for which the provider reported that number. */
    DayUsage: {
      /** @description When the day began. */
      start: number;
      provider: string;
      model: string;
      /** @description Runs that may have been billed. */
      runs: number;
      /** @description Those of which the provider did not report the tokens. */
      unknown: number;
      input: number | null;
      /** @description The part of the input that was read from a cache. */
      cached: number | null;
      output: number | null;
      /** @description Dollars, as the provider said; null if it did not. */
      cost: number | null;
    };
    /** @description A run whose record cannot be read. It was set apart; other routes answer 410 `damaged` for it. */
    Damage: {
      id: string;
      chat: string;
      pair: string;
      attempt: number;
      why: string;
      /** @description What can be read of its reply. */
      text: string;
    };
    FileCheck: {
      /** @enum {string} */
      kind: 'file' | 'missing' | 'outside' | 'hidden' | 'special';
    };
    Reading: {
      hash: string | null;
      trusted: boolean;
    };
    KnownChat: {
      chatId: string;
      /** @description Where its file was last seen; null if nobody told. */
      path: string | null;
      /** @description Whether a file is there. */
      exists: boolean;
    };
    /** @description Seconds. */
    Timeouts: {
      connect?: number;
      first_byte?: number;
      between_bytes?: number;
    };
    /** @enum {string} */
    Continuation: 'prefill' | 'instruct' | 'restart';
    /**
     * @description Of which turns the model's reasoning is sent back to the provider: of none, of those with tool calls (the
     *     default), or of all.
     * @enum {string}
     */
    Reasoning: 'never' | 'rounds' | 'always';
    Provider: {
      name: string;
      baseUrl: string;
      /** @enum {string} */
      key: 'set' | 'unset';
      /** @enum {string} */
      source: 'local' | 'config' | 'environment' | 'user';
      editable: boolean;
      /** @description A fixed list, or null to ask the provider. */
      models: string[] | null;
      continuation: components['schemas']['Continuation'];
      reasoning: components['schemas']['Reasoning'];
      timeouts: components['schemas']['Timeouts'];
    };
    ProviderInput: {
      baseUrl: string;
      /** @description Absent keeps the stored key, null removes it. */
      key?: string | null;
      models?: string[] | null;
      continuation?: components['schemas']['Continuation'];
      reasoning?: components['schemas']['Reasoning'];
      timeouts?: components['schemas']['Timeouts'];
    };
    /** @enum {string} */
    Check: 'streaming' | 'tools' | 'images' | 'reasoning' | 'prefill';
    ProviderCheckInput: {
      baseUrl: string;
      key?: string | null;
      models?: string[] | null;
      continuation?: components['schemas']['Continuation'];
      reasoning?: components['schemas']['Reasoning'];
      timeouts?: components['schemas']['Timeouts'];
      /** @description The model to try. */
      model: string;
      check: components['schemas']['Check'];
    };
    ProviderCheck: {
      check: components['schemas']['Check'];
      model: string;
      /**
       * @description no = the model ignored what was asked for, or the provider refused it; failed = it could not be found out.
       * @enum {string}
       */
      result: 'yes' | 'no' | 'failed';
      /** @description What the provider said if it refused, or why it could not be found out. */
      error: components['schemas']['Outcome'] | null;
    };
    ProviderTest: {
      ok: boolean;
      models: string[];
      error: components['schemas']['Outcome'] | null;
    };
    LoopbackServer: {
      /** @description A name that no provider has. */
      name: string;
      /** @description What is known to use that port. */
      title: string;
      baseUrl: string;
      /** @description Its first model, those for chats first. */
      model: string | null;
      /** @description How many models it has. */
      count: number;
    };
    Preset: {
      name: string;
      title: string;
      baseUrl: string;
      needsKey: boolean;
    };
    ProviderList: {
      providers: components['schemas']['Provider'][];
      presets: components['schemas']['Preset'][];
      /** @description Where new keys are kept, in words for the user. */
      keyStore: string;
      /** @description Whether this user may add providers and change those added. */
      canAdd: boolean;
    };
    Model: {
      /** @description provider/model */
      id: string;
      provider: string;
      model: string;
      /** @description Context window in tokens, where the provider tells. */
      window: number | null;
      /** @description US dollars for a million tokens; null where nobody tells, which does not mean that it is free. */
      price: components['schemas']['Price'] | null;
    };
    Price: {
      input: number;
      output: number;
      /** @description For tokens read from the provider's cache, where known. */
      cached?: number;
      /**
       * @description The provider's own list of models, or the list in the package genai-prices.
       * @enum {string}
       */
      source?: 'provider' | 'genai-prices';
      /**
       * Format: date
       * @description The date of that list, where known.
       */
      asOf?: string;
    };
    ModelList: {
      /** @description The names of all providers, also of those that list no models. */
      providers: string[];
      models: components['schemas']['Model'][];
      errors: {
        provider: string;
        error: components['schemas']['Outcome'];
      }[];
      /** @description provider/model for new chats. */
      default: string;
      /** @description The `reasoning` of each provider in `providers`. */
      reasoning?: {
        [key: string]: components['schemas']['Reasoning'];
      };
    };
    Local: {
      /**
       * @description ready = on disk and not started.
       * @enum {string}
       */
      state:
        'missing' | 'fetching' | 'ready' | 'starting' | 'running' | 'failed';
      /** @description For the user; with `failed`, what to do. */
      message: string;
      model: string;
      /** @description Bytes to fetch in all. */
      size: number;
      received: number;
    };
    LocalModels: {
      /** @description Whether the package that runs them is installed. */
      engine: boolean;
      /** @description Where they come from; empty if this server offers no downloads. */
      hub: string;
      /** @description Where their files are. */
      folder: string;
      /** @description Bytes free on that disk. */
      free: number | null;
      /** @description Bytes of memory of the machine. */
      memory: number | null;
      models: components['schemas']['LocalModel'][];
    };
    LocalModel: {
      /** @description Its name as a model of the provider `local`. */
      name: string;
      parameters: string;
      /** @description Where the hub describes it. */
      page: string;
      /** @description Bytes to download. */
      size: number;
      /** @description Bytes of memory that it needs to run. */
      memory: number;
      /** @description Whether the machine has that much. */
      fits: boolean;
      license: string;
      /**
       * @description partial = a download was stopped or failed; what arrived is kept.
       * @enum {string}
       */
      state: 'absent' | 'partial' | 'downloading' | 'checking' | 'ready';
      received: number;
      /** @description Why the last download failed and what to do; empty if it did not. */
      message: string;
    };
    RerunWish: {
      source: components['schemas']['RerunSource'];
      /** @description As provider/model; with none, each record goes to the model that it was made with. */
      models: string[];
      repeats: number;
      /** @description Values to replace or to add, each as `path=value`. */
      set: string[];
      /** @description The user's own prices, by provider/model, in US dollars for a million tokens. */
      prices: {
        [key: string]: {
          input: number;
          output: number;
        };
      };
      maxRequests: number | null;
      /** @description US dollars. */
      maxCost: number | null;
      /** @description The results notebook; without it, a new one beside the records. */
      out?: components['schemas']['Path'];
    };
    NewRerun: {
      wish: components['schemas']['RerunWish'];
      /** @description `plan` of the preview that the user saw. */
      plan: string;
    };
    /** @description What is rerun; one key tells which. */
    RerunSource:
      | {
          /** @description Records, and folders with records. */
          paths: components['schemas']['Path'][];
        }
      | {
          chat: components['schemas']['Path'];
          /** @description The ids of pairs; their records are made from the saved chat and the journal. */
          pairs: string[];
        }
      | {
          /** @description The chat that they come from. */
          beside: components['schemas']['Path'];
          /** @description The notebooks of records that are not files yet. */
          records: Record<string, never>[];
        };
    RerunPreview: {
      /** @description Names what would be sent; empty if nothing can be. */
      plan: string;
      /** @description Why it cannot be started; empty if it can. */
      problem: string;
      records: {
        name: string;
        /** @description The model that it was made with, as provider/model. */
        model: string;
      }[];
      /** @description What would be left out, and why. */
      refused: {
        name: string;
        why: string;
      }[];
      /** @description Where records would be written first; null if they are files already. */
      folder: string | null;
      /** @description The results notebook. */
      out: string;
      /** @description Whether there are such results already. */
      replaces: boolean;
      /** @description How many would be sent. */
      requests: number;
      /** @description How many replies the store has already. */
      had: number;
      models: {
        model: string;
        requests: number;
        inputTokens: number;
        /** @description null if it is not known. */
        outputTokens: number | null;
        /** @description US dollars; null if the price is not known. */
        cost: number | null;
      }[];
    };
    /**
     * @description ending = it sends nothing more and waits for what is under way; incomplete = some replies are missing;
     *     interrupted = the server ended before the rerun did.
     * @enum {string}
     */
    RerunState:
      | 'running'
      | 'ending'
      | 'done'
      | 'incomplete'
      | 'stopped'
      | 'interrupted'
      | 'failed';
    Rerun: {
      id: components['schemas']['Uuid'];
      state: components['schemas']['RerunState'];
      out: string;
      /** @description Where its records were written; null if they were files already. */
      folder: string | null;
      records: number;
      models: string[];
      repeats: number;
      set: string[];
      maxRequests: number | null;
      maxCost: number | null;
      createdAt: number;
      /** @description Whether another Jupyter server sends it. */
      elsewhere: boolean;
      /** @description How many replies are wanted. */
      total: number;
      done: number;
      broken: number;
      unknown: number;
      /** @description How many were refused last and may be sent again. */
      refused: number;
      underWay: number;
      /** @description Replies in a second. */
      rate: number;
      /** @description US dollars so far, of the replies whose price is known. */
      cost: number;
      /** @description How many replies have no known price. */
      unpriced: number;
      /** @description null if it is not known. */
      secondsLeft: number | null;
      /** @description What stopped, and why. */
      notes: string[];
      /** @description Why it failed and what to do; empty if it did not. */
      message: string;
      /** @description When the results were written last; null if there are none. */
      writtenAt: number | null;
    };
    /** @description What the browser may send on the stream; one key tells which. */
    ClientMessage:
      | {
          subscribe: components['schemas']['Uuid'];
          /** @default 0 */
          after?: number;
          /**
           * @description Whether several events may come in one message.
           * @default false
           */
          batch?: boolean;
          /**
           * @description Whether the events of several runs may come in one message.
           * @default false
           */
          gather?: boolean;
        }
      | {
          unsubscribe: components['schemas']['Uuid'];
        }
      | {
          watch: components['schemas']['ChatId'];
        }
      | {
          unwatch: components['schemas']['ChatId'];
        }
      | {
          send: components['schemas']['NewRun'];
        }
      | {
          prepare: string;
        }
      | {
          watchAll: boolean;
        }
      | {
          ping: number;
        }
      | {
          pong: number;
        };
    /** @description What the server may send on the stream. */
    ServerMessage:
      | {
          status: components['schemas']['Run'];
        }
      | {
          run: string;
          event: components['schemas']['Event'];
        }
      | {
          run: string;
          events: components['schemas']['Event'][];
        }
      | {
          gathered: {
            run: string;
            events: components['schemas']['Event'][];
          }[];
        }
      | {
          chat: string;
          runs: components['schemas']['Run'][];
        }
      | {
          allRuns: components['schemas']['Run'][];
        }
      | {
          sent: components['schemas']['Run'];
        }
      | {
          refused: components['schemas']['Error'];
          /** @description The status of `POST runs` in this case. */
          httpStatus: number;
          /** @description The id in the message. */
          run: string;
        }
      | {
          chat: string;
          changed: components['schemas']['Run'];
        }
      | {
          error: components['schemas']['Error'];
          run?: string;
        }
      | {
          /** @description The server's clock. */
          ping: number;
        }
      | {
          pong: number;
        };
  };
  responses: never;
  parameters: never;
  requestBodies: never;
  headers: never;
  pathItems: never;
}

/** The values of each schema that is a list of words, in its order. */
export const VALUES = {
  RunState: [
    'claimed',
    'sending',
    'streaming',
    'done',
    'failed',
    'stopped',
    'interrupted',
    'unknown'
  ],
  EventName: [
    'intercept',
    'resume',
    'apply',
    'fallback',
    'parity-mismatch',
    'replay',
    'start-chatting',
    'stale',
    'restore'
  ],
  SectionKind: ['system', 'context', 'history', 'tool', 'user'],
  GoesOn: ['prefill', 'instruct'],
  ErrorType: ['auth', 'rate', 'network', 'server', 'unknown'],
  MissingBytes: [
    'no-answer',
    'under-way',
    'server-stopped',
    'redacted',
    'malformed',
    'compressed',
    'not-recorded'
  ],
  Continuation: ['prefill', 'instruct', 'restart'],
  Reasoning: ['never', 'rounds', 'always'],
  Check: ['streaming', 'tools', 'images', 'reasoning', 'prefill'],
  RerunState: [
    'running',
    'ending',
    'done',
    'incomplete',
    'stopped',
    'interrupted',
    'failed'
  ]
} as const;
