/**
 * Make the parser tables of the filter language from its grammar.
 *
 * `node scripts/grammar.mjs` writes them; with `--check` it only says whether they are stale.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath, URL } from 'node:url';

import { buildParserFile } from '@lezer/generator';
import { format, resolveConfig } from 'prettier';

const folder = fileURLToPath(new URL('../src/filter/', import.meta.url));
const { parser, terms } = buildParserFile(
  readFileSync(`${folder}filter.grammar`, 'utf8'),
  { fileName: 'filter.grammar', typeScript: true }
);

const stale = [];
for (const [name, text] of [
  ['parser.ts', parser],
  // One declaration per name, which every tool that reads TypeScript understands.
  ['parser.terms.ts', terms.replace(/,\n\s*/g, ';\nexport const ')]
]) {
  const file = folder + name;
  const options = { ...(await resolveConfig(file)), filepath: file };
  const wanted = await format(text, options);
  if (process.argv.includes('--check')) {
    if (readFileSync(file, 'utf8') !== wanted) {
      stale.push(name);
    }
  } else {
    writeFileSync(file, wanted);
  }
}

if (stale.length > 0) {
  console.error(`Stale: ${stale.join(', ')}. Run: node scripts/grammar.mjs`);
  process.exitCode = 1;
}
