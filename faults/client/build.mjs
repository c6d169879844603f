/**
 * Bundles the shipped client with `main.ts`, which drives it, for Node: build/faults/client.cjs.
 */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import webpack from 'webpack';

const here = dirname(fileURLToPath(import.meta.url));

const options = {
  context: here,
  entry: './main.ts',
  target: 'node20',
  mode: 'development',
  devtool: 'source-map',
  module: {
    parser: { javascript: { dynamicImportMode: 'eager' } },
    rules: [{ test: /\.ts$/, loader: join(here, 'typescript.mjs') }]
  },
  resolve: { extensions: ['.ts', '.js'] },
  // Optional parts of `ws`; and a tokenizer that no default setting asks for.
  externals: ['bufferutil', 'utf-8-validate', /^gpt-tokenizer/],
  externalsType: 'commonjs',
  output: { path: join(here, '../../build/faults'), filename: 'client.cjs' }
};

webpack(options, (error, stats) => {
  if (error || stats.hasErrors()) {
    console.error(error ?? stats.toString({ all: false, errors: true }));
    process.exitCode = 1;
  }
});
