import { nullTranslator } from '@jupyterlab/translation';

import schema from '../../../schema/beside.json';
import { CommandIDs } from '../../ui/commandids';
import { BridgeIDs, bridgeLooks } from '../commandlooks';

const looks = bridgeLooks(nullTranslator.load('jupyterlab_turnbook'));

test('commands have one id and one name each', () => {
  const ids: string[] = Object.values(BridgeIDs);
  const others: string[] = Object.values(CommandIDs);
  expect(ids.filter(id => others.includes(id))).toEqual([]);
  expect(Object.keys(looks).sort()).toEqual([...ids].sort());
  const labels = Object.values(looks).map(({ label }) => label);
  expect(new Set(labels).size).toBe(labels.length);
});

test('commands have an icon where a toolbar shows no name', () => {
  const tools = schema['jupyter.lab.toolbars'].Cell.map(
    ({ command }) => command as keyof typeof looks
  );
  for (const id of [...tools, BridgeIDs.sidebar]) {
    expect([id, looks[id].icon]).toEqual([id, expect.anything()]);
  }
});
