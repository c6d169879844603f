import { CodeCell } from '@jupyterlab/cells';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { PanelLayout, Widget } from '@lumino/widgets';

import { Pair } from '../../document/pair';
import { ignoreEditable } from '../../labpatch/editablesync';
import {
  learnFrom,
  showOutputs,
  withoutOutputs
} from '../../labpatch/lateoutputs';
import { StreamingMarkdown } from '../../render/streaming';
import { wordsIn } from '../../ui/translation';
import { filteredCell } from './filteredcell';

/** A code cell that shows a pair: marks of the plain notebook mean nothing, and parts can be added. */
export class PairCellBase extends filteredCell(CodeCell) {
  constructor(options: CodeCell.IOptions) {
    super(withoutOutputs(options));
    learnFrom(this);
  }

  override get isHidden(): boolean {
    return super.isHidden || this.isSpare;
  }

  /** As for the input, marks of the plain notebook are ignored in a chat. */
  override get outputHidden(): boolean {
    return false;
  }
  override set outputHidden(_: boolean) {
    return;
  }
  override get outputsScrolled(): boolean {
    return false;
  }
  override set outputsScrolled(_: boolean) {
    return;
  }

  /** The pair in the document. */
  get pair(): Pair {
    return Pair.of(this.model.sharedModel)!;
  }

  /** Whether it is the empty cell of an empty notebook, which the first message replaces. */
  get isSpare(): boolean {
    // A notebook whose cells change also asks those that are being removed.
    return !this.isDisposed && !this.model.isDisposed && this.pair.isSpare;
  }

  /** Whether it can be edited is not read from the cell's metadata. */
  override loadEditableState(): void {
    return;
  }

  protected override initializeDOM(): void {
    if (this.placeholder) {
      showOutputs(this);
    }
    super.initializeDOM();
  }

  protected get trans(): TranslationBundle {
    return wordsIn({ translator: this.translator });
  }

  protected createStream(): StreamingMarkdown {
    return new StreamingMarkdown({
      parts: this.outputArea.rendermime,
      isSeen: () => this.isVisible
    });
  }

  /** Insert a widget before the status, or with `fromEnd` 1 before the footer. */
  protected insert(widget: Widget, fromEnd = 2): void {
    const layout = this.layout as PanelLayout;
    layout.insertWidget(layout.widgets.length - fromEnd, widget);
  }

  /** Insert a widget before the part of the cell in which another one is, or `after` it. */
  protected insertBefore(part: Widget, widget: Widget, after = 0): void {
    this.insertAt(part.node, widget, after);
  }

  /** Insert a widget before the part of the cell in which a node is, or `after` it. */
  protected insertAt(part: Node, widget: Widget, after = 0): void {
    const layout = this.layout as PanelLayout;
    const place = layout.widgets.findIndex(({ node }) => node.contains(part));
    layout.insertWidget(place + after, widget);
  }
}

ignoreEditable(PairCellBase);
