/**
 * What a reply may have drawn as a diagram, as plain rules without a DOM.
 *
 * Mermaid draws in the page and believes its source: settings and styles in it, HTML in labels and
 * pictures would load addresses while it draws. So it gets a smaller language: kinds of diagrams
 * that are known, no settings but ours, no HTML, no formulas, nothing with an address, and no more
 * than can be drawn in a moment.
 */
export type DiagramSource =
  { kind: 'drawable'; text: string; title: string } | Refusal;

/** Mermaid's themes that go with JupyterLab's. */
export type Theme = 'default' | 'dark';

/** Why a diagram is not drawn. */
export type Refusal = { kind: 'unknown' | 'outside' | 'large' };

/** The longest source that is drawn. */
const MAX_LENGTH = 20_000;

/** The most lines, statements and arrows; the layout takes longer than linear time. */
const MAX_PARTS = 600;

/** Each `&` in a flowchart multiplies arrows. */
const MAX_PRODUCTS = 30;

/** How deep boxes are in boxes; each level is laid out for itself. */
const MAX_DEPTH = 12;

/** The kinds of diagrams that are drawn. None of them loads icons or counts up to a number. */
const KINDS = new Set(
  (
    'graph flowchart sequencediagram classdiagram classdiagram-v2 statediagram statediagram-v2 erdiagram ' +
    'journey gantt pie mindmap timeline gitgraph quadrantchart xychart xychart-beta requirementdiagram ' +
    'sankey sankey-beta'
  ).split(' ')
);

/** Read the source of a diagram and take out of it what is not drawn. */
export function readDiagram(source: string, theme: Theme): DiagramSource {
  if (source.length > MAX_LENGTH) {
    return { kind: 'large' };
  }
  const { body, title } = withoutSettings(source);
  const first = /^\s*([a-z][\w-]*)/i.exec(body)?.[1].toLowerCase() ?? '';
  // Mermaid takes a text with one of these words anywhere for a C4 diagram.
  if (!KINDS.has(first) || /C4[A-Z]/i.test(body)) {
    return { kind: 'unknown' };
  }
  if (refersOutside(body)) {
    return { kind: 'outside' };
  }
  if (isLarge(body) || (first === 'gantt' && isLong(body))) {
    return { kind: 'large' };
  }
  const head = JSON.stringify({
    ...(title ? { title } : {}),
    config: {
      theme,
      // Labels are text of the picture, never HTML in the page.
      htmlLabels: false,
      flowchart: { htmlLabels: false },
      class: { htmlLabels: false }
    }
  });
  return {
    kind: 'drawable',
    title,
    text: `---\n${head}\n---\n${asText(body.trimEnd())}\n`
  };
}

/** The diagram without comments, directives and front matter; of these only the title is kept. */
function withoutSettings(source: string): { body: string; title: string } {
  let body = source
    .replace(/\r\n?|[\u2028\u2029]/g, '\n')
    .replace(/[^\P{Cc}\t\n]/gu, '')
    .trimStart();
  const front = /^---[ \t]*\n([^]*?)\n[ \t]*---[ \t]*(?:\n|$)/.exec(body);
  let title = '';
  if (front) {
    body = body.slice(front[0].length);
    title = /^[ \t]*title[ \t]*:(.*)$/m.exec(front[1])?.[1] ?? '';
  }
  body = body
    .replace(/%%\{[^]*?\}%%/g, '')
    .replace(/^[ \t]*%%.*$/gm, '')
    .trimStart();
  return { body, title: plainTitle(title) };
}

/** Whether a diagram may name an address that something would load while it is drawn. */
function refersOutside(body: string): boolean {
  // Styles and the data of shapes have escapes of their own.
  const read = body
    .replace(/\\(?:u\{?|x)?([\da-f]{1,6})\}?\s?/gi, (_, code: string) =>
      character(parseInt(code, 16))
    )
    .replaceAll('\\', '');
  return (
    [body, body.replaceAll('\\', ''), read].some(text => LOADS.test(text)) ||
    (body.includes('@{') && /\\|img/i.test(body)) ||
    // What is left of a directive would still be read as one.
    body.includes('%%{') ||
    body.startsWith('---')
  );
}

const LOADS = /url\(|image-set\(|src\(\s*(?:["']|var)|@import/i;

function character(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : '';
}

function isLarge(body: string): boolean {
  const count = (what: RegExp) => body.match(what)?.length ?? 0;
  return (
    count(/[\n;]|[-=.~]{2,}/g) > MAX_PARTS ||
    count(/&(?!\w+;)/g) > MAX_PRODUCTS ||
    deepest(body) > MAX_DEPTH
  );
}

/** How deep boxes are nested. */
function deepest(body: string): number {
  let depth = 0;
  let most = 0;
  for (const line of body.split('\n')) {
    if (/^\s*(?:subgraph\b|.*\{\s*$)/i.test(line)) {
      depth++;
    } else if (/^\s*(?:end|\})\s*$/i.test(line)) {
      depth--;
    }
    most = Math.max(most, depth);
  }
  return most;
}

/** Whether a plan has days without end: they are counted one by one. */
function isLong(body: string): boolean {
  const numbers = body.match(/\d+/g) ?? [];
  return numbers.some(
    number =>
      (number.length > 4 && !/^(?:19|20)\d{6}$/.test(number)) ||
      (number.length === 4 && !/^(?:19|20)/.test(number))
  );
}

/** Make HTML and formulas in a diagram text. */
function asText(body: string): string {
  return body
    .replace(/<(?:\/?(?:b|strong|i|em|u|s|sub|sup|small|code|center))>/gi, '')
    .replace(/<br\s*\/?>/gi, '<br/>')
    .replace(/&lt;|&#0*60;|&#x0*3c;|#0*60;/gi, '#lt;')
    .replace(/<(?=[a-z/!?])(?!br\/>)/gi, (mark, at: number, all: string) =>
      ANNOTATION.test(all.slice(Math.max(0, at - 1), at + 40)) ? mark : '#lt;'
    )
    .replace(/\${2,}/g, '$');
}

/** `<<interface>>`, which is part of some diagrams' syntax. */
const ANNOTATION = /^<<\w{1,30}>>/;

function plainTitle(title: string): string {
  return title
    .trim()
    .replace(/^(["'])(.*)\1$/, '$2')
    .replace(/[<>\\$]/g, '')
    .slice(0, 200);
}
