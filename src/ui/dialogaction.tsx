import * as React from 'react';
import { createPortal } from 'react-dom';

import { ACTION } from './bodydialog';

/** The button that does what the form of a dialog says, beside the one that closes the dialog. */
export function DialogAction(props: {
  label: string;
  /** The id of the form that it submits; without one it does `onClick`. */
  form?: string;
  disabled?: boolean;
  onClick?: () => void;
}): JSX.Element {
  const { label, form, disabled, onClick } = props;
  const place = React.useRef<HTMLSpanElement>(null);
  const [buttons, setButtons] = React.useState<Element | null>(null);
  React.useLayoutEffect(() => {
    const dialog = place.current?.closest('.jp-Dialog-content');
    const other = dialog?.querySelector('.jp-Dialog-footer .jp-Dialog-button');
    setButtons(other?.parentElement ?? null);
  }, []);
  const action = (
    <button
      type={form === undefined ? 'button' : 'submit'}
      form={form}
      className={`${ACTION} jp-Dialog-button jp-mod-accept jp-mod-styled`}
      disabled={disabled}
      onClick={onClick}
    >
      <div className="jp-Dialog-buttonLabel">{label}</div>
    </button>
  );
  return (
    <span ref={place} hidden={buttons !== null}>
      {buttons ? createPortal(action, buttons) : action}
    </span>
  );
}
