import {
  MAX_TOPIC,
  normaliseTopic,
  topicFilter,
  topicProblem,
  topicTree,
  type ITopicNode
} from '../topics';

describe('normaliseTopic', () => {
  it.each([
    ['ml/nlp', 'ml/nlp'],
    ['  ml / nlp ', 'ml/nlp'],
    ['/ml//nlp/', 'ml/nlp'],
    ['my   topic', 'my topic'],
    [' / ', '']
  ])('%p', (text, path) => expect(normaliseTopic(text)).toBe(path));
});

describe('topicProblem', () => {
  it('finds nothing wrong with a path, or with none', () => {
    expect(topicProblem('ml/natural language')).toBeNull();
    expect(topicProblem('')).toBeNull();
  });

  it('says what to write instead', () => {
    expect(topicProblem('ml//nlp')?.suggestion).toBe('ml/nlp');
    expect(topicProblem(' ml')?.suggestion).toBe('ml');
    expect(topicProblem('ml/*')?.suggestion).toBe('ml');
    expect(topicProblem('x'.repeat(MAX_TOPIC + 1))?.message).toMatch(/200/);
  });
});

it('makes the filter for a topic and its subtopics, or for none', () => {
  expect(topicFilter('ml/nlp')).toBe('topic:ml/nlp/**');
  expect(topicFilter('my topic')).toBe('topic:"my topic/**"');
  expect(topicFilter('')).toBe('topic:""');
});

describe('topicTree', () => {
  const draw = (nodes: ITopicNode[]): string[] =>
    nodes.flatMap(({ path, count, own, children }) => [
      `${path} ${count} ${own}`,
      ...draw(children)
    ]);

  it('counts a pair in its topic and its ancestors', () => {
    const topics = ['ml/nlp', 'art', 'ml', 'ml/nlp', 'ml/cv/detect', '', 'art'];
    expect(draw(topicTree(topics))).toEqual([
      'art 2 2',
      'ml 4 1',
      'ml/cv 1 0',
      'ml/cv/detect 1 1',
      'ml/nlp 2 2'
    ]);
  });

  it('accepts names with a meaning elsewhere, and untidy ones', () => {
    expect(draw(topicTree(['__proto__', 'constructor/', 'a//b']))).toEqual([
      '__proto__ 1 1',
      'a 1 0',
      'a/b 1 1',
      'constructor 1 1'
    ]);
    expect(topicTree([])).toEqual([]);
  });
});
