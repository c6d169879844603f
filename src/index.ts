import { chatPlugin } from './chat/plugin';
import { commandsPlugin } from './chat/commands';
import { creationPlugin } from './chat/creation';
import { servicesPlugin } from './runs/plugin';

export * from './tokens';

export default [servicesPlugin, chatPlugin, commandsPlugin, creationPlugin];
