import AxeBuilder from '@axe-core/playwright';

import { expect, test } from '../support/fixtures';
import { openPrepared } from '../support/prepared';
import { editLive, Replay } from '../support/replay';

const CELLS = [
  { id: 'sys-0001', system: 'Answer briefly.' },
  { id: 'pair-0001', user: 'Which frames?', reply: 'Area frames.' }
];

for (const theme of ['JupyterLab Light', 'JupyterLab Dark']) {
  test(`axe finds nothing in a replay and its fork, ${theme} @fresh`, async ({
    page,
    tmpPath
  }) => {
    await page.theme.setTheme(theme);
    const { chat } = await openPrepared(page, tmpPath, CELLS);
    const scan = async (...parts: string[]) => {
      const axe = new AxeBuilder({ page });
      parts.forEach(part => axe.include(part));
      const { violations } = await axe.analyze();
      expect(
        violations.map(({ id, nodes }) => [id, nodes.map(node => node.html)])
      ).toEqual([]);
    };
    await chat.message.fill('Go on');
    await editLive(chat, 'Area frames.', 'List frames.');
    const replay = new Replay(page);
    await replay.open(chat);
    await expect(replay.cells).toHaveCount(3);
    await replay.panel.getByText('Options and hash').click();
    await scan('.jp-Turnbook-replayBanner', '.jp-Turnbook-composer');
    await scan('.jp-Turnbook-replayCell-chips');
    await replay.button('Start chatting from this replay').click();
    await expect(chat.pairs).toHaveCount(2);
    await scan('.jp-Turnbook-forkBar', '.jp-Turnbook-composer');
  });
}
