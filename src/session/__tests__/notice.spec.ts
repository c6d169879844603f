import { Notice } from '../notice';

describe('Notice', () => {
  it('has the last words, and says each time that there are others', () => {
    const notice = new Notice();
    const heard: (string | null)[] = [];
    notice.said.connect(({ text }) => void heard.push(text));
    expect(notice.text).toBeNull();
    notice.say('It failed.');
    notice.say('It failed again.');
    expect(notice.text).toBe('It failed again.');
    notice.say(null);
    expect(notice.text).toBeNull();
    expect(heard).toEqual(['It failed.', 'It failed again.', null]);
  });
});
