import { nullTranslator } from '@jupyterlab/translation';
import { ReactWidget } from '@jupyterlab/ui-components';
import { ServerConnection } from '@jupyterlab/services';
import { Signal } from '@lumino/signaling';
import { Widget } from '@lumino/widgets';
import React from 'react';

import type { IRerunPreview, IRerunWish } from '../../base/run';
import { ModelSets } from '../../chat/several/modelsets';
import { ApiError } from '../../runs/api';
import { RerunForm } from '../dialog';

const trans = nullTranslator.load('jupyterlab_turnbook');

let widget: ReactWidget;
let previews: number;
/** What the next previews say besides. */
let said: Partial<IRerunPreview>;
let isOver: boolean;
/** What the server was asked to start. */
let asked: [id: string, wish: IRerunWish, plan: string][];
/** What becomes of each. */
let answers: (Error | null)[];

/** Each preview finds that the name of the last is taken, as after a rerun has begun. */
async function preview(wish: IRerunWish): Promise<IRerunPreview> {
  previews++;
  return {
    plan: `plan-${previews}`,
    problem: '',
    records: [{ name: 'one', model: 'p/m' }],
    refused: [],
    folder: null,
    out: wish.out ?? `results-${previews}.ipynb`,
    replaces: false,
    requests: 1,
    had: 0,
    models: [],
    ...said
  };
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) {
    await new Promise(resolve => setTimeout(resolve));
  }
}

const button = () =>
  [...document.querySelectorAll('button')].find(
    ({ textContent }) => textContent === 'Rerun'
  )!;

const field = (name: string) =>
  document.querySelector<HTMLInputElement>(`[aria-label="${name}"]`)!;

function enter(input: HTMLInputElement, text: string): void {
  const { set } = Object.getOwnPropertyDescriptor(
    HTMLInputElement.prototype,
    'value'
  )!;
  set!.call(input, text);
  input.dispatchEvent(new Event('input', { bubbles: true }));
}

async function start(): Promise<void> {
  await until(() => !button().disabled);
  const { length } = asked;
  button().click();
  await until(() => asked.length > length);
}

beforeEach(async () => {
  previews = 0;
  said = {};
  isOver = false;
  asked = [];
  answers = [];
  const catalog = { list: null } as any;
  catalog.changed = new Signal(catalog);
  widget = ReactWidget.create(
    <RerunForm
      source={{ paths: ['one.replay.ipynb'] }}
      catalog={catalog}
      sets={new ModelSets(window.localStorage)}
      prices={{}}
      preview={preview}
      start={async (...call) => {
        asked.push(call);
        const answer = answers.shift();
        if (answer) {
          throw answer;
        }
      }}
      onStarted={() => (isOver = true)}
      trans={trans}
    />
  );
  Widget.attach(widget, document.body);
  await widget.renderPromise;
});

afterEach(() => widget.dispose());

const lost = () => new ServerConnection.NetworkError(new TypeError('lost'));

describe('a rerun', () => {
  it.each([
    ['network', lost()],
    ['gateway', new ApiError(504, '504', 'late')]
  ])(
    'that may have begun is asked for again as it was (%s)',
    async (_, error) => {
      answers = [error];
      await start();
      await until(() => document.querySelector('[role="alert"]') !== null);
      await start();
      await until(() => isOver);
      expect(asked[1]).toEqual(asked[0]);
      expect(asked[0][1].out).toBe('results-1.ipynb');
    }
  );

  it('that may have begun is another one once the user changed the form', async () => {
    answers = [lost()];
    await start();
    await until(() => document.querySelector('[role="alert"]') !== null);
    enter(field('Most requests'), '7');
    await until(() => previews === 2);
    await start();
    await until(() => isOver);
    expect(asked[1][0]).not.toBe(asked[0][0]);
    expect(asked[1][1]).toMatchObject({
      out: 'results-2.ipynb',
      maxRequests: 7
    });
  });

  it('that the server refused is counted again', async () => {
    answers = [new ApiError(409, 'plan-changed', 'It has changed.')];
    await start();
    await until(() => previews === 2);
    await start();
    await until(() => isOver);
    expect(asked[1][0]).not.toBe(asked[0][0]);
    expect(asked[1][2]).toBe('plan-2');
  });

  it('promises to keep replies only if it can', async () => {
    said = { replaces: true };
    enter(field('Most requests'), '7');
    await until(() => /are kept/.test(document.body.textContent!));
    said = { replaces: true, plan: '', problem: 'Put its store back.' };
    enter(field('Most requests'), '8');
    await until(() => /Put its store/.test(document.body.textContent!));
    expect(document.body.textContent).not.toMatch(/are kept/);
    expect(button().disabled).toBe(true);
  });

  it('is not sent with a limit that can be read in two ways, and says why', async () => {
    await until(() => !button().disabled);
    enter(field('Most requests'), '1,000');
    await until(() => button().disabled);
    expect(document.querySelector('[role="alert"]')?.textContent).toMatch(
      /digits only/
    );
    enter(field('Most requests'), '1000');
    enter(field('Most dollars'), '1.000');
    await until(() =>
      /dollars/.test(
        document.querySelector('[role="alert"]')?.textContent ?? ''
      )
    );
    expect(button().disabled).toBe(true);
  });
});
