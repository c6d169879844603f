import type { PartialJSONObject } from '@lumino/coreutils';

import { keepMessages, pairMessages } from '../../document/messages';
import { Pair } from '../../document/pair';
import { isEditor } from '../../request/pause';
import type { IRunInfo } from '../../document/metadata';
import { roundOutput } from '../../document/rounds';
import type { Outgoing } from '../outgoing';
import { prepare } from '../prepare';
import { CALL } from './chats';
import { opened } from './opened';
import { savedPair } from './sessionparts';

const ASKED = savedPair('asked', 'one', 'two');
const CALLED = {
  ...savedPair('called', 'What is the weather?', ''),
  outputs: [
    roundOutput({
      message: { role: 'assistant', tool_calls: [CALL] },
      results: []
    })
  ]
} as unknown as PartialJSONObject;
const WAITING = {
  cell_type: 'code',
  id: 'waiting',
  source: 'and then?',
  execution_count: null,
  metadata: {},
  outputs: []
};
const BODY = JSON.stringify({
  model: 'large',
  messages: [{ role: 'user', content: 'and then?' }],
  stream: true
});

type Chat = Awaited<ReturnType<typeof opened>>;

/** What the document says, without the times. */
const said = ({ notebook }: Chat) => JSON.stringify(notebook.toJSON().cells);

/** What a pair would say of a request. */
function infoOf(chat: Chat, outgoing: Outgoing): IRunInfo {
  const { context, requests } = chat.session;
  return prepare(outgoing.draft() ?? requests.live, chat.notebook, context)
    .info;
}

const messagesOf = (outgoing: Outgoing) =>
  JSON.parse(outgoing.draft()!.request.body).messages;

describe('a new message', () => {
  it('is nothing as long as it is empty', async () => {
    const chat = await opened([ASKED]);
    chat.session.draft.text = ' \n';
    expect(chat.parts.outgoings.message()).toBeNull();
    chat.session.dispose();
  });

  it('becomes a pair at the end, with the chosen topic', async () => {
    const chat = await opened([ASKED]);
    const { draft } = chat.session;
    chat.session.about.topic = 'weather';
    draft.text = 'three';
    const outgoing = chat.parts.outgoings.message()!;
    expect(messagesOf(outgoing).at(-1)).toEqual({
      role: 'user',
      content: 'three'
    });
    const placed = outgoing.place(infoOf(chat, outgoing));
    expect(placed).toMatchObject({
      pair: draft.pair,
      after: 'asked',
      resend: false,
      isOld: false
    });
    const last = chat.notebook.cells.at(-1)!;
    expect(last.getId()).toBe(draft.pair);
    expect(last.getSource()).toBe('three');
    expect(JSON.stringify(last.getMetadata())).toContain('weather');
    outgoing.left();
    expect(draft.text).toBe('');
    chat.session.dispose();
  });

  it('is given back to the composer, and the document is as it was', async () => {
    const chat = await opened([ASKED]);
    const before = said(chat);
    const { draft } = chat.session;
    draft.text = 'three';
    const { pair } = draft;
    const outgoing = chat.parts.outgoings.message()!;
    const { takeBack } = outgoing.place(infoOf(chat, outgoing));
    outgoing.left();
    takeBack();
    expect(said(chat)).toBe(before);
    expect(draft.text).toBe('three');
    expect(draft.pair).toBe(pair);
    chat.session.dispose();
  });

  it('gets another id if a pair has its one', async () => {
    const chat = await opened([ASKED]);
    const { draft } = chat.session;
    draft.text = 'three';
    const { pair } = draft;
    chat.notebook.addCell(savedPair(pair, 'elsewhere', 'x') as never);
    const outgoing = chat.parts.outgoings.message()!;
    expect(outgoing.held.pair).not.toBe(pair);
    expect(outgoing.held.text).toBe('three');
    chat.session.dispose();
  });
});

describe('a pair with another text', () => {
  it('is nothing without a pair or a text', async () => {
    const { parts, session } = await opened([ASKED]);
    expect(parts.outgoings.resend('gone', 'text')).toBeNull();
    expect(parts.outgoings.resend('asked', ' ')).toBeNull();
    session.dispose();
  });

  it('keeps its place and what it said, and is the next attempt', async () => {
    const chat = await opened([ASKED, savedPair('later', 'x', 'y')]);
    const outgoing = chat.parts.outgoings.resend('asked', 'uno')!;
    expect(messagesOf(outgoing)).toEqual([{ role: 'user', content: 'uno' }]);
    const placed = outgoing.place(infoOf(chat, outgoing));
    expect(placed).toMatchObject({
      pair: 'asked',
      after: null,
      resend: true,
      isOld: true,
      info: { attempt: 2, createdAt: 10, state: 'sending' }
    });
    expect(chat.notebook.cells[0].getSource()).toBe('uno');
    expect(JSON.stringify(placed.cell)).toContain('two');
    chat.session.dispose();
  });

  it('is as it was when it is taken back, and its new text is kept', async () => {
    const chat = await opened([ASKED]);
    const before = said(chat);
    const outgoing = chat.parts.outgoings.resend('asked', 'uno')!;
    const { takeBack } = outgoing.place(infoOf(chat, outgoing));
    expect(said(chat)).not.toBe(before);
    takeBack();
    expect(said(chat)).toBe(before);
    expect(chat.session.refused.take('asked')).toBe('uno');
    chat.session.dispose();
  });

  it('keeps no text that was not edited', async () => {
    const { parts, session } = await opened([ASKED]);
    session.refused.keep('asked', 'uno');
    parts.outgoings.resend('asked', 'one')!.keep();
    expect(session.refused.take('asked')).toBe('uno');
    session.dispose();
  });

  it('says when its pair is gone', async () => {
    const { notebook, parts, session } = await opened([ASKED]);
    const outgoing = parts.outgoings.resend('asked', 'uno')!;
    expect(outgoing.gone()).toBeNull();
    notebook.deleteCell(0);
    expect(outgoing.gone()).toContain('Nothing was sent');
    session.dispose();
  });
});

describe('a pair that asks again for its reply', () => {
  it('is nothing without a reply, or if it sends something else than its text', async () => {
    const { notebook, parts, session } = await opened([ASKED, WAITING]);
    expect(parts.outgoings.regenerate('gone')).toBeNull();
    expect(parts.outgoings.regenerate('waiting')).toBeNull();
    expect(parts.outgoings.regenerate('asked')).not.toBeNull();
    const pair = Pair.find(notebook, 'asked')!;
    const kept = keepMessages(
      [{ role: 'user', content: [] }],
      pairMessages(pair.text)
    );
    pair.setMessages({ ...kept });
    expect(parts.outgoings.regenerate('asked')).toBeNull();
    session.dispose();
  });

  it('sends its message with what is above it, and keeps the reply as a version', async () => {
    const chat = await opened([
      ASKED,
      savedPair('second', 'three', 'four'),
      savedPair('later', 'x', 'y')
    ]);
    const outgoing = chat.parts.outgoings.regenerate('second')!;
    expect(messagesOf(outgoing)).toEqual([
      { role: 'user', content: 'one' },
      { role: 'assistant', content: 'two' },
      { role: 'user', content: 'three' }
    ]);
    const before = said(chat);
    const placed = outgoing.place(infoOf(chat, outgoing));
    expect(placed).toMatchObject({ pair: 'second', resend: true, isOld: true });
    const pair = Pair.find(chat.notebook, 'second')!;
    expect(pair.source).toBe('three');
    expect(pair.reply).toBeNull();
    expect(pair.versions).toMatchObject([{ source: 'three', reply: 'four' }]);
    placed.takeBack();
    expect(said(chat)).toBe(before);
    chat.session.dispose();
  });

  it('leaves a text alone that could not be sent, and is the same after a pause', async () => {
    const { parts, session } = await opened([ASKED]);
    session.refused.keep('asked', 'uno');
    const outgoing = parts.outgoings.regenerate('asked')!;
    outgoing.keep();
    expect(session.refused.take('asked')).toBe('uno');
    expect(isEditor(outgoing.held)).toBe(false);
    const again = parts.outgoings.again(outgoing.held);
    expect(again.held).toMatchObject({ text: 'one', regenerate: true });
    session.dispose();
  });
});

describe('a turn that goes on', () => {
  const written = new Map([[0, 'Rain.']]);
  const RESULT = { role: 'tool', tool_call_id: CALL.id, content: 'Rain.' };

  it('has its calls and the results in its request', async () => {
    const { parts, session } = await opened([ASKED, CALLED]);
    expect(parts.outgoings.goOn('gone', 0)).toBeNull();
    const outgoing = parts.outgoings.goOn('called', 0, written)!;
    expect(messagesOf(outgoing).slice(-2)).toMatchObject([
      { role: 'assistant', tool_calls: [{ id: CALL.id }] },
      RESULT
    ]);
    expect(outgoing.held).toMatchObject({ pair: 'called', round: 0 });
    session.dispose();
  });

  it('writes the results when it is placed, and takes them back', async () => {
    const chat = await opened([ASKED, CALLED]);
    const before = said(chat);
    const outgoing = chat.parts.outgoings.goOn('called', 0, written)!;
    const placed = outgoing.place(infoOf(chat, outgoing));
    expect(placed).toMatchObject({ pair: 'called', after: 'asked' });
    expect(said(chat)).toContain('Rain.');
    placed.takeBack();
    expect(JSON.parse(said(chat))).toHaveLength(JSON.parse(before).length);
    expect(said(chat)).not.toContain('"sending"');
    chat.session.dispose();
  });

  it('keeps the results when it is not sent now', async () => {
    const chat = await opened([ASKED, CALLED]);
    chat.parts.outgoings.goOn('called', 0, written)!.keep();
    expect(said(chat)).toContain('Rain.');
    chat.session.dispose();
  });

  it('does not begin if the request before it cannot be read', async () => {
    const { api, parts, session } = await opened([CALLED]);
    const outgoing = parts.outgoings.goOn('called', 0)!;
    expect(await outgoing.load!()).toBe(true);
    api.getRequest = async () => {
      throw new Error('The server is away.');
    };
    expect(await outgoing.load!()).toBe(false);
    expect(session.notice).toBe('Nothing was sent: The server is away.');
    session.dispose();
  });
});

describe('the bytes of a request', () => {
  const payload = { body: BODY, marks: { trimmed: { pairs: 2, tokens: 9 } } };

  it('go to the last pair if that has no reply, exactly as they are', async () => {
    const chat = await opened([ASKED, WAITING]);
    const outgoing = chat.parts.outgoings.payload(payload);
    expect(outgoing.draft()!.request.body).toBe(BODY);
    const before = said(chat);
    const placed = outgoing.place(infoOf(chat, outgoing));
    expect(placed).toMatchObject({
      pair: 'waiting',
      after: 'asked',
      isOld: true,
      info: { trimmed: { pairs: 2 } }
    });
    placed.takeBack();
    expect(said(chat)).toBe(before);
    chat.session.dispose();
  });

  it('go to a new pair if the last one has a reply', async () => {
    const chat = await opened([ASKED]);
    const before = said(chat);
    const outgoing = chat.parts.outgoings.payload(payload);
    const placed = outgoing.place(infoOf(chat, outgoing));
    expect(placed).toMatchObject({ after: 'asked', isOld: false });
    expect(chat.notebook.cells).toHaveLength(2);
    placed.takeBack();
    expect(said(chat)).toBe(before);
    chat.session.dispose();
  });

  it('say when their pair has a reply by now', async () => {
    const { notebook, parts, session } = await opened([ASKED, WAITING]);
    const outgoing = parts.outgoings.payload(payload);
    expect(outgoing.gone()).toBeNull();
    (notebook.cells[1] as any).setOutputs(ASKED.outputs);
    expect(outgoing.gone()).toContain('has a reply by now');
    session.dispose();
  });
});

describe('a send that was paused', () => {
  it('is of the kind that it was', async () => {
    const { parts, session } = await opened([ASKED, CALLED, WAITING]);
    const { outgoings } = parts;
    session.draft.text = 'three';
    const kinds = [
      outgoings.message()!,
      outgoings.resend('asked', 'uno')!,
      outgoings.goOn('called', 0)!,
      outgoings.payload({ body: BODY, marks: {} })
    ];
    for (const outgoing of kinds) {
      const again = outgoings.again(outgoing.held);
      expect(again.constructor).toBe(outgoing.constructor);
      expect({ ...again.held, at: 0 }).toEqual({ ...outgoing.held, at: 0 });
    }
    session.dispose();
  });
});
