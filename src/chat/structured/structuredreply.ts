import { Widget } from '@lumino/widgets';

import { trans } from '../../base/words';
import { isCutOff } from '../../document/cutoff';
import { isUnderWay } from '../../document/lifecycle';
import type { IRunInfo } from '../../document/metadata';
import type { IReply } from '../../document/reply';
import { TextPieces } from '../../render/pieces';
import {
  replyFormat,
  type IReplyFormat
} from '../../request/structured/format';
import {
  judge,
  readJson,
  type IJsonError,
  type ReadReply,
  type Verdict
} from '../../request/structured/judge';
import {
  isDeeper,
  MAX_SCHEMA_DEPTH
} from '../../request/structured/schemaerrors';
import { copyText } from '../../ui/clipboard';
import { button, element } from '../../ui/dom';
import { ExactTree } from './exacttree';
import { schemaChecker } from './schemachecker';

const CLASS = 'jp-Turnbook-structured';

/** How long the confirmation of a copy is shown. */
const COPIED_MS = 2000;

/** Shows in a pair whether its reply has the form that was asked for, which few pairs do. */
export class StructuredReply {
  constructor(private _insert: (view: Widget) => void) {}

  /**
   * Show a reply.
   *
   * @param run - The pair's run; null hides the view.
   * @returns Whether it is shown here, in the place of its output.
   */
  show(run: IRunInfo | null, reply: IReply | null): boolean {
    const format = run && reply && expected(run);
    if (!format) {
      this._view?.hide();
      return false;
    }
    if (!this._view) {
      this._view = new StructuredView();
      this._insert(this._view);
    }
    this._view.show();
    const isPart =
      reply.partial ||
      isCutOff(run, reply.text) ||
      run.finish === 'content_filter';
    this._view.display(reply.text, format, isPart);
    return this._view.hasJson;
  }

  /** Show the text if a place is in it. */
  openAt(place: Node): void {
    this._view?.openAt(place);
  }

  private _view: StructuredView | null = null;
}

/** The form that a pair's reply must have; null if that is free, or if it is not the reply yet. */
function expected(run: IRunInfo): IReplyFormat | null {
  const isWaiting =
    isUnderWay(run.state) ||
    run.finish === 'tool_calls' ||
    run.finish === 'function_call';
  return isWaiting ? null : replyFormat(run.options);
}

/** A reply that should be JSON: what was found, and its tree or its text. */
class StructuredView extends Widget {
  constructor() {
    super({ node: element('section', CLASS) });
    this.node.setAttribute('role', 'group');
    this.node.setAttribute('aria-label', trans.__('Structured reply'));
  }

  /** Whether the reply is JSON, which is shown here. */
  get hasJson(): boolean {
    return this._read?.kind === 'json';
  }

  /** Show a reply; it is judged again only if something is different. */
  display(text: string, format: IReplyFormat, isPart: boolean): void {
    const { _shown: shown } = this;
    const key = formatKey(format);
    if (shown?.text === text && shown.isPart === isPart && shown.key === key) {
      return;
    }
    const now = (this._shown = { text, format, key, isPart });
    const read = (this._read = readJson(text, isPart));
    this._tree = null;
    this._draw(null);
    if (read.kind === 'json') {
      void judge(text, read, format, (json, schema) =>
        schemaChecker.check(json, schema)
      ).then(verdict => {
        if (this._shown === now && !this.isDisposed) {
          this._draw(verdict);
        }
      });
    }
  }

  /** Show the text if a place is in it. */
  openAt(place: Node): void {
    if (this._text?.contains(place) && this._isTree) {
      this._showTree(false);
    }
  }

  private _draw(verdict: Verdict | null): void {
    const read = this._read!;
    const { text, format } = this._shown!;
    const head = element('div', `${CLASS}-head`);
    const { words, kind } = judged(read, verdict, format);
    const chip = element('span', `jp-Turnbook-chip jp-mod-${kind}`, words);
    chip.title = words;
    head.append(chip);
    if (read.kind !== 'json') {
      this._tree = this._text = this._toggle = null;
      this.node.replaceChildren(head);
      return;
    }
    if (read.found.around !== 'nothing') {
      const note =
        read.found.around === 'fence'
          ? trans.__('in a code block')
          : trans.__('in a code block, with text around it');
      head.append(element('span', 'jp-Turnbook-chip', note));
    }
    const errors = verdict?.kind === 'wrong' ? verdict.errors : [];
    const more = verdict?.kind === 'wrong' ? verdict.more : 0;
    if (!this._tree || !this._text || errors.length) {
      this._tree = new ExactTree(read.json, errors);
      this._text = element('div', `jp-RenderedText ${CLASS}-text`);
      new TextPieces(this._text).append(text);
    }
    this._toggle = button('', 'jp-Turnbook-button', () =>
      this._showTree(!this._isTree)
    );
    head.append(copyButton(read.json), this._toggle);
    this.node.replaceChildren(
      head,
      ...this._errorList(errors, more),
      this._tree.node,
      this._text
    );
    this._showTree(this._isTree);
  }

  private _errorList(
    errors: readonly IJsonError[],
    more: number
  ): HTMLElement[] {
    if (!errors.length) {
      return [];
    }
    const list = element('ul', `${CLASS}-errors jp-Turnbook-problem`);
    list.setAttribute('aria-label', trans.__('Errors'));
    list.append(
      ...errors.map(error => {
        const item = element('li', '', `${error.message} `);
        const place = trans.__('line %1, column %2', error.line, error.column);
        const go = button(
          place,
          'jp-Turnbook-link',
          () => {
            this._showTree(true);
            this._tree?.reveal(error);
          },
          trans.__('Show it in the tree')
        );
        item.append(go);
        return item;
      })
    );
    if (more > 0) {
      list.append(
        element('li', '', trans._n('%1 more error', '%1 more errors', more))
      );
    }
    return [list];
  }

  private _showTree(isTree: boolean): void {
    this._isTree = isTree;
    this.toggleClass('jp-mod-text', !isTree);
    if (this._toggle) {
      this._toggle.textContent = isTree
        ? trans.__('Show text')
        : trans.__('Show tree');
      this._toggle.title = isTree
        ? trans.__('Show the reply as the model wrote it')
        : trans.__('Show the JSON as a tree');
    }
  }

  private _isTree = true;
  private _read: ReadReply | null = null;
  private _shown: {
    text: string;
    format: IReplyFormat;
    key: string;
    isPart: boolean;
  } | null = null;
  private _text: HTMLElement | null = null;
  private _toggle: HTMLButtonElement | null = null;
  private _tree: ExactTree | null = null;
}

/** What is said of a reply, and how good that is. */
function judged(
  read: ReadReply,
  verdict: Verdict | null,
  { name, schema }: IReplyFormat
): { words: string; kind: 'good' | 'deleted' | 'warning' | 'plain' } {
  if (read.kind === 'incomplete') {
    const words = trans.__('Incomplete: the JSON was not checked');
    return { words, kind: 'warning' };
  }
  if (read.kind === 'no-json') {
    const { line, column } = read;
    const words = trans.__('Not JSON: line %1, column %2', line, column);
    return { words, kind: 'deleted' };
  }
  switch (verdict?.kind) {
    case undefined:
      return { words: trans.__('JSON is being checked…'), kind: 'plain' };
    case 'right':
      return {
        words:
          schema === null
            ? trans.__('JSON')
            : name
              ? trans.__('JSON matches the schema %1', name.slice(0, 64))
              : trans.__('JSON matches the schema'),
        kind: 'good'
      };
    case 'unchecked':
      return {
        words: trans.__('JSON was not checked: %1', verdict.why.slice(0, 200)),
        kind: 'warning'
      };
    case 'wrong': {
      const count = verdict.errors.length + verdict.more;
      return {
        words:
          schema === null
            ? trans.__('JSON, but not an object')
            : trans._n(
                'JSON does not match the schema: %1 error',
                'JSON does not match the schema: %1 errors',
                count
              ),
        kind: 'deleted'
      };
    }
  }
}

/** Create a button that copies JSON as it was written. */
function copyButton(json: string): HTMLButtonElement {
  const label = trans.__('Copy JSON');
  const copy = button(label, 'jp-Turnbook-button', () => {
    void copyText(json)
      .then(
        () => trans.__('Copied'),
        (reason: unknown) => {
          console.warn('The browser did not let the JSON be copied.', reason);
          return trans.__('Not copied');
        }
      )
      .then(word => {
        copy.textContent = word;
        setTimeout(() => {
          copy.textContent = label;
        }, COPIED_MS);
      });
  });
  return copy;
}

/** What a format says, to notice that it is another. */
function formatKey({ name, schema }: IReplyFormat): string {
  return isDeeper(schema, MAX_SCHEMA_DEPTH)
    ? name
    : JSON.stringify([name, schema]);
}
