import { captureSnapshot } from '../../request/snapshot/capture';
import type { ISnapshot } from '../../request/snapshot/model';
import { usual } from '../../request/__tests__/requests';
import { RequestDraft } from '../../request/draft';
import { applyBuffer } from '../applybuffer';
import type { PanelState } from '../panelstate';

/** A chat whose request is shown, and the events it emits. */
function open(base = usual()) {
  const draft = new RequestDraft({ base });
  const told: [string, Record<string, unknown>][] = [];
  const chat = {
    session: {
      review: { reviewed: draft },
      tell: (name: string, _: RequestDraft, more = {}) =>
        told.push([name, more])
    }
  } as unknown as Parameters<typeof applyBuffer>[0];
  const state: Pick<PanelState, 'snapshot' | 'applied'> = {
    snapshot: null,
    applied: null
  };
  const apply = (change: (snapshot: ISnapshot) => void) => {
    const snapshot: ISnapshot = JSON.parse(
      JSON.stringify(captureSnapshot(draft.request))
    );
    change(snapshot);
    const text = JSON.stringify(snapshot);
    state.snapshot = { text, base: text };
    return applyBuffer(chat, state);
  };
  const names = () => told.map(([name]) => name);
  return { draft, told, names, state, apply };
}

describe('applying a snapshot', () => {
  it('applies it to the request, saves a version and emits an event', () => {
    const { draft, state, apply, names } = open();
    const wrong = apply(snapshot => {
      (snapshot.turns[0] as any).message.content = 'Be kind.';
    });
    expect(wrong).toBeNull();
    expect(draft.request.messages[0].content).toBe('Be kind.');
    expect(draft.versions.map(({ why }) => why)).toEqual([['apply']]);
    expect(state.applied).toBe(draft.request);
    expect(JSON.parse(state.snapshot!.text)).toEqual(
      captureSnapshot(draft.request)
    );
    expect(names()).toEqual(['apply']);
  });

  it.each<[string, (snapshot: ISnapshot) => void, string]>([
    [
      'an empty message',
      ({ turns }) => {
        (turns[3] as any).message.content = ' ';
      },
      'This message is empty'
    ],
    [
      'another provider',
      ({ endpoint }) => {
        endpoint.provider = 'elsewhere';
      },
      'The provider is p'
    ],
    [
      'no form of a snapshot',
      snapshot => {
        snapshot.turns = 3 as any;
      },
      'array'
    ]
  ])(
    'with %s changes nothing and keeps the last good one',
    (_, change, words) => {
      const { draft, state, apply } = open();
      draft.setLeaf('c0/system', ['content'], 'Be kind.');
      const { body } = draft.request;
      const steps = draft.undoManager.undoStack.length;
      expect(apply(change)).toContain(words);
      expect(draft.request.body).toBe(body);
      expect(draft.undoManager.undoStack).toHaveLength(steps);
      expect(draft.versions).toEqual([]);
      expect(state.applied).toBeNull();
    }
  );

  it('that Send would refuse changes nothing, and reports a code', () => {
    const { told, apply } = open();
    apply(({ turns }) => {
      (turns[0] as any).message.content = '';
    });
    expect(told).toEqual([['fallback', { reason: 'wrong-snapshot' }]]);
    const none = usual();
    const unset = open({ ...none, frame: { ...none.frame, model: '' } });
    // It is valid, but no model is selected.
    expect(unset.apply(() => undefined)).toContain('model');
    expect(unset.names()).not.toContain('apply');
  });

  it('reports when the bytes are not those of the snapshot', () => {
    const { draft, told, apply } = open();
    const { become } = draft;
    let rendered = '';
    draft.become = (...args) => {
      become.apply(draft, args);
      rendered = draft.request.hash;
      draft.setOption('temperature', 1);
    };
    expect(
      apply(({ turns }) => {
        (turns[0] as any).message.content = 'Be kind.';
      })
    ).toBeNull();
    expect(told).toEqual([
      ['parity-mismatch', { otherHash: rendered, where: 'snapshot' }],
      ['apply', {}]
    ]);
  });
});
