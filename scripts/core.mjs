// Writes what the front end asks of JupyterLab at run time: the packages that JupyterLab shares, in the ranges
// of package.json.
//
//   node scripts/core.mjs FILE
//
// The builder would ask for the JupyterLab that it builds against and later, and an older page would warn of
// each package.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const [file] = process.argv.slice(2);

const read = path => JSON.parse(readFileSync(join(ROOT, path), 'utf-8'));
const core = read('node_modules/@jupyterlab/core-meta/core.package.json');

for (const [name, range] of Object.entries(read('package.json').dependencies)) {
  for (const packages of [core.dependencies, core.resolutions]) {
    if (name in packages) {
      packages[name] = range;
    }
  }
}
mkdirSync(dirname(join(ROOT, file)), { recursive: true });
writeFileSync(join(ROOT, file), `${JSON.stringify(core, null, 2)}\n`);
