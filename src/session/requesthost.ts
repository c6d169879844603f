import type { ISharedNotebook } from '@jupyter/ydoc';
import type { PartialJSONObject } from '@lumino/coreutils';

import { isObject } from '../base/json';
import type { ContextModel } from '../context/contextmodel';
import { idsOf, type IContext } from '../context/gather';
import type { IAttachment } from '../document/attachments';
import { Pair } from '../document/pair';
import { debugName, turnOf } from '../request/name';
import type { ISentPair } from '../request/past';
import type { ChatRequests } from '../request/requests';
import { NO_EVENTS } from '../runs/polling';
import { ApiError, type TurnbookAPI } from '../runs/api';
import type { ChatAbout } from './about';
import type { Draft } from './draft';
import { isFreeReplayed, unsentInfo } from './replayedpair';

/**
 * What the requests of a chat are made from: its document, composer and filter, and the journal.
 */
export class RequestHost implements ChatRequests.IHost {
  constructor(private _options: RequestHost.IOptions) {}

  chatId(): string {
    return this._options.about.chatId;
  }

  model(): string {
    return this._options.about.model;
  }

  entry(): PartialJSONObject | undefined {
    return this._options.about.entry;
  }

  message(): Draft {
    return this._options.draft;
  }

  gather(text: string, before?: string): IContext & { trimmed: number } {
    const { context, draft } = this._options;
    const attachments =
      before === undefined ? draft.attachments : this._attachments(before);
    return context.gather({ text, attachments }, before);
  }

  debugName(pair: string): string {
    const { context, path } = this._options;
    return debugName(path(), turnOf(context.records, pair));
  }

  sentPair(id: string): ISentPair | null {
    const { about, context, notebook } = this._options;
    const pair = Pair.find(notebook, id);
    const sent = pair?.run;
    if (!pair || !(sent || isFreeReplayed(notebook, pair.cell))) {
      return null;
    }
    const info = sent ?? unsentInfo(notebook, id, about.model);
    const order = notebook.cells.map(one => one.getId());
    return {
      id,
      info,
      context: context.gatherCells(idsOf(info.context, order), {
        text: pair.source,
        attachments: this._attachments(id)
      }),
      record: readRecord(about.entry)
    };
  }

  /** The bytes of a run; null if the journal no longer has them. */
  async journalBytes(id: string): Promise<Uint8Array | null> {
    try {
      return await this._options.api.getRequest(id);
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) {
        return null;
      }
      throw error;
    }
  }

  private _attachments(id: string): readonly IAttachment[] {
    return Pair.find(this._options.notebook, id)?.text.attachments ?? [];
  }

  /**
   * The request of a reply, as text; null if the journal no longer has it.
   *
   * A reply that took several attempts was asked for by the first: the others have a part of it.
   */
  async firstRequest(runId: string): Promise<string | null> {
    const { api } = this._options;
    let { run } = await api.getRun(runId, NO_EVENTS);
    while (run.continues !== null) {
      ({ run } = await api.getRun(run.continues, NO_EVENTS));
    }
    const bytes = await this.journalBytes(run.id);
    return bytes && new TextDecoder().decode(bytes);
  }

  /** A pair's last request without its messages: its tools still apply. */
  async frameOf(runId: string | undefined): Promise<PartialJSONObject | null> {
    const bytes = runId ? await this.journalBytes(runId) : null;
    const body: unknown = bytes && JSON.parse(new TextDecoder().decode(bytes));
    return isObject(body) ? { ...body, messages: null } : null;
  }
}

/**
 * The namespace for `RequestHost` statics.
 */
export namespace RequestHost {
  export interface IOptions {
    about: ChatAbout;
    api: Pick<TurnbookAPI, 'getRequest' | 'getRun'>;
    context: ContextModel;
    draft: Draft;
    notebook: ISharedNotebook;
    /** The path of the file. */
    path: () => string;
  }
}

/** A request stored in the document itself. */
function readRecord(value: unknown): ISentPair['record'] {
  const record = isObject(value) ? value.record : null;
  return isObject(record) &&
    typeof record.payload === 'string' &&
    typeof record.hash === 'string'
    ? { payload: record.payload, hash: record.hash }
    : null;
}
