import * as React from 'react';

/** A box above a node, in the top layer: what is around the node would clip it. */
export function Floating(props: {
  anchor: () => Element | null;
  id: string;
  role: string;
  label?: string;
  className: string;
  /** Whether it is as wide as the node. */
  wide?: boolean;
  children: React.ReactNode;
}): JSX.Element {
  const node = React.useRef<HTMLDivElement>(null);
  React.useLayoutEffect(() => {
    const box = node.current;
    const around = props.anchor()?.getBoundingClientRect();
    if (box && around) {
      box.style.left = `${around.left}px`;
      box.style.bottom = `${window.innerHeight - around.top + 2}px`;
      if (props.wide) {
        box.style.width = `${around.width}px`;
        box.style.maxHeight = `${Math.min(460, Math.max(80, around.top - 8))}px`;
      }
      if (box.showPopover && !box.matches(':popover-open')) {
        box.setAttribute('popover', 'manual');
        box.showPopover();
      }
    }
  });
  return (
    <div
      ref={node}
      id={props.id}
      role={props.role}
      aria-label={props.label}
      className={props.className}
      // What is typed into keeps the focus.
      onMouseDown={event => event.preventDefault()}
    >
      {props.children}
    </div>
  );
}
