import { Chats } from './chats';
import { Tab } from './tabs';

const chats = new Chats();

async function twoTabs(): Promise<[Tab, Tab]> {
  const one = await chats.openChat({ autosave: false });
  const { path, server } = one.options;
  const other = await Tab.open({ path, server, autosave: false });
  return [one, other];
}

/** Do something when a tab has looked at its file to save it, `times` times. */
function betweenLookAndSave(
  tab: Tab,
  act: () => Promise<unknown>,
  times = 1
): void {
  const get = tab.contents.get.bind(tab.contents);
  let left = times;
  jest.spyOn(tab.contents, 'get').mockImplementation(async (...args) => {
    const found = await get(...args);
    if (left && args[1]?.content === false) {
      left--;
      await act();
    }
    return found;
  });
}

const add = (tab: Tab, source: string) =>
  void tab.notebook.addCell({ cell_type: 'raw', source });

/** What was written; a new chat begins with an empty cell. */
const sources = (tab: Tab) =>
  tab.notebook.cells.map(cell => cell.getSource()).filter(Boolean);

function addRepeatable(tab: Tab, source: string): void {
  const change = () =>
    tab.file.repeatable(() => {
      if (!sources(tab).includes(source)) {
        add(tab, source);
      }
    });
  tab.file.reread.connect(change);
  change();
}

const dialogs = () => document.querySelectorAll('.jp-Dialog').length;

describe('a save that another tab overtakes', () => {
  it('reads what was written and saves again, without asking', async () => {
    const [one, other] = await twoTabs();
    add(one, 'theirs');
    addRepeatable(other, 'ours');
    betweenLookAndSave(other, () => one.context.save());
    await other.context.save();
    expect(dialogs()).toBe(0);
    expect(sources(other)).toEqual(['theirs', 'ours']);
    expect(other.context.model.dirty).toBe(false);
    await one.file.refresh();
    expect(sources(one)).toEqual(['theirs', 'ours']);
  });

  it('asks when changes made here would be lost', async () => {
    const [one, other] = await twoTabs();
    add(one, 'theirs');
    add(other, 'ours');
    betweenLookAndSave(other, () => one.context.save());
    const saving = other.context.save().catch(error => error.name);
    while (!dialogs()) {
      await new Promise(resolve => setTimeout(resolve, 10));
    }
    document.querySelector<HTMLElement>('.jp-Dialog .jp-mod-reject')!.click();
    expect(await saving).toBe('ModalCancelError');
    expect(sources(other)).toEqual(['ours']);
  });

  it('asks when others do not stop writing', async () => {
    const [one, other] = await twoTabs();
    addRepeatable(other, 'ours');
    let written = 0;
    const write = () => {
      add(one, `theirs ${written++}`);
      return one.context.save();
    };
    betweenLookAndSave(other, write, 100);
    const saving = other.context.save().catch(error => error.name);
    while (!dialogs()) {
      await new Promise(resolve => setTimeout(resolve, 10));
    }
    document.querySelector<HTMLElement>('.jp-Dialog .jp-mod-reject')!.click();
    expect(await saving).toBe('ModalCancelError');
    expect(written).toBeLessThan(20);
  });
});
