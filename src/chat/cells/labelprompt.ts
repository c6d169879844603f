import { InputPrompt } from '@jupyterlab/cells';

/**
 * A prompt that shows a word instead of an execution count.
 */
export class LabelPrompt extends InputPrompt {
  override get executionCount(): string | null {
    return this._label;
  }
  override set executionCount(value: string | null) {
    this._label = value;
    this.node.textContent = value?.trim() ?? '';
  }

  private _label: string | null = null;
}
