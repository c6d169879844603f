/**
 * @jest-environment node
 */
import { ServerConnection } from '@jupyterlab/services';

import type { INewRun, IRun } from '../../base/run';
import { ApiError } from '../api';
import { createRun } from '../sends';
import { TIMES } from '../times';
import { connect, NodeWebSocket } from './ends';

const NEW = { id: 'r', body: '{}' } as INewRun;
const RUN = { id: 'r', state: 'sending' } as IRun;

/** A socket that has proved itself, and a server that counts what is posted. */
async function opened(options: Partial<typeof TIMES> = {}) {
  const ends = await connect(NodeWebSocket, {
    times: { ...TIMES, ...options }
  });
  ends.socket.watch('c', {
    onRuns: () => undefined,
    onChanged: () => undefined
  });
  await ends.heard(1);
  ends.ping();
  await ends.heard(2);
  const posted: INewRun[] = [];
  const api = {
    createRun: async (run: INewRun) => {
      posted.push(run);
      return RUN;
    }
  };
  const create = (run = NEW) => createRun(api, ends.socket, run);
  return { ...ends, create, posted };
}

describe('a message over the socket', () => {
  it('is sent there once the socket has proved itself, and not posted', async () => {
    const { close, create, heard, posted, said, say } = await opened();
    const made = create();
    await heard(3);
    expect(said[2]).toEqual({ send: NEW });
    say({ sent: { ...RUN, id: 'another' } });
    say({ sent: RUN });
    expect(await made).toEqual(RUN);
    expect(posted).toEqual([]);
    close();
  });

  it('is posted while no socket is open', async () => {
    const { close, create, posted, socket } = await opened();
    socket.dispose();
    expect(await create()).toBe(RUN);
    expect(posted).toEqual([NEW]);
    close();
  });

  it('is posted if it is too long', async () => {
    const { close, create, posted, said } = await opened();
    const long = { ...NEW, body: 'x'.repeat(1024 * 1024) };
    await create(long);
    expect(posted).toEqual([long]);
    expect(said).toHaveLength(2);
    close();
  });

  it('is refused as a post would be', async () => {
    const { close, create, heard, posted, say } = await opened();
    const made = create();
    await heard(3);
    const refused = { code: 'chat-busy', message: 'Wait.', run: RUN };
    say({ refused: refused as any, httpStatus: 409, run: 'r' });
    const error = await made.catch(error => error);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      status: 409,
      code: 'chat-busy',
      message: 'Wait.',
      run: RUN
    });
    expect(posted).toEqual([]);
    close();
  });

  it('is posted under the same id if the connection is lost', async () => {
    const { close, create, hangUp, heard, posted } = await opened();
    const made = create();
    await heard(3);
    hangUp();
    expect(await made).toBe(RUN);
    expect(posted).toEqual([NEW]);
    close();
  });

  it('is posted under the same id if no answer comes, and a late answer is ignored', async () => {
    const { close, create, heard, posted, say, ping } = await opened({
      answer: 30
    });
    const made = create();
    await heard(3);
    expect(await made).toBe(RUN);
    expect(posted).toEqual([NEW]);
    say({ sent: RUN });
    ping();
    await heard(4);
    close();
  });

  it('without an answer makes the page check the connection, and close it if it is dead', async () => {
    const { close, create, heard, said } = await opened({
      answer: 30,
      check: 30
    });
    const made = create();
    await heard(3);
    expect(await made).toBe(RUN);
    await heard(4);
    expect(said[3]).toMatchObject({ ping: expect.any(Number) });
    // Nothing comes, so it connects again.
    await heard(5);
    expect(said[4]).toEqual({ watch: 'c' });
    close();
  });

  it('is not lost with a post that fails', async () => {
    const { close, socket } = await opened();
    socket.dispose();
    const gone = new ServerConnection.NetworkError(new TypeError('gone'));
    const api = { createRun: () => Promise.reject(gone) };
    await expect(createRun(api, socket, NEW)).rejects.toBe(gone);
    close();
  });
});
