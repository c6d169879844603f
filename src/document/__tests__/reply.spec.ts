import { readReply, replyOutput, replyPlaces, soleReply } from '../reply';
import { replyImageOutput } from '../replyimages';
import { TOOL_MIME } from '../rounds';

const stream = { output_type: 'stream', name: 'stdout', text: ['1\n', '2'] };
const result = {
  output_type: 'execute_result',
  data: { 'text/plain': '42', 'text/html': '<b>42</b>' },
  metadata: {},
  execution_count: 1
};

const ROUND = { results: [{ role: 'tool', content: 'x' }] };

describe('readReply', () => {
  it('reads back what was written', () => {
    const reply = { text: 'Hi *you*', runId: 'r', partial: true };
    expect(readReply([stream, replyOutput(reply)])).toEqual(reply);
    expect(readReply([])).toBeNull();
  });

  it('takes the texts of a notebook that is not a chat: what is shown is what is sent', () => {
    expect(readReply([stream, result])).toEqual({
      text: '1\n2\n42',
      runId: '',
      partial: false
    });
  });

  it('prefers Markdown, and never treats a tool’s output as a reply', () => {
    const markdown = {
      output_type: 'display_data',
      data: { 'text/markdown': ['# A\n', 'b'] },
      metadata: {}
    };
    const tool = {
      output_type: 'display_data',
      data: { [TOOL_MIME]: ROUND, 'text/plain': 'call' },
      metadata: {}
    };
    expect(readReply([stream, markdown])!.text).toBe('# A\nb');
    expect(readReply([tool])).toBeNull();
  });
});

describe('soleReply', () => {
  const ours = replyOutput({ text: '{}', runId: 'r', partial: false });
  const more = { ...ours, data: { 'text/markdown': 'More.' }, metadata: {} };

  it('is the reply if no other Markdown is beside it', () => {
    expect(soleReply([stream, ours, result])?.text).toBe('{}');
    expect(soleReply([stream])).toBeNull();
  });

  it('is none if a file has more Markdown, which is sent too, or an image', () => {
    expect(soleReply([ours, more])).toBeNull();
    expect(soleReply([more, ours])).toBeNull();
    const origin = { runId: 'r', partial: false };
    const far = replyImageOutput('https://example.org/a.png', origin);
    expect(soleReply([ours, far])).toBeNull();
  });
});

describe('replyPlaces', () => {
  const ours = replyOutput({ text: 'Hi', runId: 'r', partial: false });
  const tool = {
    output_type: 'display_data',
    data: { [TOOL_MIME]: ROUND, 'text/plain': 'call' },
    metadata: {}
  };

  it('lists tools and the reply, last first, but not what other tools wrote next to it', () => {
    expect(replyPlaces([tool, result, ours])).toEqual([2, 0]);
  });

  it('treats what other tools wrote as the reply when there is no other', () => {
    expect(replyPlaces([result, stream])).toEqual([1, 0]);
    expect(replyPlaces([])).toEqual([]);
  });
});
