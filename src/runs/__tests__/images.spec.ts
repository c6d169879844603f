import { addChunk, EMPTY_REPLY, type IReplyState } from '../reply';

const read = (...deltas: unknown[]): IReplyState =>
  deltas.reduce<IReplyState>(
    (reply, delta) => addChunk(reply, { choices: [{ index: 0, delta }] }),
    EMPTY_REPLY
  );

const image = (url: unknown) => ({ type: 'image_url', image_url: { url } });

describe('images in chunks', () => {
  it('are in a list of their own or among the parts of the content, each once', () => {
    const reply = read(
      { content: 'Here: ' },
      { images: [image('data:image/png;base64,AAEC')] },
      {
        content: [image('https://x.example/a.png'), { type: 'text', text: '.' }]
      },
      { images: [image('data:image/png;base64,AAEC')] },
      { content: [{ type: 'image_url', image_url: 'https://x.example/b.png' }] }
    );
    expect(reply.text).toBe('Here: .');
    expect(reply.images).toEqual([
      'data:image/png;base64,AAEC',
      'https://x.example/a.png',
      'https://x.example/b.png'
    ]);
  });

  it('of the wrong form are skipped', () => {
    const { images } = read(
      { images: 'x', content: [null, 5, image(5), image('')] },
      { images: [{ type: 'text' }, image(null)] }
    );
    expect(images).toEqual([]);
  });
});
