import { opened } from './opened';
import { savedPair, settle } from './sessionparts';
import { tell } from '../tell';

/** A server that hears events, or takes none. */
function listener(fails = false) {
  const heard: [string, Record<string, unknown>][] = [];
  const emitEvent = async (name: string, facts: Record<string, unknown>) => {
    heard.push([name, facts]);
    if (fails) {
      throw new Error('503');
    }
  };
  return { heard, emitEvent: emitEvent as never };
}

describe('tell', () => {
  it('tells counts and hashes of a request, and nothing that it says', async () => {
    const { session } = await opened([savedPair('a', 'secret one', 'two')]);
    session.draft.text = 'secret three';
    const { live } = session.requests;
    const server = listener();
    tell(server, 'apply', live, { reason: 'because' });
    const [[name, facts]] = server.heard;
    expect(name).toBe('apply');
    expect(facts).toMatchObject({
      chat: session.info!.chatId,
      pair: session.draft.pair,
      hash: live.request.hash,
      sections: { history: 2, user: 1 },
      reason: 'because'
    });
    expect(JSON.stringify(facts)).not.toContain('secret');
    session.dispose();
  });

  it('has a word for a chat without an id', async () => {
    const { session } = await opened([]);
    const { live } = session.requests;
    const server = listener();
    const request = { ...live.request, base: { ...live.base, chatId: '' } };
    tell(server, 'apply', Object.create(live, { request: { value: request } }));
    expect(server.heard[0][1].chat).toBe('unsaved');
    session.dispose();
  });

  it('goes on when the server does not take the event', async () => {
    const { session } = await opened([]);
    const warn = jest.spyOn(console, 'warn').mockImplementation();
    tell(listener(true), 'apply', session.requests.live);
    await settle();
    expect(warn).toHaveBeenCalledWith(
      'Turnbook: the event apply was not taken',
      expect.any(Error)
    );
    warn.mockRestore();
    session.dispose();
  });
});
