/**
 * Chats on one server whose replies a test begins and ends.
 */
import {
  START_MS,
  startServer,
  type IRealServer
} from '../../runs/__tests__/realserver';
import { closeTabs, newChat, NodeWebSocket, Tab, until } from './tabs';

/** The server of a spec. */
export let server: IRealServer;

/** Have a server for the tests of a spec, and no tabs after each. */
export function useServer(): void {
  jest.setTimeout(60_000);

  beforeAll(async () => {
    server = await startServer();
  }, START_MS);

  afterEach(() => {
    jest.restoreAllMocks();
    closeTabs();
  });

  afterAll(async () => {
    await server.stop();
  });
}

export async function openChat(
  options: Partial<Tab.IOptions> = {}
): Promise<Tab> {
  return Tab.open({ server, path: await newChat(server), ...options });
}

let gates = 0;

/** Have the provider begin a reply, and end it when the answer is called. */
async function pausedReply(tab: Tab): Promise<() => Promise<void>> {
  const gate = `follower-${++gates}`;
  await tab.script({
    steps: [
      { delta: 'Half ' },
      { wait: gate },
      { delta: 'and whole.' },
      { finish: 'stop' },
      { done: true }
    ]
  });
  return () => server.release(gate);
}

/** Begin a message whose reply is half there. */
export async function begin(tab: Tab, text = 'Go on') {
  const end = await pausedReply(tab);
  const { pair, done } = tab.write(text);
  await done;
  await tab.shows(pair, 'Half ');
  return { pair, end, run: tab.session.live(pair)!.run.id };
}

/** Wait until a followed reply has come to its end; it may have landed by then. */
export function ended(tab: Tab, pair: string): Promise<void> {
  return until(() => tab.session.live(pair)?.hasEnded ?? true);
}

/** Sockets that can hold the events of runs back, and say what the server does not. */
export function holdEvents() {
  type Listener = (event: MessageEvent) => void;
  const late: (() => void)[] = [];
  let isHolding = false;
  let listener: Listener = () => undefined;
  class Held extends NodeWebSocket {
    override set onmessage(heard: Listener) {
      listener = heard;
      super.onmessage = event => {
        if (isHolding && /^\{"(run|gathered)":/.test(event.data)) {
          late.push(() => heard(event));
        } else {
          heard(event);
        }
      };
    }
  }
  return {
    WebSocket: Held,
    hold: () => {
      isHolding = true;
    },
    release: () => {
      isHolding = false;
      late.splice(0).forEach(deliver => deliver());
    },
    say: (message: unknown) =>
      listener({ data: JSON.stringify(message) } as MessageEvent)
  };
}

/** Whether the journal knows that a file has a run's reply. */
export const isLanded = async (tab: Tab, run: string) =>
  (await tab.api.getRun(run)).run.landed;
