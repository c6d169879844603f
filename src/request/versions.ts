import * as Y from 'yjs';

import { trans } from '../base/words';
import { Edits, FOLLOW } from './edits';
import { RequestError } from './errors';
import type {
  IEditedRequest,
  IRequestBase,
  IVersion,
  VersionReason
} from './model';
import { Resolver } from './resolver';
import { baseFromBody } from './sections';
import type { IRule } from './rules';

/** A version and what is needed to open it. */
interface IKept {
  version: IVersion;
  /** The edits of that time in Yjs; null for a version that was stored across a reload. */
  moment: {
    doc: Y.Doc;
    snapshot: Y.Snapshot;
    /** The request before edits at that time. */
    base: IRequestBase;
    rules: readonly IRule[];
  } | null;
  about: Pick<IRequestBase, 'chatId' | 'pair' | 'provider' | 'source'>;
}

/**
 * The numbered versions of a draft. Yjs keeps every edit, so a version costs only its bytes and a
 * Yjs snapshot.
 */
export class Versions {
  constructor(
    private _edits: Edits,
    before?: Versions
  ) {
    this._keep(before?._kept ?? []);
  }

  /** The versions, first to last; the same array until they change. */
  get list(): readonly IVersion[] {
    return this._list;
  }

  /**
   * Save the current edits and the request they make. If the bytes are those of the last version,
   * that one is reused.
   */
  take(
    why: VersionReason,
    request: IEditedRequest,
    at: number,
    rules: readonly IRule[] = []
  ): IVersion {
    const last = this._kept[this._kept.length - 1];
    const { body, hash, base } = request;
    if (last?.version.body === body) {
      return this._again(last, why);
    }
    const n = (last?.version.n ?? 0) + 1;
    const version: IVersion = { n, at, hash, body, why: [why] };
    const moment = {
      doc: this._edits.doc,
      snapshot: Y.snapshot(this._edits.doc),
      base,
      rules
    };
    this._keep([...this._kept, { version, moment, about: base }]);
    return version;
  }

  /** The request as it was in a version. */
  open(n: number): IEditedRequest {
    const kept = this._kept.find(({ version }) => version.n === n);
    if (!kept) {
      throw new RequestError(
        'unknown-section',
        trans.__('There is no version %1.', n)
      );
    }
    const { moment, version, about } = kept;
    if (!moment) {
      return unedited(baseFromBody(version.body, about));
    }
    const doc = Y.createDocFromSnapshot(
      moment.doc,
      moment.snapshot,
      new Y.Doc({ gc: false })
    );
    const resolver = new Resolver(new Edits(doc), moment.base);
    resolver.rules = moment.rules;
    return resolver.request;
  }

  private _again(kept: IKept, why: VersionReason): IVersion {
    const { version } = kept;
    if (!version.why.includes(why)) {
      const again = { ...version, why: [...version.why, why] };
      this._keep([...this._kept.slice(0, -1), { ...kept, version: again }]);
      return again;
    }
    return version;
  }

  /** All edits and versions as bytes. */
  encode(): Uint8Array {
    const state = Y.encodeStateAsUpdate(this._edits.doc);
    const kept = this._kept.map(({ version, about }) => ({
      version,
      about: {
        chatId: about.chatId,
        pair: about.pair,
        provider: about.provider,
        source: about.source
      }
    }));
    const words = new TextEncoder().encode(JSON.stringify(kept));
    const bytes = new Uint8Array(4 + words.length + state.length);
    new DataView(bytes.buffer).setUint32(0, words.length);
    bytes.set(words, 4);
    bytes.set(state, 4 + words.length);
    return bytes;
  }

  /** Load the result of `encode`. */
  decode(bytes: Uint8Array): void {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const length = view.getUint32(0);
    const words = new TextDecoder().decode(bytes.subarray(4, 4 + length));
    this._keep(
      (JSON.parse(words) as IKept[]).map(({ version, about }) => ({
        // Earlier versions stored a single reason.
        version: { ...version, why: [version.why].flat() },
        about,
        moment: null
      }))
    );
    Y.applyUpdate(this._edits.doc, bytes.subarray(4 + length), FOLLOW);
  }

  /** Drafts that continue each other share this list, so it is never changed in place. */
  private _keep(kept: readonly IKept[]): void {
    this._kept = kept;
    this._list = kept.map(({ version }) => version);
  }

  private _kept!: readonly IKept[];
  private _list!: readonly IVersion[];
}

/** A request as it is without any edit. */
export function unedited(base: IRequestBase): IEditedRequest {
  return new Resolver(new Edits(), base).request;
}
