import * as React from 'react';

/** A part of the panel that opens and closes; a closed part is not rendered. */
export function Part(props: {
  name: string;
  /** Shown next to the name, whether open or closed. */
  aside?: React.ReactNode;
  open: boolean;
  onToggle: () => void;
  /** Whether it takes the remaining space. */
  grows?: boolean;
  /** Whether its content fits the space that it gets, rather than scrolling in it. */
  fills?: boolean;
  children: React.ReactNode;
}): JSX.Element {
  const { name, aside, open, grows, fills, onToggle } = props;
  const id = React.useId();
  const node = React.useRef<HTMLElement>(null);
  const wasOpen = React.useRef(open);
  React.useEffect(() => {
    if (open && !wasOpen.current) {
      node.current?.scrollIntoView({ block: 'nearest' });
    }
    wasOpen.current = open;
  }, [open]);
  return (
    <section
      ref={node}
      className={[
        'jp-Turnbook-part',
        ...(grows ? ['jp-mod-grows'] : []),
        ...(fills ? ['jp-mod-fills'] : [])
      ].join(' ')}
      data-turnbook-part={name}
      data-turnbook-open={open}
    >
      <div className="jp-Turnbook-part-header">
        <h3>
          <button
            type="button"
            className="jp-Turnbook-caret"
            aria-expanded={open}
            aria-controls={open ? id : undefined}
            onClick={onToggle}
          >
            {name}
          </button>
        </h3>
        {aside !== undefined && (
          <span className="jp-Turnbook-part-aside">{aside}</span>
        )}
      </div>
      {open && (
        <div id={id} className="jp-Turnbook-part-body">
          {props.children}
        </div>
      )}
    </section>
  );
}
