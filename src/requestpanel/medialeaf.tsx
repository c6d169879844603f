import * as React from 'react';

import { decodedSize, mediaOf } from '../document/attachments';
import { valueAt } from '../request/leaves';
import type { LeafPath, PartialJSONValue } from '../request/model';
import { Bitmap } from '../ui/bitmap';
import { bytesText } from '../ui/bytes';
import { showImage } from '../ui/imagedialog';
import { useWords } from '../ui/language';

/** Data with at least this many characters is not shown as text. */
const LONG = 200;

/** The file in a message's part at a path; null if the path leads to something else. */
export function mediaAt(
  message: PartialJSONValue,
  path: LeafPath,
  value: string
): ReturnType<typeof mediaOf> {
  const isPart = path[0] === 'content' && typeof path[1] === 'number';
  if (!isPart || value.length < LONG) {
    return null;
  }
  const media = mediaOf(valueAt(message, path.slice(0, 2)));
  return media && value.endsWith(media.data) ? media : null;
}

/** Stands for the data of a file in a message: what it is, and how large. */
export function MediaLeaf(props: {
  media: NonNullable<ReturnType<typeof mediaOf>>;
}): JSX.Element {
  const { kind, type, name, data } = props.media;
  const trans = useWords();
  return (
    <span className="jp-Turnbook-mediaLeaf">
      {kind === 'image' && (
        <button
          type="button"
          className="jp-Turnbook-attachment-open"
          aria-label={trans.__('Enlarge %1', name)}
          onClick={() => void showImage(props.media, name)}
        >
          <Bitmap type={type} data={data} />
        </button>
      )}
      <span>{`${type} · ${bytesText(decodedSize(data))}`}</span>
    </span>
  );
}

/** A message as JSON in which the data of files is shortened, and how to get it back. */
export interface IShortened {
  text: string;
  /** The text with all data. */
  whole: (text: string) => string;
}

/** Write a value as JSON that people can read: an editor with megabytes of base64 is of no use. */
export function shortened(value: PartialJSONValue): IShortened {
  const blobs = new Map<string, string>();
  const text = JSON.stringify(
    value,
    (_, item: unknown) => {
      const media = mediaOf(item);
      if (!media || media.data.length < LONG) {
        return item;
      }
      const mark = `⟨${bytesText(decodedSize(media.data))} #${blobs.size + 1}⟩`;
      blobs.set(mark, media.data);
      return JSON.parse(
        JSON.stringify(item).replace(media.data, () => mark)
      ) as unknown;
    },
    2
  );
  return {
    text,
    whole: written => {
      let all = written;
      for (const [mark, data] of blobs) {
        all = all.replaceAll(mark, () => data);
      }
      return all;
    }
  };
}
