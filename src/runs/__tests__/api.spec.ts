import { ServerConnection } from '@jupyterlab/services';

import { TurnbookAPI } from '../api';

/** A server whose answers break off in the middle. */
function cutAnswers(status: number): TurnbookAPI {
  const body = () =>
    new ReadableStream<Uint8Array>({
      start: controller => {
        controller.enqueue(new TextEncoder().encode('{"id": "r'));
      },
      pull: controller => controller.error(new TypeError('terminated'))
    });
  return new TurnbookAPI({
    serverSettings: ServerConnection.makeSettings({
      baseUrl: 'http://127.0.0.1:1/',
      fetch: async () => new Response(body(), { status })
    })
  });
}

describe('an answer that breaks off in the middle', () => {
  it.each([201, 503])('is none, whatever its status: %d', async status => {
    const api = cutAnswers(status);
    const asked = [
      api.createRun({ id: 'run' } as never),
      api.getRun('run'),
      api.getRequest('run')
    ];
    for (const answer of await Promise.allSettled(asked)) {
      expect(answer).toMatchObject({
        status: 'rejected',
        reason: expect.any(ServerConnection.NetworkError)
      });
    }
  });
});
