/**
 * Bundles `requestwork.js` with what is built in `lib/`, and runs it in a Node of its own.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import webpack from 'webpack';

const here = dirname(fileURLToPath(import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'turnbook-bench-'));
try {
  await bundle();
  const { status } = spawnSync(
    process.execPath,
    [join(folder, 'work.cjs'), process.argv[2]],
    { stdio: 'inherit' }
  );
  process.exitCode = status ?? 1;
} finally {
  rmSync(folder, { recursive: true });
}

function bundle() {
  const options = {
    context: here,
    entry: './requestwork.js',
    target: 'node',
    mode: 'production',
    devtool: false,
    optimization: { minimize: false },
    performance: { hints: false },
    output: { path: folder, filename: 'work.cjs' }
  };
  return new Promise((resolve, reject) => {
    webpack(options, (error, stats) => {
      if (error || stats.hasErrors()) {
        reject(
          error ?? new Error(stats.toString({ all: false, errors: true }))
        );
      } else {
        resolve();
      }
    });
  });
}
