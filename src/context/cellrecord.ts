import type { CellChange, ISharedCell } from '@jupyter/ydoc';
import type { IDisposable } from '@lumino/disposable';
import type { ISignal } from '@lumino/signaling';

import { isObject } from '../base/json';
import type { IMessage } from '../base/message';
import { readShownText, type IPairText } from '../document/messages';
import { isUnderWay } from '../document/lifecycle';
import type { PairState } from '../document/metadata';
import { Pair } from '../document/pair';
import { isReplyImage } from '../document/replyimages';
import { openCalls, TOOL_MIME } from '../document/rounds';
import { siblingsOf, type ISibling } from '../document/siblings';
import { sentRuns, type ISentRun } from '../document/sentruns';
import { takenBy, type ITaken } from '../document/usagetotals';
import type { IFilterPair } from '../filter/predicate';
import { readCell } from './cell';
import type { ContextCell } from './gather';

/** One cell, read lazily and again after it changed. */
export class CellRecord implements IFilterPair, IDisposable {
  constructor(
    readonly shared: ISharedCell,
    private _host: {
      changed: () => void;
      isNew: (id: string) => boolean;
      tokens: (cell: ContextCell) => number;
    }
  ) {
    this.id = shared.getId();
    this.kind = KINDS[shared.cell_type] ?? 'note';
    changesOf(shared).connect(this._onChanged, this);
  }

  readonly id: string;
  readonly kind: 'pair' | 'system' | 'note';

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  /** The cell as the context reads it; the same object until the cell changes. */
  get cell(): ContextCell {
    return this._facts().cell;
  }
  /** What a pair shows, with the parts that are not sent. */
  get shown(): IPairText {
    return this._facts().shown;
  }
  /** The same for each of several replies, in their order. */
  get said(): readonly IPairText[] {
    const { shown, siblings } = this._facts();
    return siblings.length
      ? siblings.map(({ place, slot }) =>
          place === null ? shown : readShownText(shown.user, slot.parts)
        )
      : [shown];
  }
  get topic(): string {
    return this._facts().topic;
  }
  get model(): string {
    return this._facts().model;
  }
  get otherModels(): readonly string[] {
    return this._facts().otherModels;
  }
  get star(): number {
    return this._facts().star;
  }
  get in(): boolean {
    return this._facts().in;
  }
  get state(): PairState {
    return this._facts().state;
  }
  get edited(): boolean {
    return this.versions > 0;
  }
  get isNew(): boolean {
    return this._host.isNew(this.id);
  }
  get user(): string {
    return this._facts().user;
  }
  get reply(): string {
    return this._facts().reply;
  }
  get hasTool(): boolean {
    return this._facts().hasTool;
  }
  /** The number of tool calls without a result. */
  get openCalls(): number {
    return this._facts().openCalls;
  }
  get hasCode(): boolean {
    return /```|~~~|<code/.test(this.reply) || /```|~~~/.test(this.user);
  }
  get hasImage(): boolean {
    return /!\[|<img/i.test(this.reply) || this._facts().hasImage;
  }
  get hasUnsent(): boolean {
    return this._facts().hasUnsent;
  }
  get versions(): number {
    return this._facts().versions;
  }
  get createdAt(): number {
    return this._facts().createdAt;
  }
  get tokens(): number {
    return this._host.tokens(this.cell);
  }
  /** What each of its runs took; the same object until the cell changes. */
  get taken(): ReadonlyMap<string, ITaken> {
    if (!this._taken) {
      const pair = Pair.of(this.shared);
      this._taken = pair ? takenBy(pair) : new Map<string, ITaken>();
    }
    return this._taken;
  }
  /** Its requests that a provider may have read; the same list until the cell changes. */
  get sent(): readonly ISentRun[] {
    if (!this._sent) {
      const pair = Pair.of(this.shared);
      this._sent = pair ? sentRuns(pair) : [];
    }
    return this._sent;
  }
  /** Whether it is the empty cell that JupyterLab adds to a notebook, and not a pair yet. */
  get isSpare(): boolean {
    return this._facts().isSpare;
  }

  dispose(): void {
    if (this._isDisposed) {
      return;
    }
    this._isDisposed = true;
    changesOf(this.shared).disconnect(this._onChanged, this);
  }

  private _onChanged(): void {
    this._cached = null;
    this._sent = null;
    this._taken = null;
    this._host.changed();
  }

  private _facts(): IFacts {
    this._cached ??= readFacts(this.shared, this.id);
    return this._cached;
  }

  private _cached: IFacts | null = null;
  private _isDisposed = false;
  private _sent: readonly ISentRun[] | null = null;
  private _taken: ReadonlyMap<string, ITaken> | null = null;
}

interface IFacts {
  cell: ContextCell;
  topic: string;
  model: string;
  otherModels: readonly string[];
  star: number;
  in: boolean;
  state: PairState;
  user: string;
  reply: string;
  hasTool: boolean;
  openCalls: number;
  hasImage: boolean;
  hasUnsent: boolean;
  shown: IPairText;
  siblings: readonly ISibling[];
  versions: number;
  createdAt: number;
  isSpare: boolean;
}

const KINDS: Record<string, 'pair' | 'system' | 'note'> = {
  code: 'pair',
  raw: 'system',
  markdown: 'note'
};

const PLAIN = {
  topic: '',
  model: '',
  otherModels: [],
  star: 0,
  in: true,
  state: 'idle' as PairState,
  user: '',
  reply: '',
  hasTool: false,
  openCalls: 0,
  hasImage: false,
  hasUnsent: false,
  shown: { user: '', reply: '' },
  siblings: [],
  versions: 0,
  createdAt: NaN,
  isSpare: false
};

function readFacts(shared: ISharedCell, id: string): IFacts {
  const pair = Pair.of(shared);
  const outputs = pair?.parts ?? [];
  const cell = readCell({
    id,
    cell_type: shared.cell_type,
    source: shared.getSource(),
    metadata: shared.getMetadata(),
    outputs
  });
  if (!pair || cell.kind !== 'pair') {
    return { ...PLAIN, cell };
  }
  const { state, isWithheld = false } = cell;
  const shown = isWithheld ? readShownText(cell.user, outputs) : cell;
  const { user, reply } = shown;
  const { run, marks, versions, isSpare } = pair;
  const siblings = run?.group ? siblingsOf(pair) : [];
  const others = siblings.filter(({ place }) => place !== null);
  const types = outputs.flatMap(output => Object.keys(output.data ?? {}));
  return {
    ...marks,
    cell,
    model: run?.model ?? '',
    otherModels: others.map(({ info }) => info.model),
    state: others.some(({ info }) => isUnderWay(info.state))
      ? 'awaiting'
      : state,
    user,
    reply,
    hasTool: types.includes(TOOL_MIME),
    openCalls: cell.messages
      ? 0
      : (cell.rounds ?? []).flatMap(openCalls).length,
    hasImage:
      types.some(type => type.startsWith('image/')) ||
      outputs.some(isReplyImage) ||
      (cell.messages ?? []).some(({ content }) => hasImagePart(content)),
    hasUnsent: isWithheld,
    shown,
    siblings,
    versions: versions.length - others.length,
    createdAt: run?.createdAt || NaN,
    isSpare
  };
}

/** Whether the content of a stored message has an image. */
function hasImagePart(content: IMessage['content']): boolean {
  return (
    Array.isArray(content) &&
    content.some(part => isObject(part) && part.type === 'image_url')
  );
}

/** The signals of different kinds of cells have types that cannot be connected to as one. */
function changesOf(cell: ISharedCell): ISignal<ISharedCell, CellChange> {
  return cell.changed;
}
