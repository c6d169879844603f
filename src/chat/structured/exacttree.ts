import { hasHalves } from '../../base/json';
import { trans } from '../../base/words';
import type { LeafPath } from '../../request/model';
import { pathName } from '../../request/leaves';
import { partsOf, type IPart } from '../../request/scan';
import type { IJsonError } from '../../request/structured/judge';
import { button, element } from '../../ui/dom';
import { LongText } from '../cells/longtext';

const CLASS = 'jp-Turnbook-tree';

/** How many entries of a list are shown at first, and how many more each time. */
const PORTION = 50;

/** How many levels are open at first. */
const LEVELS = 3;

/** How deep a level may be to be opened without a click, because it has an error. */
const MAX_LEVELS = 100;

/** Longer texts show their beginning. */
const LONG = 600;

/**
 * JSON as a tree that is read only.
 *
 * It is drawn from the text, a level at a time: numbers, duplicate keys and their order are shown as
 * they were written, and the depth does not matter.
 */
export class ExactTree {
  /**
   * @param json - Valid JSON.
   */
  constructor(
    private _json: string,
    private _errors: readonly IJsonError[]
  ) {
    this.node = element('div', `${CLASS} jp-mod-exact`);
    const from = _json.length - _json.trimStart().length;
    const root = { key: '', from, to: _json.trimEnd().length };
    const parts = this._partsOf(root);
    this.node.append(
      ...this._problems([]),
      parts ? this._list(parts, []) : this._leaf(root, [])
    );
  }

  readonly node: HTMLElement;

  /** Open everything around an error, and focus it. */
  reveal(error: IJsonError): void {
    const line = this._opened(error.path);
    (line ?? this.node).scrollIntoView({ block: 'nearest' });
    focusLine(line?.parentElement);
  }

  /** The line of the value at a path, once everything around it is open. */
  private _opened(path: LeafPath): HTMLElement | null {
    let at: Element = this.node;
    let line: HTMLElement | null = null;
    for (const step of path.slice(0, MAX_LEVELS)) {
      const toggle = line?.querySelector<HTMLElement>('[aria-expanded=false]');
      toggle?.click();
      const entries = at.querySelectorAll<HTMLElement>(':scope > ul > li');
      const entry = [...entries]
        .filter(one => one.dataset.key === `${step}`)
        .pop();
      if (!entry) {
        break;
      }
      at = entry;
      line = entry.firstElementChild as HTMLElement;
    }
    return line;
  }

  /** What is in a value; null if it is no object or list, or an empty one. */
  private _partsOf({ from }: IPart): IPart[] | null {
    const parts = partsOf(this._json, from);
    return parts.length ? parts : null;
  }

  private _list(parts: readonly IPart[], path: LeafPath): HTMLElement {
    const list = element('ul', '');
    const lastOf = new Map(parts.map(({ key }, place) => [key, place]));
    const entries = new Map<number, HTMLElement>();
    let drawn = 0;
    let more: HTMLElement | null = null;
    const draw = () => {
      more?.remove();
      const end = Math.min(parts.length, drawn + PORTION);
      parts.forEach(({ key }, place) => {
        // What has an error is never among those that are left out.
        const isShown = place < end || this._hasError([...path, key]);
        if (isShown && !entries.has(place)) {
          const isLast = lastOf.get(key) === place;
          const entry = this._entry(parts[place], [...path, key], isLast);
          entries.set(place, entry);
        }
      });
      list.append(...[...entries].sort(byPlace).map(([, entry]) => entry));
      drawn = end;
      if (drawn < parts.length) {
        const label = trans.__('Show more (%1 left)', parts.length - drawn);
        more = element('li', '');
        more.append(
          button(label, 'jp-Turnbook-link', () => {
            const next = drawn;
            draw();
            focusLine(entries.get(next));
          })
        );
        list.append(more);
      }
    };
    draw();
    return list;
  }

  private _entry(part: IPart, path: LeafPath, isLast: boolean): HTMLElement {
    const entry = element('li', '');
    entry.dataset.key = `${part.key}`;
    const line = element('div', `${CLASS}-line`);
    const key = element('span', `${CLASS}-key`, shownText(`${part.key}`));
    const parts = this._partsOf(part);
    entry.append(line);
    // Of duplicate keys, readers take the last.
    const problems = isLast ? this._problems(path) : [];
    if (parts) {
      const sign = this._json[part.from] === '[' ? '[]' : '{}';
      const count = `${sign[0]}${parts.length}${sign[1]}`;
      line.append(
        this._branch(key, count, path, isOpen => {
          if (isOpen) {
            entry.append(this._list(parts, path));
          } else {
            entry.lastElementChild?.remove();
          }
        })
      );
    } else {
      line.append(key, this._leaf(part, path));
    }
    if (!isLast) {
      line.append(
        element(
          'span',
          'jp-Turnbook-chip',
          trans.__('repeated below; the last one counts')
        )
      );
    }
    line.tabIndex = -1;
    line.classList.toggle('jp-mod-wrong', problems.length > 0);
    line.after(...problems);
    const isOpen =
      path.length < LEVELS ||
      (isLast && path.length < MAX_LEVELS && this._hasError(path, true));
    if (parts && isOpen) {
      line.querySelector('button')?.click();
    }
    return entry;
  }

  private _branch(
    key: HTMLElement,
    count: string,
    path: LeafPath,
    onToggle: (isOpen: boolean) => void
  ): HTMLElement {
    const toggle = element('button', `${CLASS}-branch jp-Turnbook-caret`);
    toggle.type = 'button';
    toggle.setAttribute('aria-expanded', 'false');
    toggle.setAttribute('aria-label', `${shownText(pathName(path))} ${count}`);
    toggle.append(key, element('span', `${CLASS}-count`, count));
    toggle.addEventListener('click', () => {
      const isOpen = toggle.getAttribute('aria-expanded') !== 'true';
      toggle.setAttribute('aria-expanded', String(isOpen));
      onToggle(isOpen);
    });
    return toggle;
  }

  private _leaf({ from, to }: IPart, path: LeafPath): HTMLElement {
    const json = this._json.slice(from, to);
    const text = json.startsWith('"') ? shownString(json) : json;
    if (text.length > LONG) {
      const long = new LongText(`${CLASS}-value`);
      long.name = shownText(pathName(path)) || 'JSON';
      long.text = text;
      return long.node;
    }
    const value = element('span', `${CLASS}-value`, text);
    value.dir = 'auto';
    value.dataset.type = json.startsWith('"') ? 'text' : 'other';
    return value;
  }

  private _problems(path: LeafPath): HTMLElement[] {
    return this._errors
      .filter(error => isWithin(error.path, path, true))
      .map(error => element('div', 'jp-Turnbook-problem', error.message));
  }

  /** Whether a value has an error, or something in it. */
  private _hasError(path: LeafPath, isInside = false): boolean {
    return this._errors.some(
      error =>
        isWithin(error.path, path, false) &&
        !(isInside && error.path.length === path.length)
    );
  }
}

function byPlace([a]: [number, unknown], [b]: [number, unknown]): number {
  return a - b;
}

/** Focus the first line of an entry: its button, or else itself. */
function focusLine(entry: Element | null | undefined): void {
  const line = entry?.firstElementChild as HTMLElement | null | undefined;
  (line?.querySelector<HTMLElement>(':scope > button') ?? line)?.focus();
}

/** Whether a path begins with another, or is the same. */
function isWithin(inner: LeafPath, path: LeafPath, isSame: boolean): boolean {
  return (
    (isSame ? inner.length === path.length : inner.length >= path.length) &&
    path.every((step, n) => `${step}` === `${inner[n]}`)
  );
}

/** A string as it is read, in its quotes; one with half a character as it was written. */
function shownString(json: string): string {
  const text = JSON.parse(json) as string;
  return hasHalves(text) ? json : `"${text}"`;
}

/** A key as it can be shown: half a character has no shape. */
function shownText(key: string): string {
  return hasHalves(key) ? JSON.stringify(key).slice(1, -1) : key;
}
