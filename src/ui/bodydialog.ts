import { Dialog } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import { ReactWidget } from '@jupyterlab/ui-components';
import type { Message } from '@lumino/messaging';
import type React from 'react';

const TABBABLE =
  'button:not([disabled]):not([tabindex="-1"]), input:not([disabled]), select:not([disabled]), summary, [tabindex="0"]';

/** The class of a button of the body that is drawn beside *Close*. */
export const ACTION = 'jp-Turnbook-dialogAction';

/**
 * A dialog for reading and acting, with *Close* as its only button of its own.
 *
 * It leaves key presses to its body: JupyterLab's own dialog treats Enter as "accept" and the
 * arrows as "next button" wherever the focus is.
 */
export class BodyDialog extends Dialog<void> {
  constructor(options: BodyDialog.IOptions) {
    const { title, trans } = options;
    const body = ReactWidget.create(options.body);
    body.addClass(options.className);
    super({
      title,
      body,
      buttons: [
        Dialog.cancelButton({ label: options.close ?? trans.__('Close') })
      ],
      focusNodeSelector: options.focus
    });
    this._view = body;
    this._focus = options.focus ?? null;
    body.node.tabIndex = -1;
    // A button that disappears when pressed takes the focus with it, and Esc would no longer close
    // the dialog.
    this._observer = new MutationObserver(() => {
      this._focusFirst();
      if (document.activeElement === document.body) {
        body.node.focus();
      }
    });
    this.addClass('jp-Turnbook-dialog');
    this.node.setAttribute('aria-label', title);
  }

  protected override onAfterAttach(msg: Message): void {
    super.onAfterAttach(msg);
    document.addEventListener('keydown', this._onKeyOutside, true);
    this._observer.observe(this._view.node, { childList: true, subtree: true });
  }

  protected override onAfterDetach(msg: Message): void {
    this._observer.disconnect();
    document.removeEventListener('keydown', this._onKeyOutside, true);
    super.onAfterDetach(msg);
  }

  protected override _evtKeydown(event: KeyboardEvent): void {
    if (event.key === 'Tab') {
      this._wrap(event);
    } else if (
      event.key === 'Escape' ||
      !this._isBody(event.target as Element)
    ) {
      super._evtKeydown(event);
    }
  }

  /** JupyterLab does this before the body is drawn, if the browser is idle at that moment. */
  private _focusFirst(): void {
    const { node } = this._view;
    const first = this._focus && node.querySelector<HTMLElement>(this._focus);
    if (first) {
      this._focus = null;
      if (!node.contains(document.activeElement)) {
        first.focus();
      }
    }
  }

  private _isBody(target: Element): boolean {
    return (
      this._view.node.contains(target) || target.closest(`.${ACTION}`) !== null
    );
  }

  // The body changes after the dialog is attached, so its first and last element are looked up each
  // time.
  private _wrap(event: KeyboardEvent): void {
    const nodes = this.node.querySelectorAll<HTMLElement>(TABBABLE);
    const first = nodes[0];
    const last = nodes[nodes.length - 1];
    const [from, to] = event.shiftKey ? [first, last] : [last, first];
    if (document.activeElement === from) {
      event.preventDefault();
      event.stopPropagation();
      to.focus();
    }
  }

  /** A selector of what is to be focused; null once it was there. */
  private _focus: string | null;
  private _observer: MutationObserver;

  /** JupyterLab focuses the dialog when the browser is idle, and Esc closes it before that too. */
  private _onKeyOutside = (event: KeyboardEvent) => {
    const isInside = this.node.contains(event.target as Node);
    if (event.key === 'Escape' && !isInside) {
      this._evtKeydown(event);
    }
  };

  private _view: ReactWidget;
}

/**
 * The namespace for `BodyDialog` statics.
 */
export namespace BodyDialog {
  export interface IOptions {
    title: string;
    body: React.ReactElement;
    /** The class of the body. */
    className: string;
    trans: Pick<TranslationBundle, '__'>;
    /** A selector of what is focused first; *Close* by default. */
    focus?: string;
    /** What the button says that closes it; *Close* by default. */
    close?: string;
  }
}
