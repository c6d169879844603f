/**
 * What stands below a reply is in the user's language.
 */
import { RenderMimeRegistry } from '@jupyterlab/rendermime';
import type { TranslationBundle } from '@jupyterlab/translation';

import { INTERRUPTED } from '../../../context/gather';
import type { IRunInfo } from '../../../document/metadata';
import { english } from '../../../runs/__tests__/english';
import { PairStatus } from '../pairstatus';
import { pairView, type IPairMarks } from '../pairview';
import { markSeams } from '../seams';

/** A language in which every text is the English one in brackets. */
const brackets = {
  __: (...args: Parameters<typeof english.__>) => `⟦${english.__(...args)}⟧`,
  _n: (...args: Parameters<typeof english._n>) => `⟦${english._n(...args)}⟧`
} as TranslationBundle;

const INFO: IRunInfo = {
  state: 'succeeded',
  model: 'p/m',
  createdAt: 1,
  updatedAt: 1,
  runId: 'r',
  attempt: 1,
  context: [],
  requestHash: 'h'
};

const MARKS: IPairMarks = {
  topic: 'a/topic',
  star: 1,
  in: false,
  ooc: true,
  isNew: true,
  versions: 2,
  shown: 1,
  isEdited: true,
  eye: { isSent: false, obstacle: '' }
};

/** Texts that are no words: names that somebody gave, numbers, arrows, what came from a server. */
const GIVEN = /^(p\/m|a\/topic|\d+ \/ \d+|[◀▶]|\[error: .*)$/;

/** What a reader, or a screen reader, gets of a status in this language. */
function said(
  info: IRunInfo,
  trans: TranslationBundle,
  marks = MARKS
): string[] {
  const status = new PairStatus({
    trans,
    createStream: () => {
      throw new Error('Nothing streams here');
    },
    opensReasoning: () => false,
    whenShown: () => Promise.resolve(),
    onGone: () => undefined,
    onRedrawn: () => undefined,
    onAction: () => undefined,
    onEye: () => undefined,
    editedTexts: () => ({ received: null, shown: '' })
  });
  status.display(pairView(trans, info, null), marks);
  const line = status.node.querySelector('.jp-Turnbook-pairStatus-line')!;
  const texts = [...line.querySelectorAll<HTMLElement>('*')].flatMap(node => [
    node.childElementCount ? '' : (node.textContent ?? ''),
    node.title,
    node.getAttribute('aria-label') ?? ''
  ]);
  status.dispose();
  return texts.filter(text => text && !GIVEN.test(text));
}

const STATES: Record<string, IRunInfo> = {
  'a whole reply': {
    ...INFO,
    edited: { sections: 1, deleted: 0, added: 0, options: 0 },
    seams: [{ at: 3 }],
    finish: 'length',
    usage: { completion_tokens: 8, attempts: 3, unreported: 1 }
  },
  'a filtered one': { ...INFO, finish: 'content_filter' },
  'an odd end': { ...INFO, finish: 'odd', usage: { completion_tokens: 8 } },
  'one under way': { ...INFO, state: 'awaiting' },
  'one that failed': { ...INFO, state: 'error' }
};

describe('the status of a pair', () => {
  it.each(Object.keys(STATES))('is translated: %s', name => {
    const words = said(STATES[name], english);
    expect(words.length).toBeGreaterThan(8);
    const marked = said(STATES[name], brackets);
    expect(marked.map(text => text.replace(/[⟦⟧]/g, ''))).toEqual(words);
    // Everything but what is between translated texts.
    expect(marked.join('').replace(/⟦[^⟧]*⟧( · |\n)?/g, '')).toBe('');
  });

  it('has the sentinel of a stopped reply only if that is sent', () => {
    const stopped = { ...INFO, state: 'canceled' as const };
    const eye = { isSent: true, obstacle: '' };
    const isSent = said(stopped, english, { ...MARKS, eye });
    expect(isSent).toContain(INTERRUPTED);
    expect(said(stopped, english)).not.toContain(INTERRUPTED);
  });

  it('says in the user’s language that nothing is known of a request', () => {
    const journal = { read: true, newest: null, skew: 0 };
    const lost = { ...INFO, state: 'sending' as const };
    const { error } = pairView(brackets, lost, null, journal);
    expect(error?.message).toMatch(/^⟦.*⟧$/);
  });
});

describe('the seams of a reply', () => {
  it.each([{ at: 4 }, { at: 4, removed: 1 }, { at: 4, removed: 2 }])(
    'are explained in the user’s language: %j',
    async seam => {
      const content = document.createElement('div');
      content.textContent = 'one two';
      const parts = new RenderMimeRegistry();
      const rendering = { content, source: 'one two', parts };
      await markSeams(rendering as never, [seam], brackets);
      const node = content.querySelector<HTMLElement>('[role="img"]')!;
      expect(node.title).toMatch(/^⟦.*⟧$/);
      expect(node.getAttribute('aria-label')).toBe(node.title);
    }
  );
});
