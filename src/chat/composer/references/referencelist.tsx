import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';
import { flushSync } from 'react-dom';

import { Floating } from '../../../ui/floating';
import { kindName, referenceIcon } from '../../referencekinds';
import { keysOf, type ReferenceCompletion } from './completion';
import type { IReferenceItem } from './providers';

interface IProps {
  completion: ReferenceCompletion;
  /** The message, which keeps the focus. */
  anchor: () => HTMLTextAreaElement | null;
  onChoose: (item: IReferenceItem) => void;
  trans: TranslationBundle;
}

/**
 * What `@` offers, above the message.
 *
 * It is drawn once for each frame, in that frame: what several providers find for one key is one
 * change for the eye, and with React's own scheduling it would be drawn a frame later.
 */
export const ReferenceList = React.memo((props: IProps): JSX.Element | null => {
  const { completion, anchor, trans } = props;
  const [, draw] = React.useReducer((count: number) => count + 1, 0);
  React.useEffect(() => {
    let frame = 0;
    const onChange = () => {
      frame ||= requestAnimationFrame(() => {
        frame = 0;
        flushSync(draw);
      });
    };
    completion.changed.connect(onChange);
    return () => {
      completion.changed.disconnect(onChange);
      cancelAnimationFrame(frame);
    };
  }, [completion]);
  const { groups, items, active, mention, isSearching } = completion;
  const id = React.useId();
  // Nothing to choose, but why: the keys are those of the message then.
  const problems = groups.flatMap(({ problem }) => problem ?? []);
  const isListed = items.length > 0 || isSearching;
  const isOpen = mention !== null && (isListed || problems.length > 0);
  React.useLayoutEffect(() => {
    const message = anchor();
    const option = isOpen ? document.getElementById(`${id}-${active}`) : null;
    option?.scrollIntoView?.({ block: 'nearest' });
    // The message is drawn elsewhere; it keeps the focus while the list is read out.
    describe(message, 'aria-controls', isOpen ? id : null);
    describe(message, 'aria-activedescendant', option && `${id}-${active}`);
  });
  if (!isOpen) {
    return null;
  }
  // What arrives late must not put another item under a click that has begun.
  const keys = keysOf(groups);
  let index = 0;
  return (
    <>
      <Floating
        anchor={() => anchor()?.parentElement ?? null}
        className="jp-Turnbook-references"
        id={id}
        role={isListed ? 'listbox' : 'note'}
        label={trans.__('References')}
        wide
      >
        {groups.map(group => (
          <div
            key={group.id}
            {...(group.items.length
              ? { role: 'group', 'aria-label': group.label }
              : { role: 'presentation' })}
          >
            <div className="jp-Turnbook-references-head" aria-hidden>
              {group.label}
            </div>
            {group.problem && (
              <div className="jp-Turnbook-references-problem">
                {group.problem}
              </div>
            )}
            {group.items.map(item => {
              const place = index++;
              return (
                <Option
                  key={keys[place]}
                  id={`${id}-${place}`}
                  item={item}
                  isActive={place === active}
                  onChoose={() => props.onChoose(item)}
                />
              );
            })}
          </div>
        ))}
        {!items.length && isSearching && (
          <div className="jp-Turnbook-references-problem" role="presentation">
            {trans.__('Searching…')}
          </div>
        )}
      </Floating>
      <span className="jp-Turnbook-references-count" role="status">
        {items.length
          ? trans._n('%1 reference', '%1 references', items.length)
          : !isSearching && problems.join(' ')}
      </span>
    </>
  );
});

function Option(props: {
  id: string;
  item: IReferenceItem;
  isActive: boolean;
  onChoose: () => void;
}): JSX.Element {
  const { kind, label, detail } = props.item;
  const icon = referenceIcon(kind);
  return (
    <div
      id={props.id}
      role="option"
      aria-selected={props.isActive}
      className="jp-Turnbook-references-option"
      title={`${kindName(kind)}: ${label}`}
      // The message keeps the focus.
      onMouseDown={event => event.preventDefault()}
      onClick={props.onChoose}
    >
      <icon.react tag="span" width="14px" height="14px" />
      <span className="jp-Turnbook-references-label">{label}</span>
      {detail && (
        <span className="jp-Turnbook-references-detail">{detail}</span>
      )}
    </div>
  );
}

function describe(
  node: Element | null,
  name: string,
  value: string | null
): void {
  if (value === null) {
    node?.removeAttribute(name);
  } else {
    node?.setAttribute(name, value);
  }
}
