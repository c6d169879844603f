/**
 * Images that a model made, as notebook outputs.
 *
 * They are shown and kept, and not sent back: providers take no images in an assistant's message.
 */
import type { IDisplayData, IOutput } from '@jupyterlab/nbformat';

import { isObject } from '../base/json';
import { IMAGE_TYPES } from './attachments';
import type { IRoundOrigin } from './rounds';

/** Whether an output is an image that a model made. */
export function isReplyImage(output: IOutput): boolean {
  const metadata: unknown = output.metadata;
  const entry = isObject(metadata) ? metadata.turnbook : undefined;
  return isObject(entry) && entry.part === 'image';
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
      : { 'text/markdown': /^https?:/i.test(url) ? link(url) : '[image]' },
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
