import type { TranslationBundle } from '@jupyterlab/translation';
import { HTMLSelect } from '@jupyterlab/ui-components';
import React, { useEffect, useId, useRef, useState } from 'react';

import type { Continuation, IPreset, IProvider } from '../base/run';
import {
  continuationOf,
  forgetsKey,
  fromPreset,
  type IDraft,
  keepsKey,
  NEW_DRAFT,
  problemsOf,
  withAddress
} from './draft';
import { Field } from './field';
import { isExposed } from './validate';

/** The actions of the form. */
export type FormAction = 'test' | 'save' | 'removeKey';

export interface IProviderFormProps {
  draft: IDraft;
  onDraft: (draft: IDraft) => void;
  providers: readonly IProvider[];
  presets: readonly IPreset[];
  /** Where new keys are stored, as a text for the user. */
  keyStore: string;
  /** The action in progress, if any. */
  busy: FormAction | null;
  /** The base URL's input, for moving the focus there. */
  urlInput: React.RefObject<HTMLInputElement>;
  /** Called only with a draft that has no problems. */
  onAction: (action: FormAction) => void;
  trans: TranslationBundle;
}

/**
 * The fields of one provider, new or stored.
 */
export function ProviderForm(props: IProviderFormProps): JSX.Element {
  const { draft, onDraft, presets, trans, urlInput } = props;
  const { stored } = draft;
  const heading = useId();
  const preset = useId();
  const nameInput = useRef<HTMLInputElement>(null);
  const [touched, setTouched] = useState({ name: false, baseUrl: false });
  useEffect(() => {
    setTouched({ name: false, baseUrl: false });
  }, [stored?.name]);

  const problems = problemsOf(draft, props.providers, trans);
  const act = (action: FormAction) => {
    if (isBlocked(action, props.busy)) {
      return;
    }
    setTouched({ name: true, baseUrl: true });
    const wrong = problems.name
      ? nameInput
      : problems.baseUrl
        ? urlInput
        : null;
    if (wrong) {
      wrong.current?.focus();
    } else {
      props.onAction(action);
    }
  };
  const choosePreset = (name: string) => {
    const found = presets.find(one => one.name === name);
    onDraft(found ? fromPreset(found) : NEW_DRAFT);
  };

  return (
    <form
      className="jp-Turnbook-providerForm"
      aria-labelledby={heading}
      noValidate
      onSubmit={event => {
        event.preventDefault();
        act('save');
      }}
    >
      <h3 id={heading}>
        {stored ? trans.__('Edit %1', stored.name) : trans.__('Add a provider')}
      </h3>
      {stored ? null : (
        <div className="jp-Turnbook-formRow">
          <label htmlFor={preset}>{trans.__('Start from')}</label>
          <HTMLSelect
            id={preset}
            value={presetOf(draft, presets)}
            onChange={event => choosePreset(event.target.value)}
          >
            <option value="">{trans.__('Another address')}</option>
            {presets.map(({ name, title }) => (
              <option key={name} value={name}>
                {title}
              </option>
            ))}
          </HTMLSelect>
        </div>
      )}
      <Field
        label={trans.__('Name')}
        value={draft.name}
        readOnly={stored !== null}
        problem={touched.name ? problems.name : null}
        inputRef={nameInput}
        onChange={name => onDraft({ ...draft, name })}
        onBlur={() =>
          setTouched(now => ({ ...now, name: now.name || draft.name !== '' }))
        }
      />
      <Field
        label={trans.__('Base URL')}
        type="url"
        value={draft.baseUrl}
        placeholder="https://…/v1"
        problem={touched.baseUrl ? problems.baseUrl : null}
        hint={
          forgetsKey(draft)
            ? trans.__(
                'The stored key belongs to %1. Saving another base URL deletes it: enter the key for the new one.',
                stored?.baseUrl
              )
            : null
        }
        inputRef={urlInput}
        onChange={baseUrl => onDraft(withAddress(draft, baseUrl))}
        onBlur={() =>
          setTouched(now => ({
            ...now,
            baseUrl: now.baseUrl || draft.baseUrl !== ''
          }))
        }
      />
      <Field
        label={trans.__('API key')}
        type="password"
        value={draft.key}
        placeholder={
          keepsKey(draft)
            ? trans.__('set — leave empty to keep')
            : needsKey(draft, presets)
              ? trans.__('required by this provider')
              : trans.__('if the provider asks for one')
        }
        hint={keyHint(props)}
        onChange={key => onDraft({ ...draft, key })}
      />
      <Resuming draft={draft} onDraft={onDraft} trans={trans} />
      <div className="jp-Turnbook-providerForm-buttons">
        <FormButton
          {...props}
          action="test"
          label={trans.__('Test')}
          act={act}
        />
        <button
          type="submit"
          className="jp-Turnbook-button jp-mod-accept"
          aria-disabled={isBlocked('save', props.busy)}
        >
          {trans.__('Save')}
        </button>
        {stored?.key === 'set' ? (
          <FormButton
            {...props}
            action="removeKey"
            label={trans.__('Remove key')}
            act={action =>
              isBlocked(action, props.busy) || props.onAction(action)
            }
          />
        ) : null}
        {stored ? (
          <button
            type="button"
            className="jp-Turnbook-button"
            onClick={() => {
              onDraft(NEW_DRAFT);
              nameInput.current?.focus();
            }}
          >
            {trans.__('Add another')}
          </button>
        ) : null}
      </div>
    </form>
  );
}

/** How an interrupted reply is resumed. */
function Resuming(props: {
  draft: IDraft;
  onDraft: (draft: IDraft) => void;
  trans: TranslationBundle;
}): JSX.Element {
  const { draft, onDraft, trans } = props;
  const id = useId();
  const ways: Record<Continuation, { label: string; hint: string }> = {
    restart: {
      label: trans.__('Start it again'),
      hint: trans.__('The same request is sent again.')
    },
    prefill: {
      label: trans.__('Go on at the next character'),
      hint: trans.__(
        'The partial reply is sent as the last message. Many services do not go on from it; Test finds out.'
      )
    },
    instruct: {
      label: trans.__('Ask the model to go on'),
      hint: trans.__(
        'A message asks the model to continue. Some models start over or say something first.'
      )
    }
  };
  const chosen = continuationOf(draft);
  return (
    <div className="jp-Turnbook-formRow">
      <label htmlFor={id}>{trans.__('When a reply is cut off')}</label>
      <HTMLSelect
        id={id}
        value={chosen}
        aria-describedby={`${id}-hint`}
        onChange={event =>
          onDraft({
            ...draft,
            continuation: event.target.value as Continuation
          })
        }
      >
        {Object.entries(ways).map(([value, { label }]) => (
          <option key={value} value={value}>
            {`${label} (${value})`}
          </option>
        ))}
      </HTMLSelect>
      <div id={`${id}-hint`} className="jp-Turnbook-hint">
        {ways[chosen].hint}
      </div>
    </div>
  );
}

// Not `disabled` while busy: that would move the focus out of the dialog.
function FormButton(
  props: IProviderFormProps & {
    action: FormAction;
    label: string;
    act: (action: FormAction) => void;
  }
): JSX.Element {
  const { action, busy, label, act } = props;
  return (
    <button
      type="button"
      className="jp-Turnbook-button"
      aria-disabled={isBlocked(action, busy)}
      onClick={() => act(action)}
    >
      {busy === action ? (
        <span className="jp-Turnbook-spinner" aria-hidden="true" />
      ) : null}
      {label}
    </button>
  );
}

// A test may take as long as the provider does; nothing else has to wait for it.
function isBlocked(action: FormAction, busy: FormAction | null): boolean {
  return busy !== null && (busy !== 'test' || action === 'test');
}

function presetOf(draft: IDraft, presets: readonly IPreset[]): string {
  return presets.find(one => one.baseUrl === draft.baseUrl)?.name ?? '';
}

function needsKey(draft: IDraft, presets: readonly IPreset[]): boolean {
  return presets.some(one => one.needsKey && one.baseUrl === draft.baseUrl);
}

function keyHint(props: IProviderFormProps): string {
  const { draft, keyStore, trans } = props;
  const kept = keyStore
    ? trans.__(
        'Keys are kept in %1. They are never sent back to the browser.',
        keyStore.replace(/\.$/, '')
      )
    : trans.__('Keys are never sent back to the browser.');
  return draft.key && isExposed(draft.baseUrl.trim())
    ? `${trans.__('This address is not encrypted (http): others on the network could read the key.')} ${kept}`
    : kept;
}
