import { chooseReply } from '../../../document/choice';
import { Pair } from '../../../document/pair';
import { savedPair } from '../../../session/__tests__/sessionparts';
import type { PairCell } from '../cell';
import { showCells } from '../../__tests__/shownchat';

/** A pair with two replies. */
function several() {
  const pair = savedPair('pair', 'Which?', 'zero') as any;
  const { turnbook_run: run } = pair.metadata;
  const group = 'a0000000-0000-4000-8000-000000000000';
  const { model, requestHash, updatedAt: at, ...rest } = run;
  pair.metadata = {
    turnbook_run: { ...run, group, sibling: 0 },
    turnbook_versions: [
      {
        source: 'Which?',
        reply: 'one',
        model,
        requestHash,
        at,
        runId: 'run-one',
        run: rest,
        group,
        sibling: 1
      }
    ]
  };
  return pair;
}

describe('several replies', () => {
  it('have one eye, at the chosen one', () => {
    const notebook = showCells([several()]);
    const [{ node }] = notebook.widgets;
    const shared = notebook.model!.sharedModel;
    const eyes = () => [...node.querySelectorAll('.jp-Turnbook-eye')];
    const place = (eye: Element) =>
      eye.closest<HTMLElement>('[data-turnbook-sibling]')?.dataset
        .turnbookSibling;
    expect(eyes().map(place)).toEqual(['0']);
    const [eye] = eyes();
    eye.querySelector('button')!.click();
    expect(Pair.find(shared, 'pair')!.reply?.sent).toBe(false);
    // It may have the focus.
    expect(eyes()).toEqual([eye]);
    expect(eye.textContent).toContain('not sent');

    chooseReply(shared, Pair.find(shared, 'pair')!, 1);
    expect(eyes().map(place)).toEqual(['1']);
    expect(eyes()[0].textContent).not.toContain('not sent');
    notebook.dispose();
  });

  it('bring the one to the front that is chosen', () => {
    const notebook = showCells([several()]);
    const [{ node }] = notebook.widgets;
    const shared = notebook.model!.sharedModel;
    const tabs = () => [...node.querySelectorAll('[role="tab"]')];
    const front = () =>
      tabs().findIndex(tab => tab.getAttribute('aria-selected') === 'true');
    expect(front()).toBe(0);
    (tabs()[1] as HTMLElement).click();
    expect(front()).toBe(1);
    chooseReply(shared, Pair.find(shared, 'pair')!, 1);
    expect(front()).toBe(1);
    chooseReply(shared, Pair.find(shared, 'pair')!, 0);
    expect(front()).toBe(0);
    notebook.dispose();
  });

  it('cannot be chosen while they are being sent', () => {
    const notebook = showCells([several()]);
    const [cell] = notebook.widgets as PairCell[];
    const choose = () =>
      [...cell.node.querySelectorAll('button')].find(
        ({ textContent }) => textContent === 'Choose this reply'
      )!;
    expect(choose().disabled).toBe(false);
    cell.know({ isPosting: true });
    expect(choose().disabled).toBe(true);
    expect(choose().title).toContain('still being sent');
    cell.know({ isPosting: false });
    expect(choose().disabled).toBe(false);
    notebook.dispose();
  });

  it('are compared with one button, and so is an earlier version', () => {
    const pair = several();
    const [other] = pair.metadata.turnbook_versions;
    const { group: _, sibling: __, ...past } = other;
    pair.metadata.turnbook_versions.push({
      ...past,
      runId: 'past',
      reply: 'past'
    });
    const notebook = showCells([pair]);
    const [{ node }] = notebook.widgets;
    const named = [...node.querySelectorAll('button')].filter(
      ({ textContent }) => textContent === 'Compare replies'
    );
    expect(named).toHaveLength(1);
    expect(node.textContent).toContain('2 / 2');
    notebook.dispose();
  });
});
