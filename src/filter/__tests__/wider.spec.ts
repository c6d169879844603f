import { wider } from '../wider';
import { pair, query } from './pairs';

const CELLS = [
  pair({ id: 'a', topic: 'stats/tests' }),
  pair({ id: 'b', topic: 'stats/design', star: 1 }),
  pair({ id: 'c', topic: 'art' })
];

const widened = (text: string) => wider(query(text), CELLS, 0);

describe('wider', () => {
  it.each([
    ['topic:stats', 'topic:stats/**', 2],
    ['topic:stats star:1', 'topic:stats/** star:1', 1],
    ['topic:stats OR topic:none', 'topic:stats/** OR topic:none/**', 2],
    ['topic:stats last:1', 'topic:stats/** last:1', 1]
  ])('%s shows what is below its topic', (text, more, pairs) => {
    expect(widened(text)).toEqual({ text: more, pairs });
  });

  it.each(['', 'words', 'topic:none', 'topic:stats/x/*', '-topic:stats words'])(
    'is nothing for %j',
    text => {
      expect(widened(text)).toBeNull();
    }
  );

  it('is nothing without a filter', () => {
    expect(wider(null, CELLS, 0)).toBeNull();
  });
});
