/**
 * The page docs/api.md, from jupyterlab_turnbook/openapi.yaml.
 *
 *     node scripts/apipage.mjs          write it
 *     node scripts/apipage.mjs --check  fail if the file has another
 */
import * as fs from 'node:fs';
import { fileURLToPath } from 'node:url';

import prettier from 'prettier';
import { parse } from 'yaml';

const contract = new URL(
  '../jupyterlab_turnbook/openapi.yaml',
  import.meta.url
);
const file = fileURLToPath(new URL('../docs/api.md', import.meta.url));

const METHODS = ['get', 'post', 'put', 'delete'];

const api = parse(fs.readFileSync(contract, 'utf8'));

/** The last part of a reference. */
function nameOf(reference) {
  return reference.split('/').at(-1);
}

/** What a reference to a part of the contract stands for. */
function resolved(part) {
  return part.$ref
    ? part.$ref
        .slice(2)
        .split('/')
        .reduce((at, key) => at[key], api)
    : part;
}

/** Text on one line, for a table. */
function line(text = '') {
  return text.trim().replace(/\s+/g, ' ').replaceAll('|', '\\|');
}

function code(text) {
  return `\`${text}\``;
}

/** Words as a list with `or` before the last. */
function either(words) {
  return words.join(', ').replace(/, ([^,]*)$/, ' or $1');
}

/** What a schema allows, in words. */
function typeOf(schema) {
  const whole = bareType(schema);
  return schema.nullable ? `${whole} or ${code('null')}` : whole;
}

function bareType(schema) {
  if (schema.$ref) {
    const name = nameOf(schema.$ref);
    return `[${name}](#${name.toLowerCase()})`;
  }
  if (schema.allOf) {
    return schema.allOf.map(typeOf).join(' and ');
  }
  if (schema.oneOf) {
    return either(schema.oneOf.map(typeOf));
  }
  if (schema.enum) {
    return either(schema.enum.map(code));
  }
  if (schema.type === 'array') {
    return `list of ${typeOf(schema.items)}`;
  }
  if (schema.properties) {
    const inner = Object.entries(schema.properties).map(
      ([name, one]) => `${code(name)} (${typeOf(one)})`
    );
    return `object with ${inner.join(', ')}`;
  }
  return schema.type;
}

function table(head, rows) {
  return rows.length
    ? [
        `| ${head.join(' | ')} |`,
        `| ${head.map(() => '---').join(' | ')} |`,
        ...rows.map(row => `| ${row.join(' | ')} |`),
        ''
      ]
    : [];
}

/** The type of a body or an answer. */
function contentOf({ content }) {
  return Object.entries(content ?? {})
    .map(([type, { schema }]) =>
      type === 'application/json' ? typeOf(schema) : code(type)
    )
    .join(', ');
}

function route(path, method) {
  const whole = api.paths[path];
  const entry = whole[method];
  const parameters = [...(whole.parameters ?? []), ...(entry.parameters ?? [])];
  const rows = parameters.map(resolved).map(one => {
    const kind = one.required ? one.in : `${one.in}, optional`;
    return [code(one.name), kind, typeOf(one.schema), line(one.description)];
  });
  const answers = Object.entries(entry.responses).map(([status, part]) => {
    const answer = resolved(part);
    const when = status === 'default' ? 'otherwise' : code(status);
    return [when, line(answer.description), contentOf(answer)];
  });
  return [
    `### ${code(`${method.toUpperCase()} ${path}`)}`,
    '',
    entry.summary ?? '',
    '',
    entry.description ?? '',
    '',
    ...table(['parameter', 'in', 'type', 'what'], rows),
    ...(entry.requestBody
      ? [`Body: ${contentOf(entry.requestBody)}.`, '']
      : []),
    ...table(['answer', 'what', 'type'], answers)
  ];
}

function schemaPart([name, schema]) {
  const needed = schema.required ?? [];
  const rows = Object.entries(schema.properties ?? {}).map(([key, one]) => [
    code(key),
    needed.includes(key) ? typeOf(one) : `${typeOf(one)}, optional`,
    line(one.description)
  ]);
  const kinds = (schema.oneOf ?? []).map(one => [
    typeOf(one),
    line(one.description)
  ]);
  const plain = rows.length || kinds.length ? '' : `Type: ${typeOf(schema)}.`;
  return [
    `### ${name}`,
    '',
    schema.description ?? '',
    '',
    schema.pattern ? `${plain} Pattern: ${code(schema.pattern)}.` : plain,
    '',
    ...table(['field', 'type', 'what'], rows),
    ...table(['message', 'what'], kinds)
  ];
}

async function made() {
  const routes = Object.keys(api.paths).flatMap(path =>
    METHODS.filter(method => api.paths[path][method]).flatMap(method =>
      route(path, method)
    )
  );
  const text = [
    "# The server's API",
    '',
    '<!-- Made by `make types` from jupyterlab_turnbook/openapi.yaml; change that instead. -->',
    '',
    `${api.info.description.trim()} Paths on this page begin with ${code(api.servers[0].url)}.`,
    '',
    'The contract itself is [`openapi.yaml`](../jupyterlab_turnbook/openapi.yaml): the server checks requests with it, and the types of the page are made from it.',
    '',
    '## Routes',
    '',
    ...routes,
    '## Schemas',
    '',
    ...Object.entries(api.components.schemas).flatMap(schemaPart)
  ].join('\n');
  return prettier.format(text, {
    ...(await prettier.resolveConfig(file)),
    filepath: file
  });
}

const text = await made();
if (process.argv[2] !== '--check') {
  fs.writeFileSync(file, text);
} else if (!fs.existsSync(file) || fs.readFileSync(file, 'utf8') !== text) {
  console.error('docs/api.md is not the page of openapi.yaml. Run: make types');
  process.exitCode = 1;
}
