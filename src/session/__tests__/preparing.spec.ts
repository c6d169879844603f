import { Signal } from '@lumino/signaling';

import { Draft } from '../draft';
import { Preparing } from '../preparing';

function written() {
  const draft: any = { text: '', isOurs: true };
  draft.changed = new Signal<any, void>(draft);
  return draft;
}

function writing(draft = written()) {
  const about = { asks: null, missingModel: null, model: 'work/large' } as any;
  const said: string[] = [];
  const clock = { now: 1000 };
  const socket = {
    isOpen: true,
    prepare: (provider: string) => {
      if (socket.isOpen) {
        said.push(provider);
      }
      return socket.isOpen;
    }
  };
  const preparing = new Preparing({
    about,
    draft,
    now: () => clock.now,
    socket
  });
  const write = (text: string) => {
    draft.text = text;
    draft.changed.emit();
  };
  return { about, clock, draft, preparing, said, socket, write };
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

  it('prepares it for each message, however fast they follow each other', () => {
    const storage = { getItem: () => null, setItem() {}, removeItem() {} };
    const draft = new Draft({ storage });
    const { said } = writing(draft);
    for (const text of ['Hi', 'And']) {
      draft.text = text[0];
      draft.text = text;
      // It is sent.
      draft.clear();
    }
    expect(said).toEqual(['work', 'work']);
    draft.dispose();
  });

  it('says so again with the next key if it was not connected', () => {
    const { said, socket, write } = writing();
    socket.isOpen = false;
    write('H');
    expect(said).toEqual([]);
    socket.isOpen = true;
    write('He');
    write('Hel');
    expect(said).toEqual(['work']);
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
