// Many chats that stream in one page: `node manychats.mjs '<what to do, as JSON>'` prints what it
// took to type beside them, and the longest tasks of the page meanwhile.

import { call, job, launch, openLab, traced } from './page.mjs';

/** The pause after each key; nobody types faster. */
const KEY_MS = 40;

const browser = await launch();

/** Type; each key's time from the event to the painted frame. */
async function type(page) {
  await call(page, 'watchKeys');
  await page.keyboard.type('k'.repeat(job.keys), { delay: KEY_MS });
  return { keys: await call(page, 'keyTimes') };
}

async function measure(files) {
  const say = text => process.stderr.write(`    ${text}\n`);
  const page = await openLab(browser);
  say(`${files.length} chats: opening`);
  for (const file of files) {
    await call(page, 'open', file, 'Turnbook Chat');
  }
  say(`${files.length} chats: typing while they stream`);
  await call(page, 'sendAll');
  await page.locator('textarea:visible').first().focus();
  const result = await traced(page, () => type(page));
  const streaming = await call(page, 'streaming');
  await page.context().close();
  return { ...result, streaming };
}

try {
  const results = [];
  for (const count of job.counts) {
    // The first one's reply streams too, so that both counts differ in the others only.
    results.push(await measure(job.files.splice(0, count)));
  }
  process.stdout.write(JSON.stringify(results));
} finally {
  await browser.close();
}
