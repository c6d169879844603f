import { readReply, replyOutput, replyPlaces } from '../reply';
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
