import { galata, test as lab } from '@jupyterlab/galata';
import {
  killServer,
  port,
  ScriptedProvider,
  servers,
  startServer,
  type IServers
} from './provider';

export { expect } from '@jupyterlab/galata';

/**
 * galata's `test` with the scripted provider of the running project, empty at the start of
 * each test. Each worker has servers of its own.
 */
export const test = lab.extend<{
  provider: ScriptedProvider;
  servers: IServers;
  /** A Jupyter server that a test may kill; it lives again after the test. */
  mortal: { kill(): Promise<void>; start(): Promise<void> };
}>({
  baseURL: async ({}, use, info) => {
    const { name } = info.project;
    await use(`http://127.0.0.1:${port(name, info.parallelIndex)}`);
  },
  // Most tests look at what one attempt leaves behind. Those of resumption use the defaults.
  mockSettings: async ({}, use) => {
    await use({
      ...galata.DEFAULT_SETTINGS,
      'jupyterlab-turnbook:chat': { autoRetry: false }
    });
  },
  servers: async ({}, use, info) => {
    await use(servers(info.project.name, info.parallelIndex));
  },
  mortal: async ({ servers }, use) => {
    let dead = false;
    const start = async () => {
      dead = false;
      await startServer(servers);
    };
    await use({
      kill: async () => {
        dead = true;
        await killServer(servers);
      },
      start
    });
    if (dead) {
      await start();
    }
  },
  provider: async ({ servers }, use) => {
    const provider = new ScriptedProvider(servers.control);
    await provider.reset();
    await use(provider);
    await provider.reset();
  }
});
