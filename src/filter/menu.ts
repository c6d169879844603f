import { InputDialog } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import { MenuSvg } from '@jupyterlab/ui-components';
import { CommandRegistry } from '@lumino/commands';
import type { Menu } from '@lumino/widgets';

import { menuRenderer } from './menurenderer';
import type { FilterModel } from './model';

/** A menu of the current saved and recent filters. */
export function savedMenu(model: FilterModel, trans: TranslationBundle): Menu {
  const commands = new CommandRegistry();
  const menu = new MenuSvg({ commands, renderer: menuRenderer });
  menu.addClass('jp-Turnbook-filter-menu');
  const saved = model.saved;
  const recent = model.history;

  commands.addCommand('show', {
    label: args => String(args.label),
    caption: args => String(args.text),
    isToggled: args => args.text === model.text.trim(),
    isToggleable: true,
    execute: args => model.show(String(args.text))
  });
  commands.addCommand('remove', {
    label: args => String(args.name),
    execute: args => model.remove(String(args.name))
  });
  commands.addCommand('none', {
    label: trans.__('No saved filters yet'),
    isEnabled: () => false,
    execute: () => undefined
  });
  commands.addCommand('save', {
    label: trans.__('Save this filter…'),
    isEnabled: () => model.text.trim() !== '' && model.error === null,
    execute: () => askName(model, trans)
  });

  if (saved.length === 0) {
    menu.addItem({ command: 'none' });
  }
  for (const { name, text } of saved) {
    menu.addItem({ command: 'show', args: { label: name, text } });
  }
  menu.addItem({ type: 'separator' });
  menu.addItem({ command: 'save' });
  if (saved.length > 0) {
    const remove = new MenuSvg({ commands, renderer: menuRenderer });
    remove.title.label = trans.__('Delete saved filter');
    saved.forEach(({ name }) =>
      remove.addItem({ command: 'remove', args: { name } })
    );
    menu.addItem({ type: 'submenu', submenu: remove });
  }
  if (recent.length > 0) {
    const past = new MenuSvg({ commands, renderer: menuRenderer });
    past.title.label = trans.__('Recent filters');
    recent
      .slice(0, RECENT)
      .forEach(text =>
        past.addItem({ command: 'show', args: { label: text, text } })
      );
    menu.addItem({ type: 'submenu', submenu: past });
  }
  return menu;
}

const RECENT = 15;

async function askName(
  model: FilterModel,
  trans: TranslationBundle
): Promise<void> {
  const known = model.saved.find(({ text }) => text === model.text.trim());
  const { button, value } = await InputDialog.getText({
    title: trans.__('Save this filter'),
    label: trans.__('Name for %1', model.text.trim()),
    text: known?.name ?? model.text.trim(),
    okLabel: trans.__('Save'),
    required: true
  });
  if (button.accept && value !== null) {
    model.save(value);
  }
}
