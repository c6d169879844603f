import { UUID } from '@lumino/coreutils';

import { KnownFiles } from '../knownfiles';
import { Chats } from './chats';
import { Browser, Tab, until, writeFile } from './tabs';

const chats = new Chats();
const { openChat, sent } = chats;

describe('Auto-apply', () => {
  /** A chat whose system cell is changed by a rule. */
  async function withRule(): Promise<Tab> {
    const tab = await openChat();
    tab.notebook.insertCell(0, { cell_type: 'raw', source: 'Be brief.' });
    tab.session.modes.rules.on = true;
    tab.session.draft.text = 'Edit this';
    await until(() => tab.session.requests.live.request.sections.length === 2);
    const draft = tab.session.requests.live;
    const [system] = draft.request.sections;
    draft.setLeaf(system.id, ['content'], 'Be kind.');
    tab.session.modes.rules.keep(draft.request.sections[0], draft.base);
    await tab.ask('Edit this');
    return tab;
  }

  it('changes later requests, but not while the request cannot be seen', async () => {
    const tab = await withRule();
    await tab.ask('Seen, so edited');
    expect((await sent('Seen, so edited'))[0].messages[0].content).toBe(
      'Be kind.'
    );
    tab.settings.set({ 'requestEditor.enabled': false });
    await tab.ask('Hidden, so plain');
    expect((await sent('Hidden, so plain'))[0].messages[0].content).toBe(
      'Be brief.'
    );
    tab.settings.set({ 'requestEditor.enabled': true });
    await tab.ask('Seen again');
    expect((await sent('Seen again'))[0].messages[0].content).toBe('Be kind.');
  });

  it('leaves rules that came with a file alone when only the setting is on', async () => {
    const maker = await withRule();
    const made = JSON.stringify(maker.context.model.toJSON());
    const settings = { autoApply: true };
    /** The same rule in a file of its own. */
    const file = async () => {
      const [path, chatId] = [`${UUID.uuid4()}.chat.ipynb`, UUID.uuid4()];
      const content = JSON.parse(made.split(maker.chatId).join(chatId));
      content.metadata.turnbook.model = `scripted/${chatId}`;
      content.cells = content.cells.slice(0, 1);
      await writeFile(chats.server, path, content);
      return { path, chatId };
    };
    const system = async (text: string) =>
      (await sent(text))[0].messages[0].content;
    const { path } = await file();
    const tab = await Tab.open({ server: chats.server, path, settings });
    expect(tab.session.modes.rules.list).toMatchObject([{ on: false }]);
    await tab.ask('By a file from elsewhere');
    expect(await system('By a file from elsewhere')).toBe('Be brief.');
    tab.session.modes.rules.on = true;
    await tab.ask('By my own choice');
    expect(await system('By my own choice')).toBe('Be kind.');
    // The browser that made the file, wherever that goes while it is open.
    const own = await file();
    const browser = new Browser();
    const known = new KnownFiles(browser.storage);
    known.make(own.chatId, own.path);
    const mine = await Tab.open({
      server: chats.server,
      path: own.path,
      settings,
      browser
    });
    await mine.context.rename(`moved-${own.path}`);
    expect(known.isMade(own.chatId, `moved-${own.path}`)).toBe(true);
    await mine.ask('In a file of mine');
    expect(await system('In a file of mine')).toBe('Be kind.');
  });
});
