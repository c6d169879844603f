// Builds the extensions in examples/ against this folder, each as its README says.
//
//   node scripts/examples.mjs
//
// What comes out is in build/examples/NAME/labextension; a browser test loads it into JupyterLab.

import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const SOURCES = join(ROOT, 'examples');
const OUT = join(ROOT, 'build', 'examples');

function run(folder, command, ...args) {
  const { status, error } = spawnSync(command, args, {
    cwd: folder,
    stdio: 'inherit'
  });
  if (status !== 0) {
    throw new Error(`${command} failed in ${folder}: ${error ?? status}`);
  }
}

rmSync(OUT, { recursive: true, force: true });
for (const name of readdirSync(SOURCES)) {
  if (!existsSync(join(SOURCES, name, 'package.json'))) {
    continue;
  }
  console.log(`==> ${name}`);
  const folder = join(OUT, name);
  cpSync(join(SOURCES, name), folder, { recursive: true });
  // The package as it would be installed; all others are found in the folder above.
  const modules = join(folder, 'node_modules');
  mkdirSync(modules);
  symlinkSync(ROOT, join(modules, 'jupyterlab-turnbook'));
  run(folder, join(ROOT, 'node_modules', '.bin', 'tsc'), '-p', '.');
  const core = `--core-package-file=${join(ROOT, 'build', 'core.json')}`;
  run(folder, 'jupyter-builder', 'build', core, '.');
}
