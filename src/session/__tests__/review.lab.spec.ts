import { UUID, type PartialJSONObject } from '@lumino/coreutils';

import { findPair } from '../../document/landing';
import { Chats, ANSWERED, CALLS } from './chats';
import { POST_RUN, until } from './tabs';

const chats = new Chats();
const { openChat, sent } = chats;

describe('Pause & review', () => {
  it('holds a message until it is resumed, over a reload too', async () => {
    const first = await openChat();
    first.session.modes.pause.mode = 'always';
    await first.write('Wait for me').done;
    expect(first.session.modes.pause.held).toMatchObject({
      text: 'Wait for me'
    });
    expect(first.pairs).toEqual([]);
    const tab = await first.reload();
    expect(tab.session.modes.pause.held).toMatchObject({ text: 'Wait for me' });
    expect(await sent('Wait for me')).toEqual([]);
    await tab.session.resumeSend();
    await tab.settled(tab.pairs[0]);
    expect(await sent('Wait for me')).toHaveLength(1);
  });

  it('holds nothing while the request cannot be seen', async () => {
    const tab = await openChat({
      settings: { 'requestEditor.enabled': false }
    });
    tab.session.modes.pause.mode = 'always';
    const pair = await tab.ask('No review');
    expect(tab.session.modes.pause.held).toBeNull();
    expect(tab.reply(pair)).toContain('No review');
  });

  it('shows no other request while the held one is being made', async () => {
    const tab = await openChat();
    await tab.script(CALLS, ANSWERED);
    const pair = await tab.ask('Which weather?');
    tab.session.modes.pause.mode = 'always';
    const gate = tab.net.stop(/^GET .*\/request$/);
    const done = tab.session.continueTurn(pair, 0, new Map([[0, 'sun']]));
    await gate.reached;
    expect(tab.session.modes.pause.held).toMatchObject({ pair, round: 0 });
    expect(tab.session.review.reviewed).toBeNull();
    gate.open();
    await done;
    expect(tab.session.review.reviewed?.base.pair).toBe(pair);
    await tab.session.resumeSend();
    await tab.settled(pair);
    expect(tab.reply(pair)).toBe('Sunny.');
    expect(tab.session.review.reviewed).toBe(tab.session.requests.live);
  });

  it('shows what a turn goes on with, whatever is written meanwhile', async () => {
    const first = await openChat();
    await first.script(CALLS, ANSWERED);
    const pair = await first.ask('Which rain?');
    first.session.modes.pause.mode = 'always';
    await first.session.continueTurn(pair, 0, new Map([[0, 'none']]));
    const { body } = first.session.review.reviewed!.request;
    expect(body).toContain('"role":"tool"');
    first.session.draft.text = 'Meanwhile';
    expect(first.session.review.reviewed!.request.body).toBe(body);
    await first.context.save();
    const tab = await first.reload();
    await until(() => tab.session.review.reviewed !== null);
    tab.session.draft.text = 'And after it';
    expect(tab.session.review.reviewed!.request.body).toBe(body);
    await tab.session.resumeSend();
    await tab.settled(pair);
    expect((await chats.server.requests()).map(one => one.body)).toContain(
      body
    );
  });

  it('holds by the setting for all chats, wherever a file says it comes from', async () => {
    const tab = await openChat({ settings: { pauseAndReview: true } });
    const entry = tab.notebook.getMetadata('turnbook') as PartialJSONObject;
    tab.notebook.setMetadata('turnbook', {
      ...entry,
      lineage: { replay_parent_session_id: 'x', replay_parent_turn_id: 'y' }
    });
    await tab.context.save();
    const fork = await tab.reload();
    expect(fork.session.info?.lineage?.replay_parent_session_id).toBe('x');
    expect(fork.session.modes.pause).toMatchObject({
      mode: 'always',
      isChosen: false
    });
    await fork.write('Look at me first').done;
    expect(fork.session.modes.pause.held).toMatchObject({
      text: 'Look at me first'
    });
    expect(await sent('Look at me first')).toEqual([]);
  });

  it('takes a held message back', async () => {
    const tab = await openChat();
    const pair = await tab.ask('As it was');
    tab.session.modes.pause.mode = 'always';
    await tab.session.resend(pair, 'As it may be');
    expect(tab.session.modes.pause.held).toMatchObject({ pair, resend: true });
    // Another one has to wait for the user, and loses nothing.
    await tab.session.resend(pair, 'Another');
    expect(tab.session.notice).toMatch(/A message is paused/);
    expect(tab.session.refused.take(pair)).toBe('Another');
    await tab.session.review.cancel();
    expect(tab.session.modes.pause.held).toBeNull();
    expect(tab.session.refused.take(pair)).toBe('As it may be');
    expect(findPair(tab.notebook, pair)!.getSource()).toBe('As it was');
    expect(await sent('As it may be')).toEqual([]);
  });

  /** The bytes of a request that says this. */
  const payload = (content: string) =>
    `{"messages": [{"role": "user", "content": "${content}"}], "model": "echo"}`;

  it('holds the bytes of a payload until they are resumed, over a reload too', async () => {
    const first = await openChat({ settings: { pauseAndReview: true } });
    const marks = { trimmed: { pairs: 3, tokens: 40 } };
    const told: unknown[] = [];
    first.session.review.held.connect((_, held) => told.push(held));
    await first.session.sendPayload(payload('Held bytes'), marks);
    expect(told).toHaveLength(1);
    expect(first.session.modes.pause.held?.payload?.body).toBe(
      payload('Held bytes')
    );
    expect(first.session.review.reviewed?.request.body).toBe(
      payload('Held bytes')
    );
    expect(first.pairs).toEqual([]);
    // Another one has to wait for the user.
    await first.session.sendPayload(payload('Too early'));
    expect(first.session.notice).toMatch(/A message is paused/);
    const tab = await first.reload();
    expect(tab.session.review.reviewed?.request.body).toBe(
      payload('Held bytes')
    );
    // What the cells say does not change the bytes.
    tab.session.draft.text = 'Meanwhile';
    expect(await sent('Held bytes')).toEqual([]);
    await tab.session.resumeSend();
    await tab.settled(tab.pairs[0]);
    const bodies = (await chats.server.requests()).map(({ body }) => body);
    expect(bodies).toContain(payload('Held bytes'));
    expect(await sent('Too early')).toEqual([]);
    expect(tab.info(tab.pairs[0])).toMatchObject(marks);
    expect(tab.session.draft.text).toBe('Meanwhile');
    expect(tab.session.modes.pause.held).toBeNull();
  });

  it('sends a held payload as it was edited, and says so', async () => {
    const tab = await openChat();
    tab.session.modes.pause.next();
    await tab.session.sendPayload(payload('Edit these bytes'));
    const draft = tab.session.review.reviewed!;
    draft.setLeaf(draft.request.sections[0].id, ['content'], 'Edited bytes');
    await tab.session.resumeSend();
    await tab.settled(tab.pairs[0]);
    expect(await sent('Edited bytes')).toHaveLength(1);
    expect(await sent('Edit these bytes')).toEqual([]);
    expect(tab.info(tab.pairs[0])?.edited?.sections).toBe(1);
  });

  it('takes a held payload back; its pair is as it was', async () => {
    const tab = await openChat();
    const waiting = UUID.uuid4();
    tab.notebook.insertCell(0, {
      cell_type: 'code',
      id: waiting,
      source: 'Take me back'
    });
    tab.session.modes.pause.mode = 'always';
    await tab.session.sendPayload(payload('Take me back'));
    expect(tab.session.modes.pause.held).toMatchObject({ pair: waiting });
    const told: unknown[] = [];
    tab.session.review.canceled.connect((_, held) => told.push(held));
    await tab.session.review.cancel();
    expect(told).toHaveLength(1);
    expect(tab.session.modes.pause.held).toBeNull();
    expect(tab.session.review.reviewed).toBe(tab.session.requests.live);
    expect(tab.session.refused.take(waiting)).toBeNull();
    expect(findPair(tab.notebook, waiting)!.getSource()).toBe('Take me back');
    expect(tab.info(waiting)).toBeNull();
    expect(await sent('Take me back')).toEqual([]);
    // It can be sent again, by the same gate, as soon as its pair has no reply.
    const cell = findPair(tab.notebook, waiting)!;
    await tab.session.sendPayload(payload('Take me back'));
    cell.setOutputs([{ output_type: 'stream', name: 'stdout', text: 'Mine' }]);
    await tab.session.resumeSend();
    expect(tab.session.notice).toMatch(/has a reply by now/);
    expect(tab.info(waiting)).toBeNull();
    expect(await sent('Take me back')).toEqual([]);
    expect(tab.session.modes.pause.held).toMatchObject({ pair: waiting });
    cell.setOutputs([]);
    await tab.session.resumeSend();
    await tab.settled(waiting);
    expect(await sent('Take me back')).toHaveLength(1);
  });

  it('shows the model that a paused pair goes to, whichever is chosen meanwhile', async () => {
    const tab = await openChat();
    const pair = await tab.ask('To whom?');
    tab.session.modes.pause.mode = 'always';
    await tab.session.resend(pair, 'To another');
    tab.session.model = 'scripted/another-one';
    const { body } = tab.session.review.reviewed!.request;
    expect(JSON.parse(body).model).toBe('another-one');
    await tab.session.resumeSend();
    await tab.settled(pair);
    expect((await sent('To another'))[0].model).toBe('another-one');
  });

  it('keeps what cannot be loaded when it is resumed, with its edits', async () => {
    const tab = await openChat();
    const pair = await tab.ask('Ask for more');
    const { review, modes } = tab.session;
    modes.pause.mode = 'always';
    await tab.session.askMore(pair, [tab.session.model]);
    const { held } = modes.pause;
    const draft = review.reviewed!;
    draft.setLeaf(draft.request.sections[0].id, ['content'], 'More, edited');
    tab.net.broken = /\/request$/;
    await tab.session.resumeSend();
    expect(tab.session.notice).toMatch(/^Nothing was sent: /);
    expect(modes.pause.held).toBe(held);
    expect(held).not.toBeNull();
    expect(review.reviewed).toBe(draft);
    expect(draft.request.body).toContain('More, edited');
    tab.net.broken = null;
    await tab.session.resumeSend();
    await tab.settled(pair);
    expect(await sent('More, edited')).toHaveLength(1);
    expect(modes.pause.held).toBeNull();
  });

  it('shows what could not be shown after a reload before it is sent, with its edits', async () => {
    const first = await openChat();
    const pair = await first.ask('Seen at last');
    first.session.modes.pause.mode = 'always';
    await first.session.askMore(pair, [first.session.model]);
    const edited = first.session.review.reviewed!;
    edited.setLeaf(
      edited.request.sections[0].id,
      ['content'],
      'Never sent unseen'
    );
    await first.session.review.flush();
    await first.context.save();
    const tab = await first.reload({ broken: /\/request$/ });
    const { modes, review } = tab.session;
    expect(review.reviewed).toBeNull();
    tab.net.broken = null;
    await tab.session.resumeSend();
    expect(tab.session.notice).toBe(
      'Look at the paused request, then resume it.'
    );
    expect(modes.pause.held).not.toBeNull();
    expect(review.reviewed!.request.body).toContain('Never sent unseen');
    expect(await sent('Never sent unseen')).toEqual([]);
    await tab.session.resumeSend();
    await tab.settled(pair);
    expect(await sent('Never sent unseen')).toHaveLength(1);
    expect(modes.pause.held).toBeNull();
  });

  it('keeps what has lost its pair when it is resumed, with its edits', async () => {
    const tab = await openChat();
    const pair = await tab.ask('Delete me');
    const { review, modes } = tab.session;
    modes.pause.mode = 'always';
    await tab.session.resend(pair, 'Delete me not');
    const { held } = modes.pause;
    const draft = review.reviewed!;
    draft.setLeaf(draft.request.sections[0].id, ['content'], 'Kept, edited');
    const { cells } = tab.notebook;
    tab.notebook.deleteCell(cells.findIndex(cell => cell.getId() === pair));
    await tab.session.resumeSend();
    expect(tab.session.notice).toMatch(/not in the chat any more/);
    expect(modes.pause.held).toBe(held);
    expect(review.reviewed).toBe(draft);
    tab.notebook.undo();
    await tab.session.resumeSend();
    await tab.settled(pair);
    expect(await sent('Kept, edited')).toHaveLength(1);
  });

  it('resumes a turn that goes on once', async () => {
    const tab = await openChat();
    await tab.script(CALLS, ANSWERED);
    const pair = await tab.ask('Resume twice?');
    tab.session.modes.pause.mode = 'always';
    await tab.session.continueTurn(pair, 0, new Map([[0, 'sun']]));
    tab.net.made.length = 0;
    await Promise.all([tab.session.resumeSend(), tab.session.resumeSend()]);
    await tab.settled(pair);
    expect(tab.net.made.filter(name => POST_RUN.test(name))).toHaveLength(1);
    expect(tab.net.made.filter(name => /\/request$/.test(name))).toHaveLength(
      1
    );
    expect(tab.session.notice).toBeNull();
    expect(tab.reply(pair)).toBe('Sunny.');
  });
});
