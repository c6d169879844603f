import { trans } from '../base/words';
import { judgeLoad, type Load } from './policy';

/** Turns a relative URL into one that can be fetched. */
export type Resolve = (url: string) => Promise<string>;

/** Create the button that replaces an image until the user asks for it. */
export function blockedImage(
  load: Load & { kind: 'ask' },
  alt: string,
  resolve: Resolve
): HTMLElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'jp-Turnbook-blocked';
  button.textContent = trans.__('Load image from %1', load.from);
  button.title = alt ? `${alt} — ${load.url}` : load.url;
  // Notebook shortcuts would otherwise capture Enter and Space.
  button.setAttribute('data-lm-suppress-shortcuts', 'true');
  button.addEventListener('click', event => {
    // The button may be inside a link.
    event.preventDefault();
    event.stopPropagation();
    void show(button, load, alt, resolve);
  });
  return button;
}

/** Create the link that replaces a video or a sound; it opens in a new tab, without a referrer. */
export function mediaLink(source: string, kind: 'video' | 'audio'): Node {
  const load = judgeLoad(source, document.baseURI);
  if (load.kind !== 'ask' || load.local) {
    return document.createTextNode(`[${kind}]`);
  }
  const anchor = document.createElement('a');
  anchor.className = 'jp-Turnbook-blocked';
  anchor.href = load.url;
  anchor.target = '_blank';
  anchor.rel = 'noopener noreferrer nofollow';
  anchor.textContent =
    kind === 'video'
      ? trans.__('Open video from %1', load.from)
      : trans.__('Open audio from %1', load.from);
  anchor.title = load.url;
  return anchor;
}

async function show(
  button: HTMLElement,
  load: Load & { kind: 'ask' },
  alt: string,
  resolve: Resolve
): Promise<void> {
  const image = document.createElement('img');
  image.referrerPolicy = 'no-referrer';
  image.alt = alt;
  image.addEventListener('error', () => {
    image.replaceWith(button);
    button.textContent = trans.__(
      'Could not load the image from %1. Try again',
      load.from
    );
  });
  try {
    image.src = load.local ? await resolve(load.url) : load.url;
  } catch (reason) {
    console.warn(`Could not find the image ${load.url}`, reason);
    button.textContent = trans.__(
      'Could not find the image on %1. Try again',
      load.from
    );
    return;
  }
  button.replaceWith(image);
}
