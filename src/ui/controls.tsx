/** The basic controls of the panel. */
import type { LabIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

/** An icon button, with an accessible name. */
export function IconButton(props: {
  icon: LabIcon;
  label: string;
  onClick: () => void;
  disabled?: boolean;
  pressed?: boolean;
  /** What the tooltip says besides the name. */
  hint?: string;
}): JSX.Element {
  const { icon, label, hint, disabled, pressed, onClick } = props;
  return (
    <button
      type="button"
      className="jp-Turnbook-iconButton"
      aria-label={label}
      aria-pressed={pressed}
      title={hint ? `${label} (${hint})` : label}
      disabled={disabled}
      onClick={onClick}
    >
      <icon.react tag="span" width="14px" height="14px" />
    </button>
  );
}

/** A button with a text label. */
export function TextButton(props: {
  label: string;
  onClick: () => void;
  title?: string;
  disabled?: boolean;
  primary?: boolean;
  pressed?: boolean;
  /** Whether it looks like a link; for secondary actions. */
  link?: boolean;
}): JSX.Element {
  const { label, title, disabled, primary, pressed, link, onClick } = props;
  const look = link ? 'jp-Turnbook-link' : 'jp-Turnbook-button';
  return (
    <button
      type="button"
      className={primary ? `${look} jp-mod-primary` : look}
      title={title}
      aria-pressed={pressed}
      disabled={disabled}
      onClick={onClick}
    >
      {label}
    </button>
  );
}

/** A framed word that shows a state. */
export function Chip(props: {
  kind: 'edited' | 'deleted' | 'added' | 'warning' | 'good' | 'plain';
  children: React.ReactNode;
  title?: string;
}): JSX.Element {
  return (
    <span
      className={`jp-Turnbook-chip jp-mod-${props.kind}`}
      title={props.title}
    >
      {props.children}
    </span>
  );
}

/** A switch with a label. */
export function Switch(props: {
  label: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
  title?: string;
  disabled?: boolean;
  /** Whether only the switch is visible; its label stays accessible. */
  bare?: boolean;
}): JSX.Element {
  const { label, checked, title, disabled, bare, onChange } = props;
  return (
    <button
      type="button"
      role="switch"
      className="jp-Turnbook-switch"
      aria-checked={checked}
      aria-label={label}
      title={title ?? label}
      disabled={disabled}
      onClick={() => onChange(!checked)}
    >
      {!bare && <span aria-hidden="true">{label}</span>}
      <span className="jp-Turnbook-switch-track" aria-hidden="true" />
    </button>
  );
}

/** A choice of a few views, side by side. */
export function Choice<T extends string>(props: {
  label: string;
  value: T;
  options: readonly (readonly [T, string])[];
  /** Why another one cannot be chosen now; null if it can. */
  obstacle?: string | null;
  onChange: (value: T) => void;
}): JSX.Element {
  return (
    <span className="jp-Turnbook-choice" role="group" aria-label={props.label}>
      {props.options.map(([value, name]) => (
        <button
          key={value}
          type="button"
          className="jp-Turnbook-choice-item"
          aria-pressed={value === props.value}
          title={(value !== props.value && props.obstacle) || undefined}
          disabled={value !== props.value && !!props.obstacle}
          onClick={() => props.onChange(value)}
        >
          {name}
        </button>
      ))}
    </span>
  );
}

/** An inline message: what is wrong and what to do. */
export function Banner(props: {
  kind: 'info' | 'warning' | 'error';
  children: React.ReactNode;
}): JSX.Element {
  return (
    <div
      className={`jp-Turnbook-notice jp-mod-${props.kind}`}
      role={props.kind === 'info' ? 'status' : 'alert'}
    >
      {props.children}
    </div>
  );
}
