/** The same request to another model. */
import { rangeAt } from './scan';

/** A body with another model, and every other byte as it is; null if it names none. */
export function withModel(body: string, model: string): string | null {
  const whole = rangeAt(body, []);
  const { from, to } = rangeAt(body, ['model']);
  return from === whole.from
    ? null
    : body.slice(0, from) + JSON.stringify(model) + body.slice(to);
}
