import { test as lab } from '@jupyterlab/galata';
import { ScriptedProvider, servers, type IServers } from './provider';

export { expect } from '@jupyterlab/galata';

/** galata's `test` with the scripted provider of the running project, empty at the start of each test. */
export const test = lab.extend<{
  provider: ScriptedProvider;
  servers: IServers;
}>({
  servers: async ({}, use, info) => {
    await use(servers(info.project.name));
  },
  provider: async ({ servers }, use) => {
    const provider = new ScriptedProvider(servers.control);
    await provider.reset();
    await use(provider);
    await provider.reset();
  }
});
