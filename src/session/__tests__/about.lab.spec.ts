import { UUID } from '@lumino/coreutils';

import { KnownFiles } from '../knownfiles';
import { createChat } from '../newchat';
import { Chats } from './chats';
import { savedCells, Tab, until, writeFile } from './tabs';

const chats = new Chats();
const { openChat, plainFile } = chats;

describe('a chat', () => {
  it('gets an id with its first message', async () => {
    const path = await plainFile();
    const tab = await Tab.open({ server: chats.server, path });
    expect(tab.session.info).toBeNull();
    tab.session.about.topic = 'weather';
    const pair = await tab.ask('The first');
    expect(tab.session.info).toMatchObject({
      model: 'scripted/scripted',
      topic: 'weather'
    });
    expect(tab.reply(pair)).toContain('The first');
    expect(
      (await tab.api.listChats()).find(({ chatId }) => chatId === tab.chatId)
    ).toMatchObject({ path });
  });

  it('that is a copy gets another id, and keeps where it came from', async () => {
    const one = await openChat();
    const pair = await one.ask('Copy me');
    await until(async () => (await one.saved(pair)) !== null);
    const path = `${UUID.uuid4()}.chat.ipynb`;
    await writeFile(chats.server, path, {
      cells: await savedCells(chats.server, one.options.path),
      metadata: { turnbook: { ...one.session.info } },
      nbformat: 4,
      nbformat_minor: 5
    });
    const two = await Tab.open({ server: chats.server, path });
    expect(two.chatId).not.toBe(one.chatId);
    expect(two.session.info?.lineage?.copiedFrom).toBe(one.chatId);
  });

  it('takes a file for made here that became a chat here, unless it came with something', async () => {
    const path = await plainFile();
    const tab = await Tab.open({ server: chats.server, path });
    await tab.ask('My first');
    const { storage } = tab.browser;
    expect(new KnownFiles(storage).isMade(tab.chatId, path)).toBe(true);
    const other = `${UUID.uuid4()}.chat.ipynb`;
    await writeFile(chats.server, other, {
      cells: [],
      metadata: { turnbook: { autoApply: { rules: [] } } },
      nbformat: 4,
      nbformat_minor: 5
    });
    const foreign = await Tab.open({ server: chats.server, path: other });
    await foreign.ask('Not mine');
    const known = new KnownFiles(foreign.browser.storage);
    expect(known.isMade(foreign.chatId, other)).toBe(false);
    const made = await createChat(
      tab.contents,
      new KnownFiles(localStorage),
      ''
    );
    const { content } = await tab.contents.get(made);
    const { chatId } = content.metadata.turnbook;
    const here = new KnownFiles(window.localStorage);
    expect(here.isMade(chatId, made)).toBe(true);
  });
});
