import { Signal } from '@lumino/signaling';

import { Preparing } from '../preparing';

function writing() {
  const draft: any = { text: '', isOurs: true };
  draft.changed = new Signal<any, void>(draft);
  const about = { asks: null, missingModel: null, model: 'work/large' } as any;
  const said: string[] = [];
  const clock = { now: 1000 };
  const preparing = new Preparing({
    about,
    draft,
    now: () => clock.now,
    socket: { prepare: provider => void said.push(provider) }
  });
  const write = (text: string) => {
    draft.text = text;
    draft.changed.emit();
  };
  return { about, clock, draft, preparing, said, write };
}

describe('writing a message', () => {
  it('prepares its provider, and again when a connection would be stale', () => {
    const { clock, said, write } = writing();
    write('H');
    write('He');
    clock.now += 19_999;
    write('Hel');
    expect(said).toEqual(['work']);
    clock.now += 1;
    write('Hell');
    expect(said).toEqual(['work', 'work']);
  });

  it('prepares another provider once it is chosen', () => {
    const { about, said, write } = writing();
    write('H');
    about.model = 'home/small';
    write('He');
    expect(said).toEqual(['work', 'home']);
  });

  it('prepares nothing for what is not written here, or may not be sent', () => {
    const { about, draft, preparing, said, write } = writing();
    write('');
    draft.isOurs = false;
    write('from another page');
    draft.isOurs = true;
    about.asks = { kind: 'copy' };
    write('H');
    about.asks = null;
    about.missingModel = 'work/large';
    write('He');
    about.missingModel = null;
    preparing.dispose();
    write('Hel');
    expect(said).toEqual([]);
  });
});
