/**
 * The types of src/base/api.ts, from jupyterlab_turnbook/openapi.yaml.
 *
 *     node scripts/types.mjs          write them
 *     node scripts/types.mjs --check  fail if the file has others
 */
import * as fs from 'node:fs';
import { fileURLToPath } from 'node:url';

import openapiTS, { astToString } from 'openapi-typescript';
import prettier from 'prettier';
import ts from 'typescript';
import { parse } from 'yaml';

const contract = new URL(
  '../jupyterlab_turnbook/openapi.yaml',
  import.meta.url
);
const file = fileURLToPath(new URL('../src/base/api.ts', import.meta.url));

const HEAD = `/** Made by \`make types\` from jupyterlab_turnbook/openapi.yaml; change that instead. */
import type { ICodeCell } from '@jupyterlab/nbformat';

`;

/** What a cell holds is nbformat's to say. */
function transform(schema, { path }) {
  return path?.endsWith('/schemas/Cell')
    ? ts.factory.createTypeReferenceNode('ICodeCell')
    : undefined;
}

/** The values of the schemas that are lists of words. */
function values(schemas) {
  const lists = Object.entries(schemas)
    .filter(([, schema]) => schema.enum)
    .map(([name, schema]) => `${name}: ${JSON.stringify(schema.enum)}`);
  return `\n/** The values of each schema that is a list of words, in its order. */
export const VALUES = { ${lists.join(', ')} } as const;`;
}

async function made() {
  const whole = parse(fs.readFileSync(contract, 'utf8'));
  // The client has a function for each route, with the schemas as its types.
  const { schemas } = whole.components;
  const nodes = await openapiTS(
    { ...whole, paths: {}, components: { schemas } },
    { defaultNonNullable: false, transform }
  );
  const types = nodes.filter(node => node.name?.text === 'components');
  return prettier.format(HEAD + astToString(types) + values(schemas), {
    ...(await prettier.resolveConfig(file)),
    filepath: file
  });
}

const text = await made();
if (process.argv[2] !== '--check') {
  fs.writeFileSync(file, text);
} else if (!fs.existsSync(file) || fs.readFileSync(file, 'utf8') !== text) {
  console.error(
    'src/base/api.ts has other types than openapi.yaml describes. Run: make types'
  );
  process.exitCode = 1;
}
