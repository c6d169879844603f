import { Notification } from '@jupyterlab/apputils';
import { nullTranslator } from '@jupyterlab/translation';

import { reportLacks } from '../support';

const trans = nullTranslator.load('jupyterlab_turnbook');
const LITTLE = { text: 'Scrolling is slow.', isMissed: false };
const MUCH = { text: 'Nothing is saved.', isMissed: true };

describe('reportLacks', () => {
  let lines: string[];

  beforeEach(() => {
    localStorage.clear();
    Notification.dismiss();
    lines = [];
    jest.spyOn(console, 'info').mockImplementation(line => lines.push(line));
  });

  afterEach(() => jest.restoreAllMocks());

  const shown = () => Notification.manager.notifications.map(n => n.message);

  it('says nothing where everything works', () => {
    reportLacks([], 'JupyterLab 4.6.6', trans);
    expect([lines, shown()]).toEqual([[], []]);
  });

  it('writes one line to the console', () => {
    reportLacks([LITTLE, LITTLE], 'JupyterLab 4.4.0', trans);
    expect(lines).toEqual([
      'Turnbook in JupyterLab 4.4.0: Scrolling is slow. Scrolling is slow.'
    ]);
    expect(shown()).toEqual([]);
  });

  it('shows what the user would miss once, until it changes', () => {
    const line = 'Turnbook in JupyterLab 5: Nothing is saved.';
    reportLacks([LITTLE, MUCH], 'JupyterLab 5', trans);
    expect(shown()).toEqual([line]);
    Notification.dismiss();
    reportLacks([LITTLE, MUCH], 'JupyterLab 5', trans);
    expect(shown()).toEqual([]);
    reportLacks([MUCH], 'JupyterLab 6', trans);
    expect(shown()).toHaveLength(1);
  });
});
