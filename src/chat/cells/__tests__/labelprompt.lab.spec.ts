import { LabelPrompt } from '../labelprompt';

describe('LabelPrompt', () => {
  it('shows a word where JupyterLab shows a count', () => {
    const prompt = new LabelPrompt();
    expect(prompt.node.textContent).toBe('');
    prompt.executionCount = ' system ';
    expect(prompt.executionCount).toBe(' system ');
    expect(prompt.node.textContent).toBe('system');
    prompt.executionCount = null;
    expect(prompt.node.textContent).toBe('');
  });
});
