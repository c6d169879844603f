/**
 * Images that a model made, as notebook outputs.
 *
 * They are shown and kept, and not sent back: providers take no images in an assistant's message.
 */
import type { IDisplayData, IOutput } from '@jupyterlab/nbformat';

import { isObject } from '../base/json';
import { IMAGE_TYPES } from './attachments';
import { isMultiline, joinLines } from './multiline';
import type { IRoundOrigin } from './rounds';

/** What stands for an image whose address nobody may open. */
const NO_ADDRESS = '[image]';

/**
 * Whether an output is an image that a model made.
 *
 * Any other text is not, whatever its mark says: it is shown, so it is sent.
 */
export function isReplyImage({ data, metadata }: IOutput): boolean {
  const entry = isObject(metadata) ? metadata.turnbook : undefined;
  if (!isObject(entry) || entry.part !== 'image' || !isObject(data)) {
    return false;
  }
  const text = data['text/markdown'];
  return isMultiline(text)
    ? isImageText(joinLines(text))
    : IMAGE_TYPES.some(type => isMultiline(data[type]));
}

function isImageText(text: string): boolean {
  return text === NO_ADDRESS || /^!\[\]\(<[^<>\\\s]*>\)$/.test(text);
}

/**
 * The output for an image.
 *
 * @param url - Where it is. What a data URL contains is stored; anything else becomes Markdown, whose
 * images are loaded only when the user asks for them.
 */
export function replyImageOutput(
  url: string,
  { runId, partial }: IRoundOrigin
): IDisplayData {
  const [, type = '', data = ''] =
    /^data:([\w/+.-]+);base64,([A-Za-z0-9+/=\s]+)$/.exec(url) ?? [];
  return {
    output_type: 'display_data',
    data: IMAGE_TYPES.includes(type)
      ? { [type]: data.replace(/\s/g, '') }
      : { 'text/markdown': /^https?:/i.test(url) ? link(url) : NO_ADDRESS },
    metadata: {
      turnbook: {
        runId,
        part: 'image',
        ...(partial ? { partial: true } : {})
      }
    }
  };
}

/** An image in Markdown; its address cannot end it. */
function link(url: string): string {
  return `![](<${url.replace(/[<>\\\s]/g, encodeURIComponent)}>)`;
}
