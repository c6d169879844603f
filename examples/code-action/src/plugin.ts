import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { Notification } from '@jupyterlab/apputils';
import { type ICodeAction, ICodeActions } from 'jupyterlab-turnbook';

/** Says how many lines a block has. */
const countLines: ICodeAction = {
  id: 'turnbook-example-code-action:count-lines',
  label: 'Count lines',
  caption: ({ language }) => `Count the lines of this ${language || 'code'}`,
  // One line needs no counting.
  isVisible: ({ text }) => text.includes('\n'),
  execute: ({ text, chat }) => {
    const { length } = text.split('\n');
    Notification.info(`${length} lines, from ${chat.path}`, {
      autoClose: 5000
    });
  }
};

/** Adds the button to all code blocks of replies. */
const plugin: JupyterFrontEndPlugin<void> = {
  id: 'turnbook-example-code-action:plugin',
  description: 'Counts the lines of code blocks.',
  autoStart: true,
  requires: [ICodeActions],
  activate: (_: JupyterFrontEnd, actions: ICodeActions) => {
    actions.add(countLines);
  }
};

export default plugin;
