import type { ICell, INotebookContent } from '@jupyterlab/nbformat';
import type { TranslationBundle } from '@jupyterlab/translation';
import { UUID } from '@lumino/coreutils';

import { notebookOf, pairCell } from '../../document/chatfile';
import type { IMarks, IRunInfo } from '../../document/metadata';
import { replyOutput } from '../../document/reply';
import { bodyHash } from '../../request/render';

const DAY = 86_400_000;

interface IPair {
  message: string;
  reply: string;
  marks: IMarks;
  /** How many days ago it was sent. */
  days: number;
}

/** A chat with a few pairs, on which every feature can be tried; no model has been asked. */
export function exampleChat(
  trans: TranslationBundle,
  now: number
): INotebookContent {
  const pairs: IPair[] = [
    {
      message: trans.__(
        'How many households do we have to ask for a margin of error of 3 %?'
      ),
      reply: trans.__(
        'About **1,070**, at 95 % confidence and if the sample is random.'
      ),
      marks: { topic: 'survey/sample', star: 2 },
      days: 3
    },
    {
      message: trans.__('And if only 60 % of them answer?'),
      reply: trans.__(
        'Then ask about **1,780** households, since 1,070 / 0.6 ≈ 1,783.'
      ),
      marks: { topic: 'survey/sample' },
      days: 3
    },
    {
      message: trans.__('What can I cook with leeks and potatoes?'),
      reply: trans.__(
        'A soup: soften the leeks in butter, add diced potatoes and stock, simmer for 20 minutes and blend.'
      ),
      marks: { topic: 'kitchen' },
      days: 2
    },
    {
      message: trans.__(
        'Write Python that splits 1,780 addresses among 12 interviewers.'
      ),
      reply: `${trans.__('The first interviewers get one address more:')}

\`\`\`python
def shares(addresses: int, interviewers: int) -> list[int]:
    each, rest = divmod(addresses, interviewers)
    return [each + (n < rest) for n in range(interviewers)]
\`\`\`
`,
      marks: { topic: 'survey/fieldwork', star: 3 },
      days: 1
    }
  ];
  const cells = [
    text(
      'raw',
      trans.__('You help to plan a household survey. Answer briefly.')
    ),
    ...pairs.map(pair => cellOf(pair, now - pair.days * DAY)),
    // A chat opens at its end.
    text('markdown', steps(trans))
  ];
  return notebookOf(cells, { chatId: UUID.uuid4() });
}

/** What to try, as a note; notes are never sent. */
function steps(trans: TranslationBundle): string {
  return [
    `### ${trans.__('Try it on this chat')}`,
    '',
    `1. ${trans.__('**Filter**: click *Filter* in the toolbar and write `topic:survey/**`. The recipe disappears and is not sent.')}`,
    `2. ${trans.__('**Request**: write a message below and click *Request* in the toolbar (Alt+Shift+R). The panel shows exactly what would be sent.')}`,
    `3. ${trans.__('**Edit**: click a text in the panel and change it. The chat itself stays as it is.')}`,
    `4. ${trans.__('**Replay**: *Replay edited prompt* shows the request as a read-only notebook. No model is called.')}`,
    `5. ${trans.__('**Start chatting**: *Start chatting from this replay* makes a new chat of it, and you go on from there.')}`,
    '',
    trans.__(
      'This is a note: it is never sent. The replies here were written by hand.'
    )
  ].join('\n');
}

function text(cell_type: 'raw' | 'markdown', source: string): ICell {
  return { cell_type, id: UUID.uuid4(), metadata: {}, source } as ICell;
}

function cellOf({ message, reply, marks }: IPair, at: number): ICell {
  const id = UUID.uuid4();
  const runId = UUID.uuid4();
  const run: IRunInfo = {
    state: 'succeeded',
    model: 'turnbook/example',
    createdAt: at,
    updatedAt: at,
    runId,
    attempt: 1,
    context: [],
    requestHash: bodyHash(message)
  };
  return {
    ...pairCell(id, message, run, marks),
    outputs: [replyOutput({ text: reply, runId, partial: false })]
  };
}
