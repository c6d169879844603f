import { UUID } from '@lumino/coreutils';

import { Chats } from './chats';

const { openChat } = new Chats();

describe('a file that is opened twice at the same time', () => {
  it('is what the server said last, whichever response arrives last', async () => {
    const tab = await openChat();
    const { entry, info } = tab.session;
    const gate = tab.net.stop(/^PUT .*chats/, 'answer');
    const first = entry.open({ ...info!, chatId: UUID.uuid4() });
    await gate.reached;
    await entry.open(info!);
    gate.open();
    expect((await first)?.chatId).toBe(info!.chatId);
    expect(entry.chatId).toBe(info!.chatId);
  });
});
