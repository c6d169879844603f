import { MemoryStorage } from '../../../faults/client/storage';
import { textAttachment } from '../../document/attachments';
import { AskedElsewhere } from '../asked';

const file = (n: number) => textAttachment(`${n}.txt`, `text ${n}`);

describe('what is asked about on the page of a notebook', () => {
  it('is all there for the page of the chat, once', async () => {
    const elsewhere = new AskedElsewhere(new MemoryStorage().requests);
    await Promise.all([
      elsewhere.leave('a.chat.ipynb', { attachments: [file(1)] }),
      elsewhere.leave('b.chat.ipynb', { attachments: [file(2)] }),
      elsewhere.leave('a.chat.ipynb', {
        attachments: [file(3)],
        question: 'Why?'
      }),
      elsewhere.leave('a.chat.ipynb', {
        attachments: [file(4)],
        question: 'How?'
      })
    ]);
    expect(await elsewhere.take('a.chat.ipynb')).toEqual({
      attachments: [file(1), file(3), file(4)],
      question: 'Why?'
    });
    expect(await elsewhere.take('a.chat.ipynb')).toBeNull();
  });

  it('is the latest that one message can have, if no page takes it', async () => {
    const elsewhere = new AskedElsewhere(new MemoryStorage().requests);
    for (let n = 0; n < 25; n++) {
      await elsewhere.leave('a.chat.ipynb', { attachments: [file(n)] });
    }
    const { attachments } = (await elsewhere.take('a.chat.ipynb'))!;
    expect(attachments.map(({ name }) => name)).toEqual(
      Array.from({ length: 20 }, (_, n) => `${n + 5}.txt`)
    );
  });
});
