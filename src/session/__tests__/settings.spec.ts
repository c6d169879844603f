import { readFileSync } from 'fs';
import { join } from 'path';

import { DEFAULT_SETTINGS } from '../settings';

/** What JupyterLab reads for the toolbar, not we. */
const NOT_OURS = 'toolbar';

describe('the settings', () => {
  it('are those of the schema, with its defaults', () => {
    const { properties } = JSON.parse(
      readFileSync(join(__dirname, '../../../schema/chat.json'), 'utf8')
    ) as { properties: Record<string, { default: unknown }> };
    const described = Object.entries(properties)
      .filter(([name]) => name !== NOT_OURS)
      .map(([name, schema]) => [name, schema.default]);
    expect(Object.fromEntries(described)).toEqual(DEFAULT_SETTINGS);
  });
});
