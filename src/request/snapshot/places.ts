/** Positions of values in JSON text. */
import { jsonLanguage } from '@codemirror/lang-json';
import type { SyntaxNode, Tree } from '@lezer/common';

import type { LeafPath } from '../model';

/** A range in a text and the error there. */
export interface IPlace {
  from: number;
  to: number;
  message: string;
}

/** Parse JSON text into a tree, even if it is incomplete. */
export function parseTree(text: string): Tree {
  return jsonLanguage.parser.parse(text);
}

/** The range of the value at a path, or of the innermost existing value around it. */
export function rangeAt(
  text: string,
  path: LeafPath,
  tree = parseTree(text)
): { from: number; to: number } {
  let node = firstValue(tree.topNode);
  for (const step of path) {
    const next = node && childAt(text, node, step);
    if (!next) {
      break;
    }
    node = next;
  }
  return node ? { from: node.from, to: node.to } : { from: 0, to: text.length };
}

/** The path of the value around a position, and the key being written there, if any. */
export function pathAt(
  text: string,
  position: number,
  tree = parseTree(text)
): LeafPath {
  const path: (string | number)[] = [];
  let node: SyntaxNode | null = tree.resolveInner(position, -1);
  for (; node; node = node.parent) {
    if (node.name === 'Property') {
      path.unshift(keyOf(text, node) ?? '');
    } else if (node.parent?.name === 'Array' && isValue(node)) {
      path.unshift(
        values(node.parent).findIndex(one => one.from === node!.from)
      );
    }
  }
  return path;
}

/** The position of the first syntax error. */
export function firstError(text: string, tree = parseTree(text)): number {
  let at = text.length;
  tree.iterate({
    enter: node => {
      if (node.type.isError && node.from < at) {
        at = node.from;
      }
      return node.from < at;
    }
  });
  return at;
}

function childAt(
  text: string,
  node: SyntaxNode,
  step: string | number
): SyntaxNode | null {
  if (typeof step === 'number') {
    return node.name === 'Array' ? (values(node)[step] ?? null) : null;
  }
  // Like JSON.parse: of duplicate keys, the last one counts.
  const property = node
    .getChildren('Property')
    .filter(one => keyOf(text, one) === step)
    .pop();
  return property ? firstValue(property) : null;
}

function keyOf(text: string, property: SyntaxNode): string | null {
  const name = property.getChild('PropertyName');
  if (!name) {
    return null;
  }
  try {
    return JSON.parse(text.slice(name.from, name.to)) as string;
  } catch (error) {
    if (error instanceof SyntaxError) {
      return null;
    }
    throw error;
  }
}

function firstValue(node: SyntaxNode): SyntaxNode | null {
  return values(node)[0] ?? null;
}

function values(node: SyntaxNode): SyntaxNode[] {
  const found: SyntaxNode[] = [];
  for (let child = node.firstChild; child; child = child.nextSibling) {
    if (isValue(child)) {
      found.push(child);
    }
  }
  return found;
}

function isValue(node: SyntaxNode): boolean {
  return [
    'Object',
    'Array',
    'String',
    'Number',
    'True',
    'False',
    'Null'
  ].includes(node.name);
}
