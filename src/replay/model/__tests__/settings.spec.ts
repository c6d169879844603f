import type { ISettingRegistry } from '@jupyterlab/settingregistry';
import { Signal } from '@lumino/signaling';

import { ReplaySettings } from '../settings';

/** The user's settings, as JupyterLab provides them. */
function handedOut(composite: Record<string, unknown>) {
  const owner = {};
  const changed = new Signal<object, void>(owner);
  const settings = { composite, changed };
  return {
    settings: settings as unknown as ISettingRegistry.ISettings,
    change: (values: Record<string, unknown>) => {
      Object.assign(composite, values);
      changed.emit();
    }
  };
}

describe('ReplaySettings', () => {
  it('are the defaults until they are loaded', () => {
    const { enabled, persist, autoSend, cap } = new ReplaySettings();
    expect({ enabled, persist, autoSend, cap }).toEqual({
      enabled: true,
      persist: false,
      autoSend: false,
      cap: 30
    });
  });

  it('follow changes by the user, and emit', () => {
    const user = handedOut({ 'replay.persist': true, 'replay.cap': 0 });
    const replays = new ReplaySettings();
    let told = 0;
    replays.changed.connect(() => told++);
    replays.follow(user.settings);
    expect([replays.persist, replays.cap, told]).toEqual([true, 1, 1]);
    user.change({ 'replay.persist': false, 'replay.autoSend': true });
    expect([replays.persist, replays.autoSend, told]).toEqual([false, true, 2]);
  });

  it('are part of the request editor', () => {
    const user = handedOut({ 'requestEditor.enabled': false });
    const replays = new ReplaySettings();
    replays.follow(user.settings);
    expect([replays.canEdit, replays.enabled]).toEqual([false, false]);
  });
});
