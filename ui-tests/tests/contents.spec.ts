import { Chat } from '../support/chat';
import { expect, test } from '../support/fixtures';
import { Filtering } from '../support/filtering';
import { openPrepared } from '../support/prepared';

test('the table of contents lists messages and the headings of replies @fresh', async ({
  page,
  provider,
  tmpPath
}) => {
  const { chat } = await openPrepared(
    page,
    tmpPath,
    Array.from({ length: 120 }, (_, n) => ({
      id: `p${n}`,
      user: `Question ${n}\nwith a second line`,
      reply:
        n === 5
          ? `Text\n\n${'more\n\n'.repeat(80)}## Far *down*\n\n${'more\n\n'.repeat(80)}## Area of $r_1^2$\n\nend`
          : `Reply ${n}`
    }))
  );
  await page.evaluate(() =>
    window.jupyterapp.commands.execute('toc:show-panel')
  );
  const contents = page.locator('#table-of-contents');
  const entries = contents.locator('.jp-tocItem-content');
  await expect(entries).toHaveCount(122);
  await expect(entries.first()).toHaveText('Question 0');
  await expect(
    contents
      .getByRole('treeitem', { name: /^Question 5\b/ })
      .getByRole('treeitem', { name: 'Far down' })
  ).toHaveCount(1);

  // A heading in a reply that is not drawn.
  const pair = chat.panel.locator('[data-turnbook-pair="p5"]');
  await expect(pair).toHaveCount(0);
  await contents.getByText('Far down').click();
  await expect(
    pair.getByRole('heading', { name: 'Far down' })
  ).toBeInViewport();

  // One with a formula, which is listed as TeX.
  await contents.getByText('Area of r_1^2').click();
  await expect(
    pair.getByRole('heading', { name: /^Area of/ })
  ).toBeInViewport();

  // It follows the filter and what is sent.
  const filter = new Filtering(chat);
  await filter.write('"Question 11"');
  await expect(entries).toHaveCount(11);
  await filter.write('');
  await expect(entries).toHaveCount(122);
  await provider.script({
    steps: [{ delta: '# Landed' }, { finish: 'stop' }, { done: true }]
  });
  await new Chat(page).say('<b>One</b> more');
  await expect(entries.nth(-2)).toHaveText('<b>One</b> more');
  await expect(entries.last()).toHaveText('Landed');
  await page.evaluate(() =>
    window.jupyterapp.commands.execute('filebrowser:activate')
  );
});
