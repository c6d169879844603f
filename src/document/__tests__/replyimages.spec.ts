import { readPairText } from '../messages';
import { readReply, replyOutput } from '../reply';
import { isReplyImage, replyImageOutput } from '../replyimages';
import { shownOutput } from '../shown';

const RUN = { runId: '8f14e45f-ceea-467f-a8a5-1b2c3d4e5f60', partial: false };

const data = (url: string) => replyImageOutput(url, RUN).data;

describe('an image of a reply', () => {
  it('is stored if it is in its URL', () => {
    expect(data('data:image/webp;base64,AA\nEC')).toEqual({
      'image/webp': 'AAEC'
    });
    expect(
      replyImageOutput('data:image/png;base64,AAEC', RUN).metadata
    ).toEqual({ turnbook: { runId: RUN.runId, part: 'image' } });
  });

  it.each([
    ['https://x.example/a.png', '![](<https://x.example/a.png>)'],
    ['https://x.example/a>)[b](c', '![](<https://x.example/a%3E)[b](c>)'],
    ['https://x.example/a b\nc', '![](<https://x.example/a%20b%0Ac>)'],
    ['javascript:alert(1)', '[image]'],
    ['data:image/svg+xml;base64,AAEC', '[image]'],
    ['data:text/html,<script>', '[image]']
  ])('from elsewhere is Markdown: %s', (url, markdown) => {
    expect(data(url)).toEqual({ 'text/markdown': markdown });
  });

  it('is neither the reply nor sent', () => {
    const outputs = [
      replyImageOutput('https://x.example/a.png', RUN),
      replyOutput({ ...RUN, text: 'Here.' }),
      replyImageOutput('data:image/png;base64,AAEC', RUN)
    ];
    expect(outputs.map(isReplyImage)).toEqual([true, false, true]);
    expect(outputs.map(output => shownOutput(output).kind)).toEqual([
      'image',
      'markdown',
      'image'
    ]);
    expect(readReply(outputs)?.text).toBe('Here.');
    expect(readReply(outputs.slice(0, 1))).toBeNull();
    expect(readPairText('', outputs)).toMatchObject({
      reply: 'Here.',
      attachments: []
    });
  });

  it.each([
    { 'text/markdown': 'Words' },
    { 'text/markdown': ['![](<https://x.example/a.png>)', ' and words'] },
    { 'text/markdown': 'Words', 'image/png': 'AAEC' },
    { 'text/plain': 'Words' }
  ])('is none if it is shown as text, which is sent: %j', data => {
    const image = { ...replyImageOutput('https://x.example/a.png', RUN), data };
    expect(isReplyImage(image)).toBe(false);
    expect(readPairText('', [image]).reply).toContain('ords');
  });
});
