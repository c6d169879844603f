/** Makes images smaller, with the browser's own encoder. */

/** The longest side of a scaled image; providers make larger ones smaller themselves. */
export const LONGEST_SIDE = 1568;

/** An image with its longest side at that size at most; JPEG and WebP lose some quality. */
export async function scaleDown(
  bytes: Uint8Array,
  type: string
): Promise<{ bytes: Uint8Array; type: string }> {
  const bitmap = await createImageBitmap(
    new Blob([bytes as BlobPart], { type })
  );
  try {
    const factor = Math.min(
      1,
      LONGEST_SIDE / Math.max(bitmap.width, bitmap.height)
    );
    const canvas = document.createElement('canvas');
    canvas.width = Math.max(1, Math.round(bitmap.width * factor));
    canvas.height = Math.max(1, Math.round(bitmap.height * factor));
    canvas
      .getContext('2d')!
      .drawImage(bitmap, 0, 0, canvas.width, canvas.height);
    const target = type === 'image/gif' ? 'image/png' : type;
    const blob = await new Promise<Blob | null>(resolve =>
      canvas.toBlob(resolve, target, 0.85)
    );
    if (!blob) {
      throw new Error('The browser could not encode the image.');
    }
    return {
      bytes: new Uint8Array(await blob.arrayBuffer()),
      type: blob.type
    };
  } finally {
    bitmap.close();
  }
}
