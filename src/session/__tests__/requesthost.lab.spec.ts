import { findPair } from '../../document/landing';
import { RequestHost } from '../requesthost';
import { Chats } from './chats';
import type { Tab } from './tabs';

const { openChat } = new Chats();

function hostOf({ api, context, notebook, session }: Tab): RequestHost {
  return new RequestHost({
    about: (session as any)._parts.about,
    api,
    context: session.context,
    draft: session.draft,
    notebook,
    path: () => context.path
  });
}

describe('where requests come from', () => {
  it('has the bytes of a run, and says when the journal no longer has them', async () => {
    const tab = await openChat();
    const pair = await tab.ask('Kept in the journal');
    const host = hostOf(tab);
    const { runId } = tab.info(pair)!;
    const bytes = await host.journalBytes(runId);
    const body = JSON.parse(new TextDecoder().decode(bytes!));
    expect(JSON.stringify(body.messages)).toContain('Kept in the journal');
    expect(await host.frameOf(runId)).toEqual({ ...body, messages: null });
    const unknown = '00000000-0000-4000-8000-000000000000';
    expect(await host.journalBytes(unknown)).toBeNull();
    expect(await host.frameOf(unknown)).toBeNull();
    expect(await host.frameOf(undefined)).toBeNull();
    tab.net.broken = /\/request$/;
    await expect(host.journalBytes(runId)).rejects.toThrow();
  });

  it('has sent pairs, with what they were sent with, and no others', async () => {
    const tab = await openChat();
    const first = await tab.ask('The first');
    const second = await tab.ask('The second');
    const host = hostOf(tab);
    const pair = host.sentPair(second)!;
    expect(pair).toMatchObject({
      id: second,
      info: tab.info(second)!,
      record: null
    });
    expect(JSON.stringify(pair.context.messages)).toContain('The first');
    expect(host.sentPair('none')).toBeNull();
    tab.notebook.addCell({ cell_type: 'code', id: 'plain', source: 'x = 1' });
    expect(findPair(tab.notebook, 'plain')).not.toBeNull();
    expect(host.sentPair('plain')).toBeNull();
    expect(host.debugName(first)).not.toBe(host.debugName(second));
  });
});
