/** Pages of which each has its own document, which merge as with jupyter-collaboration. */
import type { YNotebook } from '@jupyter/ydoc';
import { NotebookModel } from '@jupyterlab/notebook';
import { Signal } from '@lumino/signaling';
import { applyUpdate, encodeStateAsUpdate } from 'yjs';

import type { IRun } from '../../base/run';
import { chooseReply } from '../../document/choice';
import type { IRunInfo } from '../../document/metadata';
import { Pair } from '../../document/pair';
import {
  beginSiblings,
  pastVersions,
  siblingsOf
} from '../../document/siblings';
import type { LiveRun } from '../../runs/live';
import { Lander } from '../lander';

const info = (sibling: number): IRunInfo => ({
  state: 'sending',
  model: `p/m${sibling}`,
  createdAt: 1,
  updatedAt: 1,
  runId: `run-${sibling}`,
  attempt: sibling + 1,
  context: [],
  requestHash: `${sibling}`.repeat(64),
  group: 'g',
  sibling
});

/** A page: its document, and what lands replies in it. */
class Page {
  readonly model = new NotebookModel({ collaborationEnabled: true });
  readonly lander: Lander;

  /** @param from - A page that has the document already. */
  constructor(clientID: number, from?: Page) {
    this.notebook.ydoc.clientID = clientID;
    if (from) {
      applyUpdate(this.notebook.ydoc, encodeStateAsUpdate(from.notebook.ydoc));
    }
    const context: any = { model: this.model, saveState: new Signal({}) };
    const file: any = {
      reread: new Signal({}),
      saved: new Signal({}),
      repeatable: <T>(change: () => T) => change()
    };
    const claims: any = {};
    this.lander = new Lander({ context, file, claims });
  }

  get notebook(): YNotebook {
    return this.model.sharedModel as YNotebook;
  }

  get pair(): Pair {
    return Pair.find(this.notebook, 'pair')!;
  }

  get texts(): string[] {
    return siblingsOf(this.pair).map(({ slot }) => slot.reply?.text ?? '');
  }

  /** Choose a reply as `PairActions` does. */
  choose(sibling: number): void {
    chooseReply(this.notebook, this.pair, sibling);
    this.lander.keepSiblings(this.pair);
  }

  land(sibling: number): void {
    const { attempt, requestHash } = info(sibling);
    const run = {
      id: `run-${sibling}`,
      chat: 'c',
      pair: 'pair',
      attempt,
      provider: 'p',
      model: `m${sibling}`,
      state: 'done',
      hash: requestHash,
      size: 1,
      createdAt: 1,
      updatedAt: 2,
      events: 2,
      cell: this.pair.toJSON(),
      turn: { auto: true },
      group: 'g',
      sibling
    } as unknown as IRun;
    this.lander.land({
      run,
      text: `reply ${sibling}`,
      seams: [],
      reasoning: [],
      images: [],
      calls: [],
      chain: []
    } as unknown as LiveRun);
  }
}

describe.each([
  [1, 2],
  [2, 1]
])('pages %i and %i with merging documents', (one, other) => {
  let here: Page;
  let there: Page;

  const merge = () => {
    applyUpdate(there.notebook.ydoc, encodeStateAsUpdate(here.notebook.ydoc));
    applyUpdate(here.notebook.ydoc, encodeStateAsUpdate(there.notebook.ydoc));
  };

  /** Let both tidy up until nothing changes any more. */
  const tidied = () => {
    for (let round = 0; round < 3; round++) {
      jest.advanceTimersByTime(1000);
      merge();
    }
  };

  beforeEach(() => {
    jest.useFakeTimers();
    here = new Page(one);
    there = new Page(other);
    here.notebook.insertCell(0, {
      cell_type: 'code',
      id: 'pair',
      source: 'Which?',
      metadata: { turnbook_run: info(0) as any },
      outputs: []
    });
    beginSiblings(here.notebook, here.pair, [info(1), info(2)]);
    here.land(0);
    here.land(1);
    merge();
  });

  afterEach(() => {
    for (const page of [here, there]) {
      page.lander.dispose();
      page.model.dispose();
    }
    jest.useRealTimers();
  });

  const expectAll = (chosen: number) => {
    for (const page of [here, there]) {
      expect(page.texts).toEqual(['reply 0', 'reply 1', 'reply 2']);
      expect(page.pair.run?.sibling).toBe(chosen);
      expect(pastVersions(page.pair)).toEqual([]);
      expect(page.pair.versions).toHaveLength(2);
    }
  };

  it('lose no reply when one is chosen while another lands', () => {
    here.choose(1);
    there.land(2);
    merge();
    tidied();
    expectAll(1);
  });

  it('lose none when the one that lands is chosen', () => {
    here.choose(2);
    there.land(2);
    merge();
    tidied();
    expectAll(2);
  });

  it.each([1, 2])(
    'lose none when %i is chosen, another lands and the documents merge late',
    chosen => {
      here.choose(chosen);
      there.land(2);
      // Nothing is left to be done by what each did itself.
      jest.advanceTimersByTime(1000);
      merge();
      tidied();
      expectAll(chosen);
    }
  );

  it('do not bring back what was taken back, since the server did not want it', () => {
    there.land(2);
    merge();
    const takeBack = beginSiblings(here.notebook, here.pair, [info(3)]);
    merge();
    there.choose(1);
    merge();
    takeBack();
    merge();
    tidied();
    expectAll(1);
  });

  it('bring back one that is to come', () => {
    const run: any = {
      id: 'run-2',
      pair: 'pair',
      attempt: 3,
      state: 'running'
    };
    there.lander.note(run);
    there.choose(1);
    merge();
    // Another list wins, which lacks it.
    const { pair } = here;
    pair.setVersions(
      pair.storedVersions.filter((one: any) => one.sibling !== 2)
    );
    merge();
    tidied();
    for (const page of [here, there]) {
      expect(page.texts).toEqual(['reply 0', 'reply 1', '']);
    }
  });

  it('lose none when both choose', () => {
    there.land(2);
    merge();
    here.choose(1);
    there.choose(2);
    merge();
    tidied();
    expectAll(here.pair.run!.sibling!);
  });

  it.each([
    [1, 2],
    [2, 0],
    [1, 1]
  ])(
    'show the chosen one alone when they choose %i and %i, opened after all had landed',
    (mine, theirs) => {
      there.land(2);
      merge();
      for (const page of [here, there]) {
        page.lander.dispose();
      }
      [here, there] = [new Page(one + 10, here), new Page(other + 10, here)];
      here.choose(mine);
      there.choose(theirs);
      if (theirs === 0) {
        there.choose(1);
        there.choose(0);
      }
      merge();
      tidied();
      const chosen = here.pair.run!.sibling!;
      expect([mine, theirs]).toContain(chosen);
      expectAll(chosen);
      for (const { pair } of [here, there]) {
        expect(pair.parts).toHaveLength(1);
        expect(pair.reply?.text).toBe(`reply ${chosen}`);
      }
    }
  );
});
