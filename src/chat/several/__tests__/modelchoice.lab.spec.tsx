import { nullTranslator } from '@jupyterlab/translation';
import { ReactWidget } from '@jupyterlab/ui-components';
import { Widget } from '@lumino/widgets';
import React from 'react';

import { ModelChoice, type IModelChoice } from '../modelchoice';
import { ModelSets } from '../modelsets';

const trans = nullTranslator.load('jupyterlab_turnbook');

let widget: Widget;
let chosen: IModelChoice;

/** Listed models, and those that are chosen. */
function Choice({ most }: { most: number }) {
  const [value, setValue] = React.useState(chosen);
  const [sets] = React.useState(() => new ModelSets(window.localStorage));
  return (
    <ModelChoice
      all={[...new Set(['p/a', 'p/b', ...value.models])]}
      value={value}
      onChange={next => {
        chosen = next;
        setValue(next);
      }}
      most={most}
      sets={sets}
      onProblem={() => undefined}
      trans={trans}
    />
  );
}

async function show(models: readonly string[], most = 9): Promise<void> {
  chosen = { models, repeats: 1 };
  widget = ReactWidget.create(<Choice most={most} />);
  Widget.attach(widget, document.body);
  await (widget as ReactWidget).renderPromise;
}

afterEach(() => widget.dispose());

/** React draws after each event. */
const drawn = () => new Promise<void>(resolve => setTimeout(resolve));

const repeats = () =>
  document.querySelector<HTMLInputElement>('input[type="number"]')!;

/** Press a key in the field, as a browser does: what it says changes by one character. */
async function typeKey(key: string): Promise<void> {
  const input = repeats();
  const { set } = Object.getOwnPropertyDescriptor(
    HTMLInputElement.prototype,
    'value'
  )!;
  const text =
    key === 'Backspace' ? input.value.slice(0, -1) : input.value + key;
  set!.call(input, text);
  input.dispatchEvent(new Event('input', { bubbles: true }));
  await drawn();
}

describe('the number of repeats', () => {
  it('is what the user types', async () => {
    await show(['p/a']);
    repeats().focus();
    await typeKey('Backspace');
    expect(repeats().value).toBe('');
    expect(chosen.repeats).toBe(1);
    await typeKey('5');
    expect(repeats().value).toBe('5');
    expect(chosen.repeats).toBe(5);
  });

  it('is within its limits, and says so when the user leaves it', async () => {
    await show(['p/a']);
    repeats().focus();
    await typeKey('5');
    expect(repeats().value).toBe('15');
    expect(chosen.repeats).toBe(9);
    repeats().blur();
    await drawn();
    expect(repeats().value).toBe('9');
    repeats().focus();
    await typeKey('Backspace');
    repeats().blur();
    await drawn();
    expect(repeats().value).toBe('1');
  });
});

describe('the list of models', () => {
  const options = () => [
    ...document.querySelectorAll<HTMLElement>('[role="option"]')
  ];
  const reachable = () => options().filter(({ tabIndex }) => tabIndex === 0);
  const press = async (key: string) => {
    document.activeElement!.dispatchEvent(
      new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true })
    );
    await drawn();
  };

  it.each([
    [['p/gone'], 'End', ['p/a', 'p/b'], 'p/b'],
    [['p/gone', 'q/gone'], 'ArrowUp', ['p/a', 'p/b', 'q/gone'], 'q/gone']
  ])(
    'keeps the focus when one of %j disappears',
    async (models, key, left, focused) => {
      await show(models);
      options().at(-1)!.focus();
      await drawn();
      await press(key);
      await press(' ');
      expect(options().map(({ textContent }) => textContent)).toEqual(
        left.map(model => expect.stringContaining(model))
      );
      expect(reachable()).toEqual([document.activeElement]);
      expect(document.activeElement?.textContent).toContain(focused);
      await press('Home');
      await press(' ');
      expect(chosen.models).toContain('p/a');
    }
  );
});

describe('the saved sets of models', () => {
  const select = () => document.querySelector('select')!;
  const names = () =>
    [...select().options].map(({ textContent }) => textContent).slice(1);
  const button = (label: string) =>
    [...document.querySelectorAll('button')].find(
      ({ textContent }) => textContent === label
    );
  const choose = async (name: string) => {
    select().value = name;
    select().dispatchEvent(new Event('change', { bubbles: true }));
    await drawn();
  };
  const save = async (name: string) => {
    button('Save…')!.click();
    const dialog = await until(() =>
      document.querySelector<HTMLElement>('.jp-Dialog')
    );
    const input = dialog.querySelector('input')!;
    input.value = name;
    dialog.querySelector<HTMLElement>('.jp-mod-accept')!.click();
    await until(() => (select().value === name.trim() ? true : null));
  };

  /** Wait until something is there. */
  async function until<T>(find: () => T | null): Promise<T> {
    for (;;) {
      const found = find();
      if (found !== null) {
        return found;
      }
      await drawn();
    }
  }

  beforeEach(() => window.localStorage.clear());

  it('are saved with their repeats, loaded in another dialog, replaced and removed', async () => {
    await show(['p/a', 'p/gone']);
    await typeKey('Backspace');
    await typeKey('3');
    await save(' Both ');
    expect(names()).toEqual(['Both']);
    widget.dispose();

    await show(['p/b']);
    expect(names()).toEqual(['Both']);
    expect(button('Remove')).toBeUndefined();
    await choose('Both');
    expect(chosen).toEqual({ models: ['p/a', 'p/gone'], repeats: 3 });
    expect(repeats().value).toBe('3');
    // Another choice is no longer the set.
    document.querySelector<HTMLElement>('[role="option"]')!.click();
    await drawn();
    expect(select().value).toBe('');
    await save('Both');
    await save('Another');
    expect(names()).toEqual(['Another', 'Both']);
    await choose('Both');
    expect(chosen.models).toEqual(['p/gone']);
    button('Remove')!.click();
    await drawn();
    expect(names()).toEqual(['Another']);
    expect(select().value).toBe('');
    widget.dispose();

    await show(['p/a'], 2);
    expect(names()).toEqual(['Another']);
    await choose('Another');
    // This dialog repeats less often.
    expect(chosen).toEqual({ models: ['p/gone'], repeats: 2 });
  });

  it('may be anything in the storage', async () => {
    const broken = [null, { name: '' }, { name: 'x', models: 'p/a' }, 5];
    const good = { name: 'Good', models: ['p/b'], repeats: -4 };
    const stored = JSON.stringify([...broken, good]);
    window.localStorage.setItem('turnbook:model-sets', stored);
    await show(['p/a']);
    expect(names()).toEqual(['Good']);
    await choose('Good');
    expect(chosen).toEqual({ models: ['p/b'], repeats: 1 });
  });
});
