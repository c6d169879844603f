import { trans } from '../base/words';
import { quoteValue } from './quote';

/** The longest topic path, in characters. */
export const MAX_TOPIC = 200;

/** Why a topic is invalid, and what to write instead. */
export interface ITopicProblem {
  message: string;
  suggestion?: string;
}

/** A topic and its subtopics. */
export interface ITopicNode {
  /** The last part of the path. */
  name: string;
  path: string;
  /** How many pairs have this topic or a subtopic. */
  count: number;
  /** How many pairs have exactly this topic. */
  own: number;
  children: ITopicNode[];
}

/** Normalise a topic path: trim parts, collapse spaces, drop empty parts. */
export function normaliseTopic(text: string): string {
  return text
    .split('/')
    .map(part => part.trim().replace(/\s+/g, ' '))
    .filter(Boolean)
    .join('/');
}

/** Why a topic path is invalid; null if it is valid. The empty path means no topic. */
export function topicProblem(topic: string): ITopicProblem | null {
  if (topic.length > MAX_TOPIC) {
    return {
      message: trans.__('A topic has at most %1 characters.', MAX_TOPIC)
    };
  }
  if (topic.includes('*')) {
    return {
      message: trans.__(
        'A topic cannot contain *, which means “any” in a filter.'
      ),
      suggestion: normaliseTopic(topic.replaceAll('*', ''))
    };
  }
  const normal = normaliseTopic(topic);
  return normal === topic
    ? null
    : {
        message: trans.__(
          'A topic has no empty parts and no spaces around its parts.'
        ),
        suggestion: normal
      };
}

/** A filter for a topic and its subtopics. */
export function topicFilter(path: string): string {
  return `topic:${quoteValue(path && `${path}/**`)}`;
}

/** Build the tree of topics, with counts; pairs without a topic are left out. */
export function topicTree(topics: Iterable<string>): ITopicNode[] {
  const roots: ITopicNode[] = [];
  const nodes = new Map<string, ITopicNode>();
  for (const topic of topics) {
    let level = roots;
    let node: ITopicNode | null = null;
    for (const name of normaliseTopic(topic).split('/').filter(Boolean)) {
      const path: string = node ? `${node.path}/${name}` : name;
      node = nodes.get(path) ?? null;
      if (!node) {
        node = { name, path, count: 0, own: 0, children: [] };
        nodes.set(path, node);
        level.push(node);
      }
      node.count++;
      level = node.children;
    }
    if (node) {
      node.own++;
    }
  }
  const byName = (a: ITopicNode, b: ITopicNode) => a.name.localeCompare(b.name);
  nodes.forEach(node => node.children.sort(byName));
  return roots.sort(byName);
}
