/**
 * The rooms of src/, and which of them import which.
 *
 *     node scripts/rooms.mjs          print the graph that ARCHITECTURE.md shows
 *     node scripts/rooms.mjs --check  fail if ARCHITECTURE.md shows another one
 *     node scripts/rooms.mjs --write  write it there
 */
import * as fs from 'node:fs';
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Each room imports only from those before it. */
export const ROOMS = [
  'base',
  'filter',
  'document',
  'context',
  'request',
  'runs',
  'labpatch',
  'session',
  'ui',
  'render',
  'providers',
  'chat',
  'requestpanel',
  'replay',
  'compare',
  'rerun',
  'bridge'
];

const root = fileURLToPath(new URL('..', import.meta.url));
const source = path.join(root, 'src');
const page = path.join(root, 'ARCHITECTURE.md');
const [begin, end] = ['<!-- rooms -->', '<!-- end of rooms -->'];

function filesIn(folder) {
  return fs.readdirSync(folder, { withFileTypes: true }).flatMap(entry => {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) {
      return entry.name === '__tests__' ? [] : filesIn(file);
    }
    return /\.tsx?$/.test(entry.name) ? [file] : [];
  });
}

const roomOf = file => path.relative(source, file).split(path.sep)[0];

/** The rooms that a room imports from. */
function importsOf(room) {
  const found = new Set();
  for (const file of filesIn(path.join(source, room))) {
    const text = fs.readFileSync(file, 'utf8');
    for (const [, target] of text.matchAll(/from '(\.[^']+)'/g)) {
      found.add(roomOf(path.resolve(path.dirname(file), target)));
    }
  }
  return ROOMS.filter(other => other !== room && found.has(other));
}

function graph() {
  const rows = ROOMS.map(
    room => `${room.padEnd(13)}${importsOf(room).join(' ') || '-'}`
  );
  return ['```text', ...rows, '```'].join('\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const made = graph();
  const option = process.argv[2];
  if (!option) {
    console.log(made);
  } else {
    const text = fs.readFileSync(page, 'utf8');
    const [from, to] = [text.indexOf(begin), text.indexOf(end)];
    if (from === -1 || to === -1) {
      throw new Error(`ARCHITECTURE.md has no place for the rooms: ${begin}`);
    }
    const whole = `${text.slice(0, from + begin.length)}\n\n${made}\n\n${text.slice(to)}`;
    if (option === '--write') {
      fs.writeFileSync(page, whole);
    } else if (whole !== text) {
      console.error(
        'ARCHITECTURE.md shows other imports than src/ has. Run: make rooms'
      );
      process.exitCode = 1;
    }
  }
}
