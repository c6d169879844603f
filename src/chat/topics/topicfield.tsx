import type { ITranslator } from '@jupyterlab/translation';
import React, { useEffect, useId, useRef, useState } from 'react';

import { normaliseTopic, topicProblem } from '../../filter/topics';
import { Floating } from '../../ui/floating';
import { wordsIn } from '../../ui/translation';

export interface ITopicFieldProps {
  /** The current topic; empty for none. */
  value: string;
  /** The topics to suggest. */
  topics: readonly string[];
  onChange(topic: string): void;
  /** Called after Enter or Esc, so that the focus can return to where the user was. */
  onDone?(): void;
  translator?: ITranslator;
}

const SUGGESTIONS = 8;

/**
 * The topic of new pairs, with suggestions.
 *
 * Enter and leaving the field apply the normalised topic, Esc discards the change; an invalid topic
 * is never applied, and the field says why. The suggestions are our own, because a `datalist` would
 * turn the textbox into a combobox.
 */
export function TopicField(props: ITopicFieldProps): JSX.Element {
  const { value, onChange, onDone } = props;
  const trans = wordsIn(props);
  const [text, setText] = useState(value);
  const [open, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const [focused, setFocused] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const id = useId();
  useEffect(() => setText(value), [value]);

  const problem = topicProblem(normaliseTopic(text));
  const suggestions = open ? suggest(props.topics, text) : [];

  const take = (wanted: string): boolean => {
    const topic = normaliseTopic(wanted);
    setOpen(false);
    setActive(-1);
    setText(topicProblem(topic) ? wanted : topic);
    if (topicProblem(topic)) {
      return false;
    }
    if (topic !== value) {
      onChange(topic);
    }
    return true;
  };

  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.nativeEvent.isComposing) {
      return;
    }
    const count = suggestions.length;
    if (event.key === 'Enter') {
      if (take(suggestions[active] ?? text)) {
        onDone?.();
      }
    } else if (event.key === 'Escape') {
      setText(value);
      setOpen(false);
      setActive(-1);
      if (text === value && !count) {
        onDone?.();
      }
    } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      const down = event.key === 'ArrowDown';
      if (!open) {
        setOpen(true);
      } else if (count) {
        // -1 is the text itself, before the first suggestion and after the last.
        const next = active + (down ? 1 : -1);
        setActive(next < -1 ? count - 1 : next >= count ? -1 : next);
      }
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <span className="jp-Turnbook-topicField">
      <input
        ref={input}
        type="text"
        dir="auto"
        className="jp-Turnbook-topicField-input"
        aria-label={trans.__('Topic')}
        aria-autocomplete="list"
        aria-controls={suggestions.length ? `${id}-list` : undefined}
        aria-activedescendant={
          suggestions[active] === undefined ? undefined : `${id}-${active}`
        }
        aria-invalid={problem !== null}
        aria-describedby={problem && focused ? `${id}-problem` : undefined}
        title={
          problem?.message ??
          trans.__('Topic of the next message, such as ml/nlp')
        }
        placeholder={trans.__('Topic')}
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={event => {
          setText(event.target.value);
          setOpen(true);
          setActive(-1);
        }}
        onKeyDown={onKeyDown}
        onFocus={() => setFocused(true)}
        onBlur={() => {
          setFocused(false);
          take(text);
        }}
      />
      {problem && focused ? (
        <Floating
          anchor={() => input.current}
          className="jp-Turnbook-topicField-float"
          id={`${id}-problem`}
          role="alert"
        >
          {problem.message}{' '}
          {value
            ? trans.__('Still in force: %1', value)
            : trans.__('No topic is in force.')}
        </Floating>
      ) : suggestions.length ? (
        <Floating
          anchor={() => input.current}
          className="jp-Turnbook-topicField-float"
          id={`${id}-list`}
          role="listbox"
          label={trans.__('Known topics')}
        >
          {suggestions.map((topic, index) => (
            <div
              key={topic}
              id={`${id}-${index}`}
              role="option"
              className="jp-Turnbook-topicField-option"
              aria-selected={index === active}
              // Keep the focus in the field: leaving it would apply the unfinished text.
              onMouseDown={event => event.preventDefault()}
              onClick={() => take(topic)}
            >
              {topic}
            </div>
          ))}
        </Floating>
      ) : null}
    </span>
  );
}

/** The known topics and their ancestors that match a text; those that start with it come first. */
export function suggest(topics: readonly string[], text: string): string[] {
  const wanted = normaliseTopic(text).toLowerCase();
  const known = new Set<string>();
  for (const topic of topics) {
    const parts = normaliseTopic(topic).split('/').filter(Boolean);
    parts.forEach((_, at) => known.add(parts.slice(0, at + 1).join('/')));
  }
  const place = (topic: string) => topic.toLowerCase().indexOf(wanted);
  return [...known]
    .filter(topic => place(topic) !== -1 && topic.toLowerCase() !== wanted)
    .sort(
      (a, b) =>
        Number(place(a) > 0) - Number(place(b) > 0) || a.localeCompare(b)
    )
    .slice(0, SUGGESTIONS);
}
