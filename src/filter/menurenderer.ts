import { MenuSvg } from '@jupyterlab/ui-components';
import type { Menu } from '@lumino/widgets';

type Item = ReturnType<Menu.Renderer['renderItem']>;

/** Draws menus whose separators are that for screen readers too, and never get the focus. */
class MenuRenderer extends MenuSvg.Renderer {
  override renderItem(data: Menu.IRenderData): Item {
    const item = super.renderItem(data);
    if (data.item.type === 'separator') {
      const attributes = item.attrs as { role?: string; tabindex?: string };
      attributes.role = 'separator';
      delete attributes.tabindex;
    }
    return item;
  }
}

/** The renderer of all menus. */
export const menuRenderer = new MenuRenderer();
