import { showBitmap } from '../bitmap';

const PNG = { type: 'image/png', data: btoa('\x89PNG') };
const DATA_URL = `data:image/png;base64,${PNG.data}`;

describe('showBitmap', () => {
  let urls: string[] = [];
  let blobs: Blob[] = [];

  beforeEach(() => {
    urls = [];
    blobs = [];
    // jsdom has no URLs of blobs.
    Object.assign(URL, {
      createObjectURL: (blob: Blob) => {
        blobs.push(blob);
        urls.push(`blob:${urls.length}`);
        return urls[urls.length - 1];
      },
      revokeObjectURL: (url: string) => {
        urls = urls.filter(one => one !== url);
      }
    });
  });

  it('shows the bytes without a long URL, and lets go of them', () => {
    const image = new Image();
    showBitmap(image, PNG);
    expect(image.src).toBe('blob:0');
    expect(blobs[0]).toMatchObject({ type: 'image/png', size: 4 });
    image.dispatchEvent(new Event('load'));
    expect(urls).toEqual([]);
  });

  it('shows a data URL where the page allows no other, and says if it is damaged', () => {
    const image = new Image();
    let damaged = 0;
    showBitmap(image, PNG, () => damaged++);
    image.dispatchEvent(new Event('error'));
    expect(image.src).toBe(DATA_URL);
    expect(urls).toEqual([]);
    expect(damaged).toBe(0);
    image.dispatchEvent(new Event('error'));
    expect(damaged).toBe(1);
  });

  it('leaves what is not base64 to the browser', () => {
    const image = new Image();
    showBitmap(image, { type: 'image/png', data: '*' });
    expect(image.src).toBe('data:image/png;base64,*');
    expect(blobs).toEqual([]);
  });
});
