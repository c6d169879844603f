import type { IOutput } from '@jupyterlab/nbformat';
import { CodeCellModel } from '@jupyterlab/cells';
import { type OutputArea, SimplifiedOutputArea } from '@jupyterlab/outputarea';
import {
  RenderMimeRegistry,
  standardRendererFactories
} from '@jupyterlab/rendermime';
import { YNotebook, type YCodeCell } from '@jupyter/ydoc';
import fc from 'fast-check';

import { readPairText } from '../../document/messages';
import { readRounds, TOOL_MIME } from '../../document/rounds';
import { shownText } from '../../document/shown';
import { UntrustedRenderMime } from '../registry';
import { RealParts } from './parts';

const parts = new RealParts();
const registry = new UntrustedRenderMime({
  rendermime: new RenderMimeRegistry({
    initialFactories: standardRendererFactories,
    markdownParser: parts.markdownParser,
    sanitizer: parts.sanitizer
  }),
  // Markdown shows as its source until it is near the view.
  visibility: { whenNear: () => () => undefined }
});

/** What JupyterLab's own output area puts on the screen. */
function draw(outputs: IOutput[]) {
  const notebook = YNotebook.create() as YNotebook;
  const sharedModel = notebook.insertCell(0, {
    cell_type: 'code',
    source: '',
    metadata: {},
    outputs
  } as any) as YCodeCell;
  const model = new CodeCellModel({ sharedModel });
  const area: OutputArea = new SimplifiedOutputArea({
    model: model.outputs,
    rendermime: registry
  });
  const texts = [
    ...area.node.querySelectorAll('.jp-Turnbook-text, .jp-Turnbook-markdown')
  ].map(node => node.textContent ?? '');
  const drawn = {
    texts: texts.filter(Boolean),
    rounds: area.node.querySelectorAll('.jp-Turnbook-tool').length,
    sent: shownText(sharedModel.getOutputs()),
    pair: readPairText('', sharedModel.getOutputs())
  };
  area.dispose();
  model.dispose();
  notebook.dispose();
  return drawn;
}

const text = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc
    .array(
      fc.constantFrom('a', 'bc', '\n', '\r', '\b', '\u001b[31m', '<b>', '*'),
      { maxLength: 8 }
    )
    .map(pieces => pieces.join(''))
);
const odd = fc.constantFrom<unknown>(
  '',
  null,
  1,
  {},
  ['x', 'y'],
  ['x', 1],
  'iVBORw0='
);
const value = fc.oneof({ weight: 3, arbitrary: text }, odd);
const round = fc.oneof(
  fc.constant({ results: [{ role: 'tool', content: 'x' }] }),
  odd
);
const bundle = fc.record(
  {
    [TOOL_MIME]: round,
    'text/markdown': value,
    'image/png': value,
    'image/svg+xml': value,
    'text/html': value,
    'text/latex': value,
    'text/plain': value,
    'application/json': value
  },
  { requiredKeys: [] }
);
const metadata = fc.record(
  {
    turnbook: fc.constantFrom({ runId: 'r' }, { runId: 'r', partial: true }),
    'text/plain': fc.constant({ expanded: false })
  },
  { requiredKeys: [] }
);
const output = fc.oneof(
  fc.record({
    output_type: fc.constantFrom('display_data', 'execute_result'),
    data: bundle,
    metadata
  }),
  fc.record({
    output_type: fc.constant('stream'),
    name: fc.constantFrom('stdout', 'stderr'),
    text
  }),
  fc.record({
    output_type: fc.constant('error'),
    ename: text,
    evalue: text,
    traceback: fc.array(text, { maxLength: 3 })
  })
) as fc.Arbitrary<IOutput>;

describe('what is shown', () => {
  it('is what is sent, whatever the outputs', () => {
    fc.assert(
      fc.property(fc.array(output, { maxLength: 4 }), outputs => {
        const drawn = draw(outputs);
        expect(drawn.sent).toBe(drawn.texts.join('\n'));
        expect(drawn.pair.reply).toBe(drawn.sent);
        expect(drawn.pair.rounds).toHaveLength(drawn.rounds);
        expect(readRounds(outputs)).toHaveLength(drawn.rounds);
      }),
      { numRuns: 300 }
    );
  });
});
