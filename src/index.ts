import { cellToolsPlugin } from './chat/celltools';
import { commandsPlugin } from './chat/commands';
import { creationPlugin } from './chat/creation';
import { chatPlugin } from './chat/plugin';
import { servicesPlugin } from './runs/plugin';

export * from './tokens';

export default [
  servicesPlugin,
  chatPlugin,
  commandsPlugin,
  cellToolsPlugin,
  creationPlugin
];
