import type { PartialJSONObject, PartialJSONValue } from '@lumino/coreutils';

/** A message as the provider reads it; keys that Turnbook does not know are kept. */
export interface IMessage {
  role: string;
  content?: string | PartialJSONObject[] | null;
  name?: string;
  tool_calls?: PartialJSONObject[];
  tool_call_id?: string;
  [key: string]: PartialJSONValue | undefined;
}
