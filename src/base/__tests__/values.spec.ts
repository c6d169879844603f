import { readFileSync, readdirSync } from 'fs';
import { join } from 'path';

import { parse } from 'yaml';

import { VALUES } from '../api';

const root = join(__dirname, '../../..');
const read = (file: string) => parse(readFileSync(join(root, file), 'utf8'));

/** What an event counts besides the kinds of sections. */
const ALSO_COUNTED = ['options', 'metadata'];

describe('enumerations', () => {
  it('schemas of a chat name the same kinds of errors', () => {
    const run = read('src/document/schema/cell-run.schema.json');
    expect(run.properties.error.properties.type.enum).toEqual(VALUES.ErrorType);
  });

  it('schemas of a replay name the same kinds of sections', () => {
    const replay = JSON.stringify(
      read('src/document/schema/cell-replay.schema.json')
    );
    expect(replay).toContain(JSON.stringify({ enum: VALUES.SectionKind }));
  });

  it('drafts and events count the same kinds of sections', () => {
    const kinds = [...VALUES.SectionKind, ...ALSO_COUNTED];
    const { DraftCounts } = read('jupyterlab_turnbook/openapi.yaml').components
      .schemas;
    expect(Object.keys(DraftCounts.properties.sections.properties)).toEqual(
      kinds
    );
    for (const name of [...VALUES.EventName, 'send']) {
      const { sections } = read(
        `jupyterlab_turnbook/events/${name}.yaml`
      ).properties;
      if (sections) {
        expect([name, Object.keys(sections.properties)]).toEqual([name, kinds]);
      }
    }
  });

  it('there is a file for each event, and no other except those of the server', () => {
    const files = readdirSync(join(root, 'jupyterlab_turnbook/events'))
      .filter(file => file.endsWith('.yaml'))
      .map(file => file.replace('.yaml', ''));
    expect(files.sort()).toEqual([...VALUES.EventName, 'rerun', 'send'].sort());
  });
});
