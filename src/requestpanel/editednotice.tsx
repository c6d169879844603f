import * as React from 'react';

import type { RequestDraft } from '../request/draft';
import { editCount } from '../document/metadata';
import { editMark } from '../request/trace';
import { showComparison } from '../ui/comparison';
import { Banner, TextButton } from '../ui/controls';
import { useWords } from '../ui/language';
import { originalBody } from './services';
import { readable } from './versionsview';

/** Says that a sent request was edited, and shows how. */
export function EditedNotice(props: {
  draft: RequestDraft;
}): JSX.Element | null {
  const { draft } = props;
  const trans = useWords();
  const { edited } = draft.base;
  if (!edited) {
    return null;
  }
  const { sections, deleted, added, options } = edited;
  const counts = [
    [sections, trans._n('%1 section edited', '%1 sections edited', sections)],
    [deleted, trans._n('%1 deleted', '%1 deleted', deleted)],
    [added, trans._n('%1 added', '%1 added', added)],
    [options, trans._n('%1 option', '%1 options', options)]
  ] as const;
  const words = counts.filter(([count]) => count > 0).map(([, text]) => text);
  const isKnown = editMark(draft.counts) !== undefined;
  return (
    <Banner kind="info">
      <span>
        {trans.__(
          'Edited request (%1): %2.',
          editCount(edited),
          words.join(', ')
        )}
        {!isKnown &&
          ` ${trans.__('The edits can no longer be shown: what the cells said then is not known.')}`}
      </span>
      {isKnown && (
        <TextButton
          label={trans.__('Show changes')}
          onClick={() =>
            void showComparison(
              {
                title: trans.__('What the cells said, and what was sent'),
                before: {
                  name: trans.__('Cells'),
                  text: readable(originalBody(draft))
                },
                after: {
                  name: trans.__('Request'),
                  text: readable(draft.request.body)
                },
                isJson: true
              },
              trans
            )
          }
        />
      )}
    </Banner>
  );
}
