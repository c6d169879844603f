/**
 * A real socket's two ends, with no Jupyter server between them.
 */
import { createRequire } from 'module';
import type { AddressInfo } from 'net';

import { RunSocket } from '../socket';
import type { ClientMessage, ServerMessage } from '../../base/run';

interface IServerSide {
  close(): void;
  on(event: 'message', listener: (data: Buffer) => void): void;
  send(text: string): void;
}

interface ISocketServer {
  on(event: 'connection', listener: (side: IServerSide) => void): void;
  once(event: 'listening', listener: () => void): void;
  address(): AddressInfo;
  close(): void;
}

// The package that JupyterLab's own client uses outside of browsers; it has no types here.
const { WebSocketServer, WebSocket: NodeWebSocket } = createRequire(__filename)(
  'ws'
) as {
  WebSocketServer: new (options: object) => ISocketServer;
  WebSocket: typeof WebSocket;
};

export { NodeWebSocket };

/** What the page sends, and a way to respond. */
export async function connect(
  Client = NodeWebSocket,
  options: Partial<RunSocket.IOptions> = {}
) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await new Promise<void>(resolve => server.once('listening', resolve));
  const said: ClientMessage[] = [];
  const waiting: (() => void)[] = [];
  let side: IServerSide | null = null;
  server.on('connection', made => {
    side = made;
    made.on('message', data => {
      said.push(JSON.parse(data.toString()) as ClientMessage);
      waiting.splice(0).forEach(wake => wake());
    });
  });
  const socket = new RunSocket({
    url: () => `ws://127.0.0.1:${server.address().port}`,
    WebSocket: Client,
    ...options
  });
  return {
    socket,
    said,
    async heard(count: number): Promise<void> {
      while (said.length < count) {
        await new Promise<void>(resolve => waiting.push(resolve));
      }
    },
    say(message: ServerMessage): void {
      side!.send(JSON.stringify(message));
    },
    event(run: string, n: number): void {
      const message: ServerMessage = { run, event: { n, data: `${n}` } };
      side!.send(JSON.stringify(message));
    },
    events(run: string, ...numbers: number[]): void {
      const events = numbers.map(n => ({ n, data: `${n}` }));
      const message: ServerMessage = { run, events };
      side!.send(JSON.stringify(message));
    },
    error(code: string, run?: string): void {
      side!.send(JSON.stringify({ error: { code, message: code }, run }));
    },
    hangUp(): void {
      side!.close();
    },
    ping(): void {
      side!.send(JSON.stringify({ ping: 1 }));
    },
    close(): void {
      socket.dispose();
      server.close();
    }
  };
}
