/**
 * The texts of the interface, and their translations.
 *
 *     node scripts/catalogue.mjs          print them as a template for translators (.pot)
 *     node scripts/catalogue.mjs --check  fail if a translation is missing or left over
 *     node scripts/catalogue.mjs --write  drop what is left over, and add what is missing, empty
 *
 * JupyterLab reads a translation from locale/<language>/LC_MESSAGES/ of the Python package.
 */
import * as fs from 'node:fs';
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('..', import.meta.url));
const locales = path.join(root, 'jupyterlab_turnbook', 'locale');
const DOMAIN = 'jupyterlab_turnbook';
const SCHEMA = 'src/request/schema/options.schema.json';

/** The texts of settings that JupyterLab translates, by where they are in a schema, and their contexts. */
const SETTINGS = [
  [/^properties\/.*\/(title|description)$/, 'settings'],
  [/^definitions\/.*\/properties\/.*\/(title|description)$/, 'settings'],
  [/^(title|description)$/, 'schema'],
  [/^jupyter\.lab\.setting-icon-label$/, 'settings'],
  [/^jupyter\.lab\.menus\/.*\/label$/, 'menu'],
  [/^jupyter\.lab\.toolbars\/.*\/label$/, 'toolbar']
];

/** How many of the first arguments are texts. */
const CALLS = { __: 1, _n: 2, _p: 2, _np: 3 };

function filesIn(folder) {
  return fs.readdirSync(folder, { withFileTypes: true }).flatMap(entry => {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) {
      return entry.name === '__tests__' ? [] : filesIn(file);
    }
    return /\.tsx?$/.test(entry.name) ? [file] : [];
  });
}

/** The text that a literal, or a sum of literals, stands for; null for anything else. */
function literal(node) {
  if (ts.isStringLiteralLike(node)) {
    return node.text;
  }
  if (
    ts.isBinaryExpression(node) &&
    node.operatorToken.kind === ts.SyntaxKind.PlusToken
  ) {
    const [left, right] = [literal(node.left), literal(node.right)];
    return left === null || right === null ? null : left + right;
  }
  return null;
}

function isInFunction(node) {
  for (let at = node.parent; at; at = at.parent) {
    if (ts.isFunctionLike(at) || ts.isPropertyDeclaration(at)) {
      return true;
    }
  }
  return false;
}

/** All texts by their key in a catalogue, with where they are; and what cannot be extracted. */
export function extract(files) {
  const texts = new Map();
  const problems = [];
  for (const file of files) {
    const source = ts.createSourceFile(
      file,
      fs.readFileSync(file, 'utf-8'),
      ts.ScriptTarget.Latest,
      true
    );
    const visit = node => {
      const name =
        ts.isCallExpression(node) &&
        ts.isPropertyAccessExpression(node.expression)
          ? node.expression.name.text
          : '';
      const count = Object.hasOwn(CALLS, name) ? CALLS[name] : 0;
      // The language itself passes texts on.
      if (count && !file.endsWith(path.join('base', 'words.ts'))) {
        const { line } = source.getLineAndCharacterOfPosition(node.getStart());
        const place = `${path.relative(root, file)}:${line + 1}`;
        const given = node.arguments.slice(0, count).map(literal);
        if (given.includes(null)) {
          problems.push(`${place}: a text to translate must be a literal.`);
        } else if (!isInFunction(node)) {
          problems.push(
            `${place}: this is translated while the module loads, before the language is known.`
          );
        } else {
          const context =
            name === '_p' || name === '_np' ? given.shift() : null;
          const key =
            context === null ? given[0] : `${context}\u0004${given[0]}`;
          const known = texts.get(key);
          if (known && given[1] && known.many && known.many !== given[1]) {
            problems.push(`${place}: “${given[0]}” has two plurals.`);
          }
          texts.set(key, {
            context,
            one: given[0],
            many: given[1] ?? known?.many,
            places: [...(known?.places ?? []), place]
          });
        }
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return { texts, problems };
}

/** The names of options and their help, which `trans.gettext` translates. */
function schemaTexts(file) {
  const { properties } = JSON.parse(fs.readFileSync(file, 'utf-8'));
  return Object.values(properties)
    .flatMap(({ title, description }) => [title, description])
    .filter(Boolean);
}

/** The texts of a settings schema, each with its context. */
function settingsTexts(value, place = []) {
  if (typeof value === 'string') {
    const at = place.join('/');
    const context = SETTINGS.find(([pattern]) => pattern.test(at))?.[1];
    return context ? [{ context, one: value }] : [];
  }
  return value && typeof value === 'object'
    ? Object.entries(value).flatMap(([key, one]) =>
        settingsTexts(one, [...place, key])
      )
    : [];
}

function template(texts) {
  const entries = [...texts.values()].map(({ context, one, many, places }) =>
    [
      `#: ${places.join(' ')}`,
      ...(context === null ? [] : [`msgctxt ${JSON.stringify(context)}`]),
      `msgid ${JSON.stringify(one)}`,
      ...(many === undefined
        ? ['msgstr ""']
        : [
            `msgid_plural ${JSON.stringify(many)}`,
            'msgstr[0] ""',
            'msgstr[1] ""'
          ])
    ].join('\n')
  );
  const head = `msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"`;
  return `${[head, ...entries].join('\n\n')}\n`;
}

/** The placeholders of a text, without order. */
function places(text) {
  return [...new Set(text.match(/%(%|\d+)/g) ?? [])].sort().join(' ');
}

function check(language, catalogue, texts) {
  const problems = [];
  const { '': head, ...entries } = catalogue;
  if (head?.domain !== DOMAIN) {
    problems.push(`${language}: the catalogue is not of the domain ${DOMAIN}.`);
  }
  for (const [key, { one, many }] of texts) {
    const found = entries[key];
    const forms = many === undefined ? 1 : 2;
    if (!Array.isArray(found) || found.length !== forms || found.includes('')) {
      problems.push(`${language}: no translation of “${key}”.`);
    } else if (
      // A singular may say “a” instead of the number.
      places(found.at(-1)) !== places(many ?? one)
    ) {
      problems.push(`${language}: “${key}” has other placeholders.`);
    }
  }
  for (const key of Object.keys(entries).filter(one => !texts.has(one))) {
    problems.push(`${language}: “${key}” is not used any more.`);
  }
  return problems;
}

function updated(catalogue, texts) {
  const head = { '': catalogue[''] };
  const entries = [...texts].map(([key, { many }]) => [
    key,
    catalogue[key] ?? (many === undefined ? [''] : ['', ''])
  ]);
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return { ...head, ...Object.fromEntries(entries) };
}

/** A catalogue with one line for each text. */
function print(catalogue) {
  const lines = Object.entries(catalogue).map(
    ([key, value]) => `  ${JSON.stringify(key)}: ${JSON.stringify(value)}`
  );
  return `{\n${lines.join(',\n')}\n}\n`;
}

function main() {
  const { texts, problems } = extract(filesIn(path.join(root, 'src')));
  for (const text of schemaTexts(path.join(root, SCHEMA))) {
    const places = [...(texts.get(text)?.places ?? []), SCHEMA];
    texts.set(text, { context: null, one: text, ...texts.get(text), places });
  }
  const schemas = path.join(root, 'schema');
  for (const name of fs.readdirSync(schemas)) {
    const schema = JSON.parse(fs.readFileSync(path.join(schemas, name)));
    if (schema['jupyter.lab.internationalization']?.domain !== DOMAIN) {
      problems.push(
        `schema/${name}: its texts are not of the domain ${DOMAIN}.`
      );
    }
    for (const { context, one } of settingsTexts(schema)) {
      const key = `${context}\u0004${one}`;
      const places = [...(texts.get(key)?.places ?? []), `schema/${name}`];
      texts.set(key, { context, one, places });
    }
  }
  const mode = process.argv[2];
  if (mode === undefined) {
    process.stdout.write(template(texts));
  }
  for (const language of mode ? fs.readdirSync(locales) : []) {
    const file = path.join(locales, language, 'LC_MESSAGES', `${DOMAIN}.json`);
    const catalogue = JSON.parse(fs.readFileSync(file, 'utf-8'));
    if (mode === '--write') {
      fs.writeFileSync(file, print(updated(catalogue, texts)));
    }
    if (mode === '--check') {
      problems.push(...check(language, catalogue, texts));
    }
  }
  if (problems.length) {
    console.error(
      `${problems.join('\n')}\nRun: node scripts/catalogue.mjs --write, and translate what is empty.`
    );
    process.exitCode = 1;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  main();
}
