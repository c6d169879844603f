/** Images that arrive in chunks, in any of the ways in which providers send them. */
import { isObject } from '../base/json';

/**
 * Add the images of a delta, by their URLs: OpenRouter sends a list `images`, others parts of the
 * content. Some send an image again with the last chunk.
 */
export function addImages(
  images: readonly string[],
  { images: listed, content }: Record<string, unknown>
): readonly string[] {
  const parts = [listed, content].flatMap((list): unknown[] =>
    Array.isArray(list) ? list : []
  );
  const fresh = parts
    .flatMap(part => urlOf(part) ?? [])
    .filter(url => !images.includes(url));
  return fresh.length ? [...images, ...new Set(fresh)] : images;
}

function urlOf(part: unknown): string | null {
  if (!isObject(part) || part.type !== 'image_url') {
    return null;
  }
  const { image_url: image } = part;
  const url = isObject(image) ? image.url : image;
  return typeof url === 'string' && url ? url : null;
}
