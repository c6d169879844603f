import type { ITranslator } from '@jupyterlab/translation';

import { quoteValue } from '../../filter/quote';
import { topicFilter } from '../../filter/topics';
import type { ChatPanel } from '../panel';
import { openTopics } from './topicspopup';

/** Open the tree of a chat's topics; choosing one filters by it. */
export function showTopics(panel: ChatPanel, translator: ITranslator): void {
  const topics = panel.session.context.records
    .filter(({ kind }) => kind === 'pair')
    .map(({ topic }) => topic)
    .filter(Boolean);
  const anchor =
    panel.toolbar.node.querySelector<HTMLElement>(
      '[data-command="turnbook:topics"]'
    ) ?? panel.filterBar.node;
  openTopics(anchor, {
    topics,
    onPick: (path, withChildren) =>
      panel.filterBar.apply(
        withChildren ? topicFilter(path) : `topic:${quoteValue(path)}`
      ),
    translator
  });
}
