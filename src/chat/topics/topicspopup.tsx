import { ReactWidget } from '@jupyterlab/ui-components';
import { DisposableDelegate, type IDisposable } from '@lumino/disposable';
import type { Message } from '@lumino/messaging';
import { Widget } from '@lumino/widgets';
import React from 'react';

import { TopicsPopup, type ITopicsProps } from './topicstree';

export { TopicsPopup, type ITopicsProps } from './topicstree';

export type TopicsOptions = Omit<ITopicsProps, 'onClose'> &
  Partial<Pick<ITopicsProps, 'onClose'>>;

const opened = new WeakMap<HTMLElement, TopicsWidget>();

/**
 * Open the list of topics below a node, or close it if it is open. It closes on Esc, on a choice
 * and when it loses the focus, and the focus returns to the node.
 */
export function openTopics(
  anchor: HTMLElement,
  options: TopicsOptions
): IDisposable {
  const present = opened.get(anchor);
  if (present) {
    present.dispose();
    return new DisposableDelegate(() => undefined);
  }
  const widget = new TopicsWidget(anchor, options);
  opened.set(anchor, widget);
  Widget.attach(widget, document.body);
  return widget;
}

class TopicsWidget extends ReactWidget {
  constructor(anchor: HTMLElement, options: TopicsOptions) {
    super();
    this.addClass('jp-Turnbook-topics');
    this.node.tabIndex = -1;
    this._anchor = anchor;
    this._options = options;
  }

  override dispose(): void {
    if (this.isDisposed) {
      return;
    }
    // After a click outside, the focus stays where the user put it.
    const back = this.node.contains(document.activeElement);
    opened.delete(this._anchor);
    super.dispose();
    this._anchor.setAttribute('aria-expanded', 'false');
    if (back) {
      this._anchor.focus();
    }
    this._options.onClose?.();
  }

  handleEvent(event: Event): void {
    switch (event.type) {
      case 'keydown':
        if ((event as KeyboardEvent).key === 'Escape') {
          event.preventDefault();
          event.stopPropagation();
          this.dispose();
        }
        break;
      case 'pointerdown':
        if (!this._isOurs(event.target)) {
          this.dispose();
        }
        break;
      case 'focusout': {
        const { relatedTarget } = event as FocusEvent;
        if (relatedTarget !== null && !this._isOurs(relatedTarget)) {
          this.dispose();
        }
        break;
      }
      default:
        this._place();
        break;
    }
  }

  protected override render(): React.ReactElement {
    return <TopicsPopup {...this._options} onClose={() => this.dispose()} />;
  }

  protected override onAfterAttach(msg: Message): void {
    super.onAfterAttach(msg);
    this._anchor.setAttribute('aria-expanded', 'true');
    this.node.addEventListener('keydown', this);
    this.node.addEventListener('focusout', this);
    document.addEventListener('pointerdown', this, true);
    window.addEventListener('resize', this);
    this._place();
    this.node.focus();
    void this.renderPromise?.then(() => this._place());
  }

  protected override onBeforeDetach(msg: Message): void {
    this.node.removeEventListener('keydown', this);
    this.node.removeEventListener('focusout', this);
    document.removeEventListener('pointerdown', this, true);
    window.removeEventListener('resize', this);
    super.onBeforeDetach(msg);
  }

  /** A click on the anchor toggles the list; it does not count as outside. */
  private _isOurs(target: EventTarget | null): boolean {
    const node = target as Node | null;
    return this.node.contains(node) || this._anchor.contains(node);
  }

  private _place(): void {
    if (this.isDisposed) {
      return;
    }
    const { left, bottom } = this._anchor.getBoundingClientRect();
    const { style } = this.node;
    const right = window.innerWidth - this.node.offsetWidth - MARGIN;
    style.left = `${Math.max(MARGIN, Math.min(left, right))}px`;
    style.top = `${bottom + 2}px`;
    style.maxHeight = `${Math.max(80, window.innerHeight - bottom - MARGIN)}px`;
  }

  private _anchor: HTMLElement;
  private _options: TopicsOptions;
}

const MARGIN = 8;
