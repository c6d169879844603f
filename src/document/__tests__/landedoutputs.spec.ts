import type { IRun } from '../../base/run';
import { landedOutputs, outputChanges } from '../landedoutputs';

const RUN = { id: 'r', state: 'done', provider: 'p', model: 'm' } as IRun;
const CALL = {
  id: 'c',
  type: 'function' as const,
  function: { name: 'look', arguments: '{}' }
};
const IMAGE = 'data:image/png;base64,AAAA';

it('keeps the images of a reply that calls tools', () => {
  const landing = { run: RUN, text: 'hi', calls: [CALL], images: [IMAGE] };
  const [image, round] = landedOutputs(landing);
  expect(image.data).toEqual({ 'image/png': 'AAAA' });
  expect(JSON.stringify(round.data)).toContain('"hi"');
  // Landing again changes nothing.
  expect(outputChanges([image, round], landing)).toEqual({
    remove: [],
    add: []
  });
  // They are steps of the turn when the next run lands.
  const next = { run: { ...RUN, id: 'n' }, text: 'done' };
  const { remove, add } = outputChanges([image, round], next);
  expect([remove, add.length]).toEqual([[], 1]);
});
