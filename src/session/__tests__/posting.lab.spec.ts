import { ServerConnection } from '@jupyterlab/services';
import { PromiseDelegate } from '@lumino/coreutils';

import { MemoryStorage } from '../../../faults/client/storage';
import type { INewRun, IRun } from '../../base/run';
import { Notice } from '../notice';
import { Outbox } from '../outbox';
import { Posting } from '../posting';

/** A request on its way to a server that answers when a test says so. */
function posting() {
  const answers: PromiseDelegate<IRun>[] = [];
  const stopped: string[] = [];
  const storage = new MemoryStorage();
  const outbox = new Outbox(storage);
  outbox.open('chat');
  const notice = new Notice();
  const info = { runId: 'run', model: 'work/large', attempt: 1 };
  const one = new Posting({
    create: () => {
      const answer = new PromiseDelegate<IRun>();
      answers.push(answer);
      return answer.promise;
    },
    claims: {
      stop: async run => {
        stopped.push(run);
        return { id: run, state: 'stopped' } as any;
      }
    },
    notice,
    outbox,
    chat: 'chat',
    siblings: [0],
    placed: {
      pair: 'pair',
      cell: { source: ['Hel', 'lo'] } as any,
      after: null,
      info: info as any,
      resend: false,
      isOld: false,
      takeBack: () => undefined
    }
  });
  return { answers, notice, one, outbox, stopped };
}

const REQUEST = { id: 'run' } as INewRun;
const RUN = { id: 'run' } as IRun;
const lost = () => new ServerConnection.NetworkError(new TypeError('gone'));
const turn = () => new Promise(resolve => setTimeout(resolve));

describe('a request on its way', () => {
  it('is in the outbox until it has arrived', async () => {
    const { answers, one, outbox } = posting();
    expect(outbox.all).toMatchObject([{ pair: 'pair', text: 'Hello' }]);
    expect(one.run).toMatchObject({ id: 'run', pair: 'pair', model: 'large' });
    const done = one.post(REQUEST);
    answers[0].resolve(RUN);
    expect(await done).toEqual([RUN]);
    one.end();
    expect(outbox.all).toEqual([]);
  });

  it('that is given up is stopped if the server has started it', async () => {
    const { answers, one, stopped } = posting();
    const done = one.post(REQUEST);
    one.giveUp();
    answers[0].resolve(RUN);
    await done;
    expect(stopped).toEqual(['run']);
    expect(one.unsaved).not.toBeNull();
  });

  it('that is given up early is not sent', async () => {
    const { answers, one } = posting();
    one.giveUp();
    await expect(one.post(REQUEST)).rejects.toThrow(
      'stopped before it was sent'
    );
    expect(answers).toEqual([]);
  });

  it('that is given up while the server does not respond is not repeated', async () => {
    const { answers, notice, one } = posting();
    const done = one.post(REQUEST);
    answers[0].reject(lost());
    await turn();
    expect(notice.text).toMatch(/does not respond/);
    one.giveUp();
    await expect(done).rejects.toThrow('gone');
    expect(answers).toHaveLength(1);
  });

  it('stays in the outbox when its chat is closed', async () => {
    const { answers, one, outbox } = posting();
    const done = one.post(REQUEST);
    answers[0].reject(lost());
    await turn();
    one.dispose();
    await expect(done).rejects.toThrow('gone');
    expect(one.isLeft).toBe(true);
    one.end();
    expect(outbox.all).toMatchObject([{ pair: 'pair', text: 'Hello' }]);
  });

  it('leaves the outbox if it arrives after its chat was closed', async () => {
    const { answers, one, outbox } = posting();
    const done = one.post(REQUEST);
    one.dispose();
    answers[0].resolve(RUN);
    await done;
    one.end();
    expect(outbox.all).toEqual([]);
  });

  it('is not put back into the document when its pair was deleted', async () => {
    const { one } = posting();
    expect(one.unsaved?.pair).toBe('pair');
    one.delete();
    expect(one.unsaved).toBeNull();
  });
});
