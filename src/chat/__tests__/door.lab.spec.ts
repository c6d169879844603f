import { DocumentWidget, type IDocumentWidget } from '@jupyterlab/docregistry';
import { nullTranslator } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';

import { Chats } from '../../session/__tests__/chats';
import { Door, viewOf } from '../../ui/door';

const chats = new Chats();

/** A door whose code is loaded when `load` is resolved, and the views that were opened behind it. */
async function host() {
  const { context } = await chats.openChat();
  const opened: IDocumentWidget[] = [];
  let failures = 0;
  const late = {
    isLoaded: false,
    load: async () => {
      await Promise.resolve();
      if (failures-- > 0) {
        throw new Error('no connection');
      }
      late.isLoaded = true;
    },
    addCommand: () => undefined
  };
  const door: Door = new Door({
    name: 'Chat',
    fileTypes: [],
    documents: {
      open: (): IDocumentWidget => {
        const view: IDocumentWidget = door.createNew(context);
        opened.push(view);
        return view;
      }
    },
    late,
    isCurrent: () => false,
    trans: nullTranslator.load('test')
  });
  const view = () =>
    ({
      createNew: () => new DocumentWidget({ content: new Widget(), context })
    }) as never;
  return {
    context,
    door,
    opened,
    open: () => door.open(view()),
    fail: () => {
      failures = 1;
    }
  };
}

describe('Door', () => {
  it('opens the view in the place of the tab that waits for it', async () => {
    const { context, door, open, opened } = await host();
    const tab = door.createNew(context);
    open();
    const view = await viewOf(tab);
    expect(opened).toEqual([view]);
    expect(tab.isDisposed).toBe(true);
    expect(view!.isDisposed).toBe(false);
    // The tab is gone, and its view is still known.
    expect(await viewOf(tab)).toBe(view);
    expect(await viewOf(view)).toBe(view);
    expect(opened).toHaveLength(1);
  });

  it('opens no view before all that belongs to it is there', async () => {
    const { context, door, open, opened } = await host();
    open();
    const tab = door.createNew(context);
    expect(opened).toEqual([]);
    const view = await viewOf(tab);
    expect(view).not.toBe(tab);
    // From then on, views are made at once.
    expect(await viewOf(door.createNew(context))).not.toBe(view);
    expect(opened).toHaveLength(1);
  });

  it('says so if its plugin is disabled, and tries once', async () => {
    const { context, door, opened } = await host();
    const log = jest.spyOn(console, 'error').mockImplementation(() => {});
    const tab = door.createNew(context);
    await expect(tab.revealed).rejects.toBeInstanceOf(Widget);
    expect(tab.node.textContent).toContain('disabled');
    await expect(viewOf(tab)).rejects.toThrow('disabled');
    expect(opened).toEqual([]);
    expect(tab.isDisposed).toBe(false);
    log.mockRestore();
  });

  it('opens the view of a tab that could not be loaded, once it can be', async () => {
    const { context, door, fail, open, opened } = await host();
    const log = jest.spyOn(console, 'error').mockImplementation(() => {});
    fail();
    const tab = door.createNew(context);
    await expect(tab.revealed).rejects.toBeInstanceOf(Widget);
    expect(tab.node.textContent).toContain('no connection');
    open();
    const view = await viewOf(tab);
    expect(opened).toEqual([view]);
    expect(tab.isDisposed).toBe(true);
    log.mockRestore();
  });
});
