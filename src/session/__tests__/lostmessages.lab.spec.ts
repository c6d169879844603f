import { UUID } from '@lumino/coreutils';

import { findPair } from '../../document/landing';
import { Chats, later } from './chats';
import { catchTimers, POST_RUN, Tab, until } from './tabs';

const chats = new Chats();
const { openChat, sent, plainFile } = chats;

describe('a page that closed while sending', () => {
  it('returns a message that never arrived', async () => {
    const first = await openChat();
    const gate = first.net.stop(POST_RUN);
    const { pair } = first.write('Lost on the way');
    await gate.reached;
    await first.context.save();
    const tab = await first.reload();
    await until(() => tab.session.draft.text !== '');
    expect(tab.session.draft).toMatchObject({ pair, text: 'Lost on the way' });
    expect(tab.pairs).toEqual([]);
    expect(tab.session.notice).toMatch(/had not reached the server/);
    // And once only.
    tab.session.draft.clear();
    const again = await tab.reload();
    expect(again.session.draft.text).toBe('');
  });

  it('ignores what did arrive', async () => {
    const first = await openChat();
    const gate = first.net.stop(POST_RUN, 'answer');
    const { pair } = first.write('Arrived');
    await gate.reached;
    const tab = await first.reload();
    await tab.settled(pair);
    expect(tab.reply(pair)).toContain('Arrived');
    expect(tab.session.draft.text).toBe('');
    expect(await sent('Arrived')).toHaveLength(1);
  });

  it('keeps the pair of a payload that existed before', async () => {
    const first = await openChat();
    const pair = UUID.uuid4();
    first.notebook.insertCell(0, {
      cell_type: 'code',
      id: pair,
      source: 'From a replay'
    });
    const gate = first.net.stop(POST_RUN);
    void first.session.sendPayload(
      '{"messages": [{"role": "user", "content": "From a replay"}], "model": "echo"}'
    );
    const posted = await (await gate.reached).json();
    expect(posted.resend).toBe(false);
    await first.context.save();
    const tab = await first.reload();
    await until(() => tab.info(pair)?.state === 'error');
    expect(tab.info(pair)?.error?.code).toBe('unsent');
    expect(findPair(tab.notebook, pair)!.getSource()).toBe('From a replay');
    expect(tab.session.draft.text).toBe('');
  });

  it('marks a pair as not sent again', async () => {
    const first = await openChat();
    const pair = await first.ask('Once sent');
    const gate = first.net.stop(POST_RUN);
    void first.session.resend(pair, 'Not sent again');
    await gate.reached;
    await first.context.save();
    const tab = await first.reload();
    await until(() => tab.info(pair)?.state === 'error');
    expect(tab.info(pair)?.error?.code).toBe('unsent');
    expect(tab.session.draft.text).toBe('');
  });

  it('returns an edited text of which the file knows nothing', async () => {
    const first = await openChat();
    const pair = await first.ask('Once sent');
    await until(async () => (await first.saved(pair)) !== null);
    const gate = first.net.stop(POST_RUN);
    void first.session.resend(pair, 'Not sent again');
    await gate.reached;
    const tab = await first.reload();
    await until(() => tab.session.draft.text !== '');
    expect(tab.session.draft.text).toBe('Not sent again');
    expect(tab.session.draft.pair).not.toBe(pair);
    expect(findPair(tab.notebook, pair)!.getSource()).toBe('Once sent');
    expect(tab.info(pair)?.state).toBe('succeeded');
  });

  it('returns the message of a chat that was closed while the server did not respond', async () => {
    const first = await openChat();
    first.net.broken = /POST/;
    const { pair, done } = first.write('Closed too early');
    await until(() => !!first.session.notice);
    first.close();
    await done;
    const { browser, options, tabStorage } = first;
    const tab = await Tab.open({ ...options, browser, tabStorage });
    await until(() => tab.session.draft.text !== '');
    expect(tab.session.draft).toMatchObject({ pair, text: 'Closed too early' });
    expect(tab.session.notice).toMatch(/had not reached the server/);
  });

  it('does not count as lost to another tab while the message may be in transit', async () => {
    const one = await openChat();
    const gate = one.net.stop(POST_RUN);
    const { pair, done } = one.write('Mine, not yours');
    await gate.reached;
    const two = await one.another();
    // The journal is read and the outbox looked at by now.
    await two.api.listChats();
    expect(two.session.draft.text).toBe('');
    gate.open();
    await done;
    await one.settled(pair);
    expect(one.reply(pair)).toContain('Mine, not yours');
  });

  it('counts as lost to another tab after a long silence', async () => {
    const one = await openChat();
    const gate = one.net.stop(POST_RUN);
    const { pair } = one.write('Left behind');
    await gate.reached;
    const waits = catchTimers(100_000, 200_000);
    const two = await one.another();
    await until(() => waits.length > 0);
    expect(two.session.draft.text).toBe('');
    one.kill();
    later(10);
    waits[0]();
    await until(() => two.session.draft.text !== '');
    expect(two.session.draft).toMatchObject({ pair, text: 'Left behind' });
    const left = [...one.browser.storage.items.keys()].filter(
      key => !key.startsWith('turnbook:file:')
    );
    expect(left).toHaveLength(1);
  });

  it('loses no message when two tabs were sending', async () => {
    const one = await openChat();
    const two = await one.another();
    const [first, second] = [one.net.stop(POST_RUN), two.net.stop(POST_RUN)];
    one.write('From one');
    await first.reached;
    two.write('From two');
    await second.reached;
    one.kill();
    two.kill();
    later(10);
    const three = await one.another();
    await until(() => three.session.draft.text.includes('one'));
    expect(three.session.draft.text).toBe('From one\n\nFrom two');
    const four = await one.another();
    expect(four.session.draft.text).toBe('From one\n\nFrom two');
  });

  it('leaves its message in the outbox when another tab has sent its own', async () => {
    const one = await openChat();
    const two = await one.another();
    const gate = one.net.stop(POST_RUN);
    one.write('Not arrived');
    await gate.reached;
    await two.ask('Arrived');
    const tab = await one.reload();
    await until(() => tab.session.draft.text !== '');
    expect(tab.session.draft.text).toBe('Not arrived');
    expect(await sent('Not arrived')).toEqual([]);
  });

  it('stops sending what another tab has restored', async () => {
    const one = await openChat();
    one.net.broken = /POST/;
    const { pair, done } = one.write('Once at most');
    await until(() => !!one.session.notice);
    later(10);
    const two = await one.another();
    await until(() => two.session.draft.text === 'Once at most');
    one.net.broken = null;
    await done;
    expect(one.pairs).toEqual([]);
    expect(one.session.notice).toMatch(/Another tab/);
    expect(two.session.draft.pair).toBe(pair);
    expect(await sent('Once at most')).toEqual([]);
  });

  it('returns a message once, however often the outbox is checked', async () => {
    const first = await openChat();
    const gate = first.net.stop(POST_RUN);
    first.write('Only one of me');
    await gate.reached;
    first.kill();
    const { browser, tabStorage } = first;
    const tab = await Tab.open({ ...first.options, browser, tabStorage });
    const { session } = tab;
    await Promise.all([
      (session as any)._parts.lost.check(),
      (session as any)._parts.lost.check()
    ]);
    await until(() => session.draft.text !== '');
    expect(session.draft.text).toBe('Only one of me');
  });

  it('returns the first message of a chat that had no id yet', async () => {
    const path = await plainFile();
    const first = await Tab.open({ server: chats.server, path });
    const gate = first.net.stop(POST_RUN);
    first.write('The very first');
    await gate.reached;
    const tab = await first.reload();
    await until(() => tab.session.draft.text !== '');
    expect(tab.session.draft.text).toBe('The very first');
  });
});
