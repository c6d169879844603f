import { StaticNotebook } from '@jupyterlab/notebook';

import { endScrolling } from '../scrollwait';

describe('endScrolling', () => {
  it('leaves a JupyterLab alone that says itself when scrolling is done', () => {
    expect('_markProgrammaticScrollingDone' in StaticNotebook.prototype).toBe(
      true
    );
    const notebook = Object.create(StaticNotebook.prototype);
    const { scrollToItem } = notebook;
    endScrolling(notebook);
    expect(notebook.scrollToItem).toBe(scrollToItem);
  });

  it('waits for no timer elsewhere', async () => {
    const scrolled: number[] = [];
    const notebook: any = {
      scrollToItem: (index: number) => {
        scrolled.push(index);
        return new Promise(() => undefined);
      }
    };
    endScrolling(notebook);
    await notebook.scrollToItem(3);
    expect(scrolled).toEqual([3]);
  });
});
