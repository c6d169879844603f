import type { StreamingMarkdown } from '../../../render/streaming';
import type { IToolRound } from '../../../document/rounds';
import { RoundView, type IRoundRequest } from '../toolround';

const CALL = {
  id: 'a',
  type: 'function',
  function: { name: 'dice', arguments: '{}' }
};

const round = (result?: string): IToolRound => ({
  message: { role: 'assistant', content: null, tool_calls: [CALL] },
  results:
    result === undefined
      ? []
      : [{ role: 'tool', tool_call_id: 'a', content: result }]
});

const WAITING = { waits: true, locked: false, partial: false };

describe('RoundView', () => {
  let asked: IRoundRequest[];
  let view: RoundView;

  const named = (label: string) =>
    [...view.node.querySelectorAll('button')].find(
      ({ textContent }) => textContent === label
    )!;

  beforeEach(() => {
    asked = [];
    view = new RoundView({
      number: 1,
      createText: () => null as unknown as StreamingMarkdown,
      onRequest: request => asked.push(request)
    });
    document.body.append(view.node);
    view.update(round(), WAITING);
  });

  afterEach(() => view.dispose());

  it('keeps the button that is being pressed when updated with the same state', () => {
    const pressed = named('Continue');
    view.node.querySelector('textarea')!.value = '6';
    view.update(round(), WAITING);
    expect(pressed.isConnected).toBe(true);
    pressed.click();
    expect(asked).toEqual([{ kind: 'continue', results: new Map([[0, '6']]) }]);
  });

  it('says once that a result is missing, until the turn continues', () => {
    named('Continue').click();
    view.update(round(), WAITING);
    expect(view.node.textContent).toContain('A result is missing');
    expect(asked).toEqual([]);
    named('Continue').click();
    view.update(round(), WAITING);
    expect(view.node.textContent).not.toContain('A result is missing');
    expect(asked).toEqual([{ kind: 'continue', results: new Map() }]);
  });

  it('discards changes in a round that the turn has continued from', () => {
    const done = { ...WAITING, waits: false };
    view.update(round('1'), done);
    named('Edit results').click();
    const text = view.node.querySelector('textarea')!;
    expect(document.activeElement).toBe(text);
    text.value = '6';
    named('Cancel').click();
    expect(view.written.size).toBe(0);
    expect(named('Edit results')).toBeDefined();
  });

  it('offers nothing while it is locked', () => {
    expect(named('Remove calls')).toBeDefined();
    view.update(round(), { ...WAITING, locked: true });
    for (const label of ['Continue', 'Remove calls', 'Edit results']) {
      expect(named(label)).toBeUndefined();
    }
  });
});
