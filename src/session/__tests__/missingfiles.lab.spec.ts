import { textAttachment } from '../../document/attachments';
import { Pair } from '../../document/pair';
import { Chats } from './chats';
import type { Tab } from './tabs';

const { openChat, sent } = new Chats();

/** Remove the content of the first attachment of a pair, as somebody with an editor may. */
function strip(tab: Tab, pair: string): Pair {
  const found = Pair.find(tab.notebook, pair)!;
  found.updatePart(0, { data: { 'text/plain': '<removed>' } });
  return found;
}

async function damaged(confirmMissing?: () => Promise<boolean>) {
  const asked: string[][] = [];
  const tab = await openChat({
    confirmMissing:
      confirmMissing &&
      (names => {
        asked.push([...names]);
        return confirmMissing();
      })
  });
  tab.session.draft.attach(textAttachment('plan.txt', 'The plan'));
  const pair = strip(tab, await tab.ask('Read the plan'));
  return { asked, pair, tab };
}

describe('a message after one whose file is missing', () => {
  it.each([['no', async () => false] as const, ['nobody', undefined] as const])(
    'is not sent if %s says so',
    async (who, confirm) => {
      const { pair, tab } = await damaged(confirm);
      const before = pair.toJSON();
      const text = `Go on, ${who}`;
      const { done } = tab.write(text);
      await done;
      expect(await sent(text)).toEqual([]);
      expect(tab.session.draft.text).toBe(text);
      expect(tab.session.notice).toContain('plan.txt is missing');
      expect(pair.toJSON()).toEqual(before);
    }
  );

  it('is sent without it if the user agrees, who is asked once', async () => {
    const { asked, pair, tab } = await damaged(async () => true);
    await tab.ask('Go on without');
    await tab.ask('And on without');
    expect(asked).toEqual([['plan.txt']]);
    expect(await sent('Go on without')).toHaveLength(2);
    expect(pair.parts[0].metadata).toMatchObject({
      turnbook: { name: 'plan.txt', sent: false }
    });
  });

  it('is about the message itself too, if that is sent again', async () => {
    const { asked, pair, tab } = await damaged(async () => false);
    await tab.session.resend(pair.id, 'Read it again');
    expect(asked).toEqual([['plan.txt']]);
    expect(await sent('Read it again')).toEqual([]);
    expect(pair.source).toBe('Read the plan');
  });
});
