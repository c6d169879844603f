import { nullTranslator } from '@jupyterlab/translation';

import type { IBarrier } from '../barrier';
import { BarrierView } from '../barrierview';

const NOW = 1_000_000;

const waiting: IBarrier = {
  headline: 'Connection lost',
  reached: 'after 41 characters',
  detail: '',
  next: { attempt: 3, at: NOW + 3500 },
  canRetry: true,
  canStop: true,
  remedy: null,
  mood: 'waiting'
};

let asked: string[];
let view: BarrierView;
const text = () => view.node.querySelector('span')!.textContent;
const buttons = () => [...view.node.querySelectorAll('button')];

beforeEach(() => {
  jest.useFakeTimers({ now: NOW });
  asked = [];
  view = new BarrierView(nullTranslator.load(''), action => asked.push(action));
  document.body.append(view.node);
});

afterEach(() => {
  view.dispose();
  view.node.remove();
  jest.useRealTimers();
});

it('counts down, silently for screen readers', () => {
  view.show(waiting);
  const start = 'Connection lost after 41 characters. Next attempt (3) in 4 s.';
  expect(text()).toBe(start);
  expect(view.node.querySelector('[role=timer]')!.textContent).toBe('in 4 s');
  expect(view.node.querySelector('[role=status]')).toBeNull();
  jest.advanceTimersByTime(500);
  expect(text()).toMatch(/in 3 s\.$/);
  jest.advanceTimersByTime(2000);
  expect(text()).toMatch(/in 1 s\.$/);
  jest.advanceTimersByTime(5000);
  expect(text()).toMatch(/Next attempt \(3\) now\.$/);
  expect(jest.getTimerCount()).toBe(0);
});

it('requests the actions of its buttons', () => {
  view.show(waiting);
  buttons().forEach(node => node.click());
  expect(buttons().map(node => node.textContent)).toEqual([
    'Retry now',
    'Stop auto-retry'
  ]);
  expect(asked).toEqual(['retry', 'stop-retry']);
});

it('keeps its nodes and the focus when nothing changed', () => {
  view.show(waiting);
  const [retry] = buttons();
  retry.focus();
  view.show({ ...waiting });
  expect(buttons()[0]).toBe(retry);
  view.show({
    ...waiting,
    next: null,
    canStop: false,
    detail: 'Auto-retry is off.',
    mood: 'stuck'
  });
  expect(document.activeElement).toBe(buttons()[0]);
  expect(document.activeElement!.textContent).toBe('Retry now');
  expect(text()).toBe(
    'Connection lost after 41 characters. Auto-retry is off.'
  );
});

it('is disposed with its clock', () => {
  view.show(waiting);
  view.show(null);
  expect(view.node.hidden).toBe(true);
  expect(jest.getTimerCount()).toBe(0);
});
