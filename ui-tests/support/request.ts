import type { PartialJSONObject } from '@lumino/coreutils';
import type { Locator } from '@playwright/test';

import type { Chat } from './chat';
import { expect } from './fixtures';

/** The Request panel, by its accessible names. */
export class RequestUI {
  constructor(readonly chat: Chat) {}

  get panel(): Locator {
    return this.chat.page.getByRole('region', { name: 'Request', exact: true });
  }

  get target(): Locator {
    return this.panel.getByRole('combobox', { name: 'Request of' });
  }

  /** The rendered rows of sections. */
  get rows(): Locator {
    return this.panel.locator('[data-turnbook-section]');
  }

  /** The nth row, from 0. */
  row(n: number): Locator {
    return this.rows.nth(n);
  }

  /** The header of a section; its buttons appear on hover. */
  header(n: number): Locator {
    return this.row(n).locator('.jp-Turnbook-section-header');
  }

  /** The text of a section, or the editor that replaced it. */
  text(n: number): Locator {
    return this.row(n).getByRole('textbox').first();
  }

  button(name: string): Locator {
    return this.panel.getByRole('button', { name, exact: true });
  }

  toggle(name: string): Locator {
    return this.panel.getByRole('switch', { name, exact: true });
  }

  /** A part of the panel by its name: Prompt, Options, Session Snapshot… */
  part(name: string): Locator {
    return this.panel.locator(`[data-turnbook-part="${name}"]`);
  }

  /** Open the panel and wait until it shows a request. */
  async open(): Promise<void> {
    await this.chat.execute('turnbook:open-request-editor');
    await expect(this.panel).toBeVisible();
    await expect(this.row(0)).toBeVisible();
  }

  /** Drag the edge of the sidebar until the panel has this width. */
  async resize(width: number): Promise<void> {
    const { page } = this.chat;
    const box = (await this.panel.boundingBox())!;
    const handle = page.locator(
      '#jp-main-split-panel > .lm-SplitPanel-handle:not(.lm-mod-hidden)'
    );
    const edge = (await handle.last().boundingBox())!;
    const y = edge.y + edge.height / 2;
    await page.mouse.move(edge.x + edge.width / 2, y);
    await page.mouse.down();
    await page.mouse.move(edge.x + edge.width / 2 + box.width - width, y, {
      steps: 4
    });
    await page.mouse.up();
    await expect
      .poll(async () => Math.round((await this.panel.boundingBox())!.width))
      .toBe(width);
  }

  /** Wait until a message is paused; what says so takes the focus, slightly later. */
  async paused(): Promise<void> {
    await expect(
      this.panel
        .getByRole('alert')
        .filter({ hasText: 'Paused before sending.' })
    ).toBeFocused();
  }

  async openPart(name: string): Promise<Locator> {
    const part = this.part(name);
    const header = part.getByRole('button', { name, exact: true });
    if ((await header.getAttribute('aria-expanded')) !== 'true') {
      await header.click();
    }
    await expect(header).toHaveAttribute('aria-expanded', 'true');
    return part;
  }

  /** Replace the text of a section by typing. */
  async write(n: number, text: string): Promise<void> {
    await this.text(n).click();
    await this.replace(text);
    await this.expectText(n, text);
  }

  /** Wait until a section has this text; deleted parts do not count. */
  async expectText(n: number, text: string): Promise<void> {
    await expect
      .poll(() => this.text(n).evaluate(readText), { timeout: 15_000 })
      .toBe(text);
  }

  /** Replace the content of the focused editor. */
  async replace(text: string): Promise<void> {
    await this.chat.page.keyboard.press('Control+A');
    await this.chat.page.keyboard.press('Delete');
    await this.chat.page.keyboard.insertText(text);
  }

  /** The sha256 of the bytes that would be sent, as the panel shows it, once that is up to date. */
  async hash(): Promise<string> {
    const node = this.panel.locator('[data-turnbook-hash]');
    let shown: string | null = null;
    await expect
      .poll(async () => {
        const latest = await this.chat.page.evaluate(() => {
          // While a replay is active, the panel still shows its chat.
          const { shell } = window.jupyterapp;
          const widgets: any[] = [
            shell.currentWidget,
            ...shell.widgets('main')
          ];
          const { session } = widgets.find(widget => widget?.session);
          return session.review.reviewed?.request.hash;
        });
        shown = await node.getAttribute('data-turnbook-hash');
        return shown === latest;
      })
      .toBe(true);
    return shown!;
  }
}

/** The content of a text or an editor, without comparison marks. */
function readText(node: HTMLElement): string {
  const { cmTile, cmView } = node as any;
  const view = cmTile?.view ?? cmView?.rootView?.view ?? cmView?.view;
  if (view) {
    return view.state.doc.toString();
  }
  const copy = node.cloneNode(true) as HTMLElement;
  copy.querySelectorAll('del').forEach(one => one.remove());
  return copy.textContent ?? '';
}

/** The messages of a request that the provider received. */
export function messagesOf(request: { body: string }): any[] {
  return JSON.parse(request.body).messages;
}

/** Change a setting of chats; undefined resets it to its default. */
export async function setSetting(
  page: Chat['page'],
  key: string,
  value: boolean | string | PartialJSONObject | undefined
): Promise<void> {
  await page.evaluate(
    async ([name, next]) => {
      const plugin = 'jupyterlab-turnbook:chat';
      const registry = await window.galata.getPlugin(
        '@jupyterlab/apputils-extension:settings'
      );
      try {
        if (next === undefined) {
          await registry!.remove(plugin, name);
        } else {
          await registry!.set(plugin, name, next);
        }
      } catch (error) {
        throw new Error(`${name} was not set: ${JSON.stringify(error)}`);
      }
    },
    [key, value] as const
  );
}
