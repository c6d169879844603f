import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import {
  IReferenceProviders,
  referenceAttachment,
  type IReferenceItem
} from 'jupyterlab-turnbook';

const NAME = 'Open tabs';

/** Offers the titles of the open tabs. They are read when the user chooses them, and frozen. */
const plugin: JupyterFrontEndPlugin<void> = {
  id: 'turnbook-example-reference-provider:plugin',
  description: 'Offers the titles of the open tabs to messages.',
  autoStart: true,
  requires: [IReferenceProviders],
  activate: (
    { shell }: JupyterFrontEnd,
    references: IReferenceProviders
  ): void => {
    const titles = () =>
      [...shell.widgets('main')].map(({ title }) => title.label);
    const item = (): IReferenceItem => ({
      label: NAME,
      detail: titles().join(', '),
      kind: 'selection',
      freeze: async () => [
        referenceAttachment(
          { kind: 'selection', path: '', name: NAME, at: Date.now() },
          titles().join('\n')
        )
      ]
    });
    references.add({
      id: plugin.id,
      label: 'Tabs',
      find: async query =>
        NAME.toLowerCase().includes(query.toLowerCase()) && titles().length
          ? [item()]
          : []
    });
  }
};

export default plugin;
