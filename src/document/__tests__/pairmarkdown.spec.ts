import type { IOutput } from '@jupyterlab/nbformat';
import * as fc from 'fast-check';
import * as fs from 'fs';
import * as path from 'path';

import { pairMarkdown, withClosedFence } from '../pairmarkdown';
import { readReply } from '../reply';
import { readRounds } from '../rounds';

const names = { user: 'You', tools: 'Tool calls', model: 'work/large' };

interface IGolden {
  name: string;
  cell: { source: string; outputs: IOutput[] };
  model: string;
  markdown: string;
}

/** Cases for this function and for the exporter. */
const golden: IGolden[] = JSON.parse(
  fs.readFileSync(
    path.resolve('jupyterlab_turnbook/tests/golden-said.json'),
    'utf8'
  )
);

describe('pairMarkdown', () => {
  it.each(golden)(
    'is what the exporter writes: $name',
    ({ cell, model, markdown }) => {
      const text = pairMarkdown({
        user: cell.source,
        rounds: readRounds(cell.outputs),
        reply: readReply(cell.outputs)?.text ?? '',
        names: { user: 'You', tools: 'Tool calls', model }
      });
      expect(text).toBe(markdown);
    }
  );

  it('says who said what, word for word', () => {
    expect(
      pairMarkdown({
        user: 'Explain `f`:\n\n```py\ndef f(): ...\n```\n',
        rounds: [],
        reply: '# It does *nothing*',
        names
      })
    ).toBe(
      '**You:**\n\nExplain `f`:\n\n```py\ndef f(): ...\n```\n\n**work/large:**\n\n# It does *nothing*'
    );
  });

  it('leaves out what is empty', () => {
    const said = { rounds: [], names };
    expect(pairMarkdown({ ...said, user: 'Hi', reply: ' \n' })).toBe(
      '**You:**\n\nHi'
    );
    expect(pairMarkdown({ ...said, user: '', reply: '' })).toBe('');
  });

  it('has tool calls and results as code that nothing in them ends', () => {
    const text = pairMarkdown({
      user: 'Weather?',
      rounds: [
        {
          message: {
            role: 'assistant',
            tool_calls: [
              {
                id: 'c1',
                type: 'function',
                function: { name: 'weather', arguments: '{}' }
              }
            ]
          },
          results: [
            { role: 'tool', tool_call_id: 'c1', content: '````\nrain\n````' }
          ]
        }
      ],
      reply: 'Rain.',
      names
    });
    expect(text).toContain('**Tool calls:**\n\n`````\n');
    expect(text).toContain('rain');
    expect(text).toMatch(/\n`````\n\n\*\*work\/large:\*\*\n\nRain\.$/);
  });
});

describe('withClosedFence', () => {
  it.each([
    ['```py\nx = 1', '```py\nx = 1\n```'],
    ['~~~~\n```\n~~~', '~~~~\n```\n~~~\n~~~~'],
    ['```\n``` not the end', '```\n``` not the end\n```'],
    ['```\nx\n````', '```\nx\n````'],
    ['```inline``` and more', '```inline``` and more'],
    ['- a\n    ```\n    x', '- a\n    ```\n    x'],
    ['```\r\nx\r\n```\r', '```\r\nx\r\n```\r'],
    ['', '']
  ])('closes what is open in %j', (text, closed) => {
    expect(withClosedFence(text)).toBe(closed);
  });

  it('only ever adds to the end, and once', () => {
    const lines = fc.array(
      fc.constantFrom(
        '```',
        '~~~',
        '````',
        '```py',
        'text',
        '',
        '  ```',
        '~~~~'
      )
    );
    fc.assert(
      fc.property(lines, list => {
        const text = list.join('\n');
        const closed = withClosedFence(text);
        expect(closed.startsWith(text)).toBe(true);
        expect(withClosedFence(closed)).toBe(closed);
      })
    );
  });
});
