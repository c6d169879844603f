import type { IOutput } from '@jupyterlab/nbformat';
import { Widget } from '@lumino/widgets';

import { withSent } from '../../../document/sentmark';
import { roundOutput } from '../../../document/rounds';
import type { StreamingMarkdown } from '../../../render/streaming';
import { TurnSteps, type IToolRequest } from '../turnsteps';

const CALL = {
  id: 'a',
  type: 'function',
  function: { name: 'dice', arguments: '{}' }
};

const ROUND = roundOutput({
  message: { role: 'assistant', content: null, tool_calls: [CALL] },
  results: [{ role: 'tool', tool_call_id: 'a', content: '1' }]
});

const STATE = { hasReply: false, locked: false };

describe('TurnSteps', () => {
  let asked: IToolRequest[];
  let eyes: number[];
  let outputs: IOutput[];
  let steps: TurnSteps;

  const text = () => steps.node.querySelector('textarea')!;
  const eye = () =>
    steps.node.querySelector<HTMLButtonElement>('.jp-Turnbook-eye button');

  beforeEach(() => {
    asked = [];
    eyes = [];
    outputs = [ROUND];
    steps = new TurnSteps(
      () => null as unknown as StreamingMarkdown,
      place => {
        eyes.push(place);
        const [round] = outputs;
        outputs = [withSent(round, false)];
        steps.display(outputs, STATE);
      }
    );
    steps.requested.connect((_, request) => asked.push(request));
    Widget.attach(steps, document.body);
    steps.display(outputs, STATE);
  });

  afterEach(() => steps.dispose());

  it('writes a result into the document before its round is not sent', () => {
    text().value = '6';
    eye()!.click();
    expect(asked).toEqual([
      { kind: 'write', round: 0, results: new Map([[0, '6']]) }
    ]);
    expect(eyes).toEqual([0]);
    expect(text().hidden).toBe(true);
  });

  it('lets a round be sent, or not, once its changed results are sent or discarded', () => {
    steps.display(outputs, { ...STATE, hasReply: true });
    expect(eye()).not.toBeNull();
    const edit = [...steps.node.querySelectorAll('button')].find(
      ({ textContent }) => textContent === 'Edit results'
    );
    edit!.click();
    expect(eye()).toBeNull();
  });
});
