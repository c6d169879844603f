import type { EventName } from '../../../base/run';
import { built, edited, section } from '../../__tests__/requests';
import { ReplayEntry } from '../entry';
import { factsOf } from '../facts';
import type { IBuilt, IReplayOrigin } from '../source';

const entry = new ReplayEntry('the/key', {
  chatId: 'c',
  pair: 'p',
  path: 'dir/talk.chat.ipynb',
  name: 'talk',
  turn: 3
} as IReplayOrigin);

const replay = built(
  edited([
    section({ role: 'system', content: 'secret system' }),
    section({ role: 'user', content: 'secret one' }, { edited: true }),
    section({ role: 'assistant', content: 'secret two' })
  ])
);
const { record } = replay;
const BUILT = { replay } as unknown as IBuilt;

describe('what an event of a replay reports', () => {
  it.each<EventName>(['replay', 'restore', 'start-chatting'])(
    'has counts for %s',
    name => {
      expect(factsOf(name, entry, BUILT)).toMatchObject({
        chat: 'c',
        pair: 'p',
        replay: 'the/key',
        hash: record.hash,
        version: record.version,
        requestId: record.requestId,
        sections: { system: 1, history: 2 },
        edited: 1,
        deleted: 0
      });
    }
  );

  it('has hashes and no counts for a mismatch', () => {
    const facts = factsOf('parity-mismatch', entry, BUILT);
    expect(facts).toMatchObject({ hash: record.hash });
    for (const key of ['sections', 'edited', 'replay', 'requestId']) {
      expect(facts).not.toHaveProperty(key);
    }
  });

  it('says where it comes from when nothing is built', () => {
    const facts = factsOf('replay', entry, null);
    expect(facts).toMatchObject({
      replay_parent_session_id: 'c',
      replay_parent_turn_id: 'p'
    });
    expect(facts.debugName).toContain('talk');
    expect(facts.debugName).toContain('3');
    expect(facts).not.toHaveProperty('hash');
  });

  it('never has what the request says', () => {
    for (const name of ['replay', 'parity-mismatch'] as const) {
      expect(JSON.stringify(factsOf(name, entry, BUILT))).not.toContain(
        'secret'
      );
    }
  });
});
