import { useLayoutEffect, useRef, type RefObject } from 'react';

const MARGIN = 8;

/**
 * Show a node beside another one, in the top layer: the composer would clip it. It is closed on
 * Escape, on a click elsewhere and when the focus moves elsewhere.
 */
export function usePopup(
  anchor: HTMLElement,
  onClose: () => void
): RefObject<HTMLDivElement> {
  const node = useRef<HTMLDivElement>(null);
  const close = useRef(onClose);
  close.current = onClose;
  useLayoutEffect(() => {
    const box = node.current!;
    const isOurs = (target: EventTarget | null) =>
      box.contains(target as Node) || anchor.contains(target as Node);
    const place = () => placeBeside(box, anchor);
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !event.isComposing) {
        event.preventDefault();
        event.stopPropagation();
        close.current();
      }
    };
    const onPointer = ({ target }: PointerEvent) => {
      if (!isOurs(target)) {
        close.current();
      }
    };
    const onFocusOut = ({ relatedTarget }: FocusEvent) => {
      // Without one, the page itself has lost the focus.
      if (relatedTarget !== null && !isOurs(relatedTarget)) {
        close.current();
      }
    };
    box.addEventListener('keydown', onKey);
    box.addEventListener('focusout', onFocusOut);
    document.addEventListener('pointerdown', onPointer, true);
    window.addEventListener('resize', place);
    if (box.showPopover) {
      box.setAttribute('popover', 'manual');
      box.showPopover();
    }
    place();
    return () => {
      box.removeEventListener('keydown', onKey);
      box.removeEventListener('focusout', onFocusOut);
      document.removeEventListener('pointerdown', onPointer, true);
      window.removeEventListener('resize', place);
    };
  }, [anchor]);
  return node;
}

/** Put a box above or below a node, wherever there is more room. */
function placeBeside(box: HTMLElement, anchor: HTMLElement): void {
  const { innerHeight, innerWidth } = window;
  const { left, top, bottom } = anchor.getBoundingClientRect();
  const above = top > innerHeight - bottom;
  const room = above ? top : innerHeight - bottom;
  const right = innerWidth - box.offsetWidth - MARGIN;
  const { style } = box;
  box.dataset.turnbookPlaced = above ? 'above' : 'below';
  style.left = `${Math.max(MARGIN, Math.min(left, right))}px`;
  style.top = above ? 'auto' : `${bottom + 2}px`;
  style.bottom = above ? `${innerHeight - top + 2}px` : 'auto';
  style.maxHeight = `${Math.max(120, room - MARGIN)}px`;
}
