import React, { useId } from 'react';

export interface IFieldProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  onBlur?: () => void;
  /** Why the value is invalid, shown below. */
  problem?: string | null;
  /** Help for filling it in, shown below. */
  hint?: string | null;
  type?: 'text' | 'url' | 'password';
  placeholder?: string;
  readOnly?: boolean;
  inputRef?: React.Ref<HTMLInputElement>;
}

/** A labelled input, associated with its hint and its problem. */
export function Field(props: IFieldProps): JSX.Element {
  const { label, value, problem, hint, type = 'text' } = props;
  const id = useId();
  const described = [
    problem ? `${id}-problem` : '',
    hint ? `${id}-hint` : ''
  ].filter(Boolean);
  return (
    <div className="jp-Turnbook-formRow">
      <label htmlFor={id}>{label}</label>
      <input
        ref={props.inputRef}
        id={id}
        // A `url` input would add the browser's own messages to ours.
        type={type === 'url' ? 'text' : type}
        inputMode={type === 'url' ? 'url' : undefined}
        className="jp-mod-styled"
        value={value}
        placeholder={props.placeholder}
        readOnly={props.readOnly}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        aria-invalid={problem ? true : undefined}
        aria-describedby={described.join(' ') || undefined}
        onChange={event => props.onChange(event.target.value)}
        onBlur={props.onBlur}
      />
      {problem ? (
        <div id={`${id}-problem`} className="jp-Turnbook-formRow-problem">
          {problem}
        </div>
      ) : null}
      {hint ? (
        <div id={`${id}-hint`} className="jp-Turnbook-hint">
          {hint}
        </div>
      ) : null}
    </div>
  );
}
