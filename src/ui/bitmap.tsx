import * as React from 'react';

import { fromBase64 } from '../base/base64';

/** A bitmap as attachments have it. */
export interface IBitmap {
  type: string;
  /** Base64. */
  data: string;
}

/**
 * Show a bitmap in an image.
 *
 * A data URL of some megabytes stops the page while the browser reads it, so that is for pages whose
 * policy allows nothing else.
 *
 * @param onDamaged - Called if the browser cannot show it.
 */
export function showBitmap(
  image: HTMLImageElement,
  bitmap: IBitmap,
  onDamaged?: () => void
): void {
  const url = blobUrl(bitmap);
  const other = () => {
    image.onerror = onDamaged ?? null;
    image.src = `data:${bitmap.type};base64,${bitmap.data}`;
  };
  if (url === null) {
    other();
    return;
  }
  // The image has what it needs then.
  image.onload = () => URL.revokeObjectURL(url);
  image.onerror = () => {
    URL.revokeObjectURL(url);
    other();
  };
  image.src = url;
}

/** An image of a bitmap. */
export function Bitmap(props: IBitmap & { alt?: string }): JSX.Element {
  const { type, data, alt = '' } = props;
  const image = React.useRef<HTMLImageElement>(null);
  React.useEffect(() => {
    showBitmap(image.current!, { type, data });
  }, [type, data]);
  return <img ref={image} alt={alt} decoding="async" loading="lazy" />;
}

/** A URL of the bytes; null if they cannot be read, as in a file that was edited by hand. */
function blobUrl({ type, data }: IBitmap): string | null {
  try {
    const bytes = fromBase64(data);
    return URL.createObjectURL(new Blob([bytes as BlobPart], { type }));
  } catch (error) {
    if ((error as Error).name === 'InvalidCharacterError') {
      return null;
    }
    throw error;
  }
}
