import { nullTranslator } from '@jupyterlab/translation';
import { CommandRegistry } from '@lumino/commands';

import { savedPair } from '../../../session/__tests__/sessionparts';
import { commandLooks } from '../../../ui/commands';
import { showCells } from '../../__tests__/shownchat';
import { showToolbar } from '../celltools';

/** What the page would do when it is idle. */
let idle: IdleRequestCallback | null = null;

beforeAll(() => {
  globalThis.requestIdleCallback = callback => {
    idle = callback;
    return 1;
  };
  globalThis.cancelIdleCallback = () => (idle = null);
});

async function shown() {
  const content = showCells([
    savedPair('one', 'a', 'b'),
    savedPair('two', 'c', 'd')
  ]);
  content.activeCellIndex = 0;
  const looks = commandLooks(nullTranslator.load('test'));
  showToolbar(
    { content, isDisposed: false },
    new CommandRegistry(),
    looks,
    'More actions'
  );
  const drawn = async () => {
    await Promise.all(content.widgets.map(cell => cell.ready));
    await Promise.resolve();
  };
  await drawn();
  const rest = async () => {
    idle?.({} as IdleDeadline);
    idle = null;
    await drawn();
  };
  const toolbar = () =>
    content.node.querySelector<HTMLElement>('.jp-Turnbook-cellToolbar')!;
  return { content, rest, toolbar };
}

/** Put the focus into the toolbar, as Tab does. */
function focusIn(toolbar: HTMLElement): void {
  const button = document.createElement('button');
  toolbar.append(button);
  button.focus();
  expect(document.activeElement).toBe(button);
}

describe('the toolbar of the active pair', () => {
  it('stays, with the focus in it, while the pair does', async () => {
    const { content, rest, toolbar } = await shown();
    const before = toolbar();
    focusIn(before);
    content.activeCellIndex = 1;
    content.activeCellIndex = 0;
    await rest();
    expect(toolbar()).toBe(before);
    expect(before.contains(document.activeElement)).toBe(true);
  });

  it('leaves the focus at the pair that it moves to', async () => {
    const { content, rest, toolbar } = await shown();
    focusIn(toolbar());
    content.activeCellIndex = 1;
    await rest();
    const [, second] = content.widgets;
    expect(second.node.contains(toolbar())).toBe(true);
    expect(document.activeElement).toBe(second.node);
  });
});
