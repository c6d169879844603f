import type { ITranslator, TranslationBundle } from '@jupyterlab/translation';
import React, { useEffect, useMemo, useRef, useState } from 'react';

import { topicTree } from '../../filter/topics';
import { wordsIn } from '../../ui/translation';
import { step, visibleRows, type ITopicRow } from './topicrows';

export interface ITopicsProps {
  /** The topic of each pair; empty for a pair without one. */
  topics: readonly string[];
  /** Filter by a topic; `withChildren` includes its subtopics. */
  onPick(path: string, withChildren: boolean): void;
  onClose(): void;
  translator?: ITranslator;
}

/**
 * The tree of topics with the number of pairs in each.
 *
 * A click or Enter picks a topic and its subtopics; with Shift, that topic alone.
 */
export function TopicsPopup(props: ITopicsProps): JSX.Element {
  const trans = wordsIn(props);
  const tree = useMemo(() => topicTree(props.topics), [props.topics]);
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const rows = visibleRows(tree, closed);
  const [current, setCurrent] = useState(rows[0]?.node.path ?? '');
  const list = useRef<HTMLDivElement>(null);
  const moved = useRef(true);

  useEffect(() => {
    if (moved.current) {
      moved.current = false;
      list.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus();
    }
  });

  const go = (path: string) => {
    moved.current = true;
    setCurrent(path);
  };
  const toggle = ({ node, open }: ITopicRow) => {
    const next = new Set(closed);
    if (open) {
      next.add(node.path);
    } else {
      next.delete(node.path);
    }
    setClosed(next);
  };
  const pick = ({ node }: ITopicRow, alone: boolean) => {
    props.onPick(node.path, !alone && node.children.length > 0);
    props.onClose();
  };
  const onKeyDown = (event: React.KeyboardEvent, row: ITopicRow) => {
    if (event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    const { key } = event;
    const move = step(rows, row, key);
    if (key === 'Enter' || key === ' ') {
      pick(row, event.shiftKey);
    } else if (move === null) {
      return;
    } else if ('to' in move) {
      go(move.to);
    } else {
      toggle(row);
    }
    event.preventDefault();
    event.stopPropagation();
  };

  if (rows.length === 0) {
    return (
      <p className="jp-Turnbook-topics-empty" role="status">
        {trans.__('No topics yet: set one with the Topic field below')}
      </p>
    );
  }
  const known = rows.some(({ node }) => node.path === current);
  return (
    <>
      <div ref={list} role="tree" aria-label={trans.__('Topics')}>
        {rows.map((row, index) => (
          <TopicItem
            key={row.node.path}
            row={row}
            tabbable={known ? row.node.path === current : index === 0}
            onToggle={() => toggle(row)}
            onPick={alone => pick(row, alone)}
            onFocus={() => setCurrent(row.node.path)}
            onKeyDown={event => onKeyDown(event, row)}
            trans={trans}
          />
        ))}
      </div>
      <p className="jp-Turnbook-hint jp-Turnbook-topics-hint">
        {trans.__(
          'A topic shows all below it too; with Shift, that topic alone.'
        )}
      </p>
    </>
  );
}

function TopicItem(props: {
  row: ITopicRow;
  tabbable: boolean;
  onToggle: () => void;
  onPick: (alone: boolean) => void;
  onFocus: () => void;
  onKeyDown: (event: React.KeyboardEvent) => void;
  trans: TranslationBundle;
}): JSX.Element {
  const { row, trans } = props;
  const { node, open } = row;
  const inner = node.children.length > 0;
  const count = trans._n('%1 pair', '%1 pairs', node.count);
  return (
    <div
      role="treeitem"
      className="jp-Turnbook-topics-item"
      aria-label={`${node.name}, ${count}`}
      aria-level={row.level}
      aria-setsize={row.size}
      aria-posinset={row.position}
      aria-expanded={inner ? open : undefined}
      aria-selected={props.tabbable}
      data-turnbook-topic={node.path}
      tabIndex={props.tabbable ? 0 : -1}
      title={
        inner
          ? trans.__(
              '%1: %2 here, %3 with all below',
              node.path,
              node.own,
              node.count
            )
          : node.path
      }
      style={{ paddingLeft: `${(row.level - 1) * 16 + 4}px` }}
      onClick={event => props.onPick(event.shiftKey)}
      onFocus={props.onFocus}
      onKeyDown={props.onKeyDown}
    >
      <span
        className="jp-Turnbook-topics-twist"
        aria-hidden="true"
        onClick={event => {
          if (inner) {
            event.stopPropagation();
            props.onToggle();
          }
        }}
      >
        {inner ? (open ? '▾' : '▸') : ''}
      </span>
      <span className="jp-Turnbook-topics-name">{node.name}</span>
      <span className="jp-Turnbook-topics-count">{node.count}</span>
    </div>
  );
}
