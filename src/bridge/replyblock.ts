import type { TranslationBundle } from '@jupyterlab/translation';

import type { PairCell } from '../chat/cells/cell';
import type { ChatPanel } from '../chat/panel';
import { siblingsOf } from '../document/siblings';
import type { ICodeBlock } from './codeaction';
import { codeTexts, matchBlocks, type ICodeText } from './codetexts';

/** A part of a reply that is shown, and the frames of its code blocks. */
export interface IShownReply {
  panel: ChatPanel;
  cell: PairCell;
  /** The run that made it. */
  run: string;
  /** The Markdown that is shown. */
  source: string;
  /** The frames, in order. */
  shown: readonly HTMLElement[];
  trans: TranslationBundle;
}

/**
 * The blocks of a reply that is shown.
 *
 * Their texts are those of the reply's source and not of the page. They are looked for when the
 * first of them is needed, since most are only read.
 */
export function blocksOf(reply: IShownReply): ICodeBlock[] {
  let found: (ICodeText | null)[] | null = null;
  const find = () => {
    const texts = reply.shown.map(
      frame => frame.querySelector('pre')?.textContent ?? ''
    );
    return (found ??= matchBlocks(texts, codeTexts(reply.source)));
  };
  return reply.shown.map(
    (frame, index) => new ReplyBlock(reply, frame, () => find()[index])
  );
}

/** The run whose reply is shown at a place of a pair. */
export function runAt(cell: PairCell, place: HTMLElement): string {
  const column = place.closest<HTMLElement>('[data-turnbook-sibling]');
  const index = Number(column?.dataset.turnbookSibling);
  const sibling =
    column && siblingsOf(cell.pair).find(one => one.index === index);
  return (
    sibling?.info.runId ?? cell.live?.run.id ?? cell.pair.reply?.runId ?? ''
  );
}

class ReplyBlock implements ICodeBlock {
  constructor(
    private _reply: IShownReply,
    frame: HTMLElement,
    private _find: () => ICodeText | null
  ) {
    this.language = frame.dataset.language ?? '';
    this.pair = _reply.cell.model.id;
    this.run = _reply.run;
  }

  readonly language: string;
  readonly pair: string;
  readonly run: string;

  get chat(): ICodeBlock['chat'] {
    const { context, session } = this._reply.panel;
    return { path: context.path, chatId: session.info?.chatId ?? '' };
  }

  get text(): string {
    const found = this._find();
    if (!found) {
      const { trans } = this._reply;
      throw new Error(
        trans.__(
          'This block is not written as code in the reply. Use Copy instead.'
        )
      );
    }
    return found.text;
  }
}
