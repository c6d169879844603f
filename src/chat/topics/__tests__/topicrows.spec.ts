import { topicTree } from '../../../filter/topics';
import { step, visibleRows } from '../topicrows';

const TREE = topicTree(['ml/nlp', 'ml/nlp', 'ml', 'open', 'ml/vision', '']);
const rows = (...closed: string[]) => visibleRows(TREE, new Set(closed));
const at = (path: string, all = rows()) =>
  all.find(({ node }) => node.path === path)!;

it('rows have level, position and number of siblings', () => {
  expect(
    rows().map(row => [row.node.path, row.level, row.position, row.size])
  ).toEqual([
    ['ml', 1, 1, 2],
    ['ml/nlp', 2, 1, 2],
    ['ml/vision', 2, 2, 2],
    ['open', 1, 2, 2]
  ]);
});

it('subtopics of a closed topic have no row', () => {
  expect(rows('ml').map(({ node }) => node.path)).toEqual(['ml', 'open']);
});

it.each([
  ['ml', 'ArrowDown', { to: 'ml/nlp' }],
  ['ml', 'ArrowUp', null],
  ['open', 'ArrowDown', null],
  ['open', 'ArrowUp', { to: 'ml/vision' }],
  ['ml', 'ArrowRight', { to: 'ml/nlp' }],
  ['ml', 'ArrowLeft', { toggle: true }],
  ['ml/nlp', 'ArrowLeft', { to: 'ml' }],
  ['ml/nlp', 'ArrowRight', null],
  ['open', 'ArrowLeft', null],
  ['open', 'Home', { to: 'ml' }],
  ['ml', 'End', { to: 'open' }],
  ['ml', 'V', { to: 'ml/vision' }],
  ['ml', 'z', null],
  ['ml', 'Tab', null]
])('from %s, %s', (path, key, expected) => {
  expect(step(rows(), at(path), key)).toEqual(expected);
});

it('a closed topic opens on ArrowRight and stays closed on ArrowLeft', () => {
  const closed = rows('ml');
  expect(step(closed, at('ml', closed), 'ArrowRight')).toEqual({
    toggle: true
  });
  expect(step(closed, at('ml', closed), 'ArrowLeft')).toBeNull();
});
