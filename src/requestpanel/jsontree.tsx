/**
 * A JSON value as a tree whose leaves are edited in place.
 */
import { closeIcon } from '@jupyterlab/ui-components';
import type { PartialJSONObject, PartialJSONValue } from '@lumino/coreutils';
import * as React from 'react';

import { growText } from '../ui/dom';
import { pathName, withValue } from '../request/leaves';
import type { LeafPath } from '../request/model';
import { IconButton } from '../ui/controls';
import { encodedJson } from './encodedjson';
import { useWords } from '../ui/language';
import { useOutside } from '../ui/useoutside';

/** How many entries of a list are shown at first, and how many more each time. */
const PORTION = 50;

export interface IJsonTreeProps {
  /** The name of the value, for the accessible names of its fields. */
  label: string;
  value: PartialJSONValue;
  /** How many levels are open at first. */
  levels?: number;
  onSet(path: LeafPath, value: PartialJSONValue): void;
  onRemove(path: LeafPath): void;
  /** Render the editor of a text; null leaves it to the tree. */
  text?(path: LeafPath, value: string): React.ReactElement | null;
  /** Whether the value at a path cannot be removed. */
  isFixed?(path: LeafPath): boolean;
}

/** A JSON value as a tree. */
export function JsonTree(props: IJsonTreeProps): JSX.Element {
  return (
    <div className="jp-Turnbook-tree">
      <Children {...props} path={[]} depth={0} />
    </div>
  );
}

interface INodeProps extends IJsonTreeProps {
  path: LeafPath;
  depth: number;
}

function Children(props: INodeProps): JSX.Element {
  const { value, path } = props;
  const trans = useWords();
  const [count, setCount] = React.useState(PORTION);
  const entries: [string | number, PartialJSONValue][] = Array.isArray(value)
    ? (value as PartialJSONValue[]).map((item, index) => [index, item])
    : Object.entries(value as PartialJSONObject).filter(
        (entry): entry is [string, PartialJSONValue] => entry[1] !== undefined
      );
  const left = entries.length - count;
  return (
    <ul>
      {entries.slice(0, count).map(([key, item]) => (
        <Entry
          {...props}
          key={key}
          value={item}
          path={[...path, key]}
          depth={props.depth + 1}
        />
      ))}
      {left > 0 && (
        <li>
          <button
            type="button"
            className="jp-Turnbook-link"
            onClick={() => setCount(count + PORTION)}
          >
            {trans.__('Show more (%1 left)', left)}
          </button>
        </li>
      )}
    </ul>
  );
}

function Entry(props: INodeProps): JSX.Element {
  const { value, path, label } = props;
  const trans = useWords();
  const key = path[path.length - 1];
  const branch = typeof value === 'object' && value !== null;
  const [open, setOpen] = React.useState(props.depth <= (props.levels ?? 1));
  const name = `${label}: ${pathName(path)}`;
  const count = branch ? Object.keys(value).length : 0;
  return (
    <li>
      <div className="jp-Turnbook-tree-line">
        {branch ? (
          <button
            type="button"
            className="jp-Turnbook-tree-branch jp-Turnbook-caret"
            aria-expanded={open}
            aria-label={name}
            onClick={() => setOpen(!open)}
          >
            <span className="jp-Turnbook-tree-key">{key}</span>
            <span className="jp-Turnbook-tree-count">
              {Array.isArray(value) ? `[${count}]` : `{${count}}`}
            </span>
          </button>
        ) : (
          <span className="jp-Turnbook-tree-key">{key}</span>
        )}
        {!branch && <Leaf {...props} name={name} />}
        {!props.isFixed?.(path) && (
          <IconButton
            icon={closeIcon}
            label={trans.__('Remove %1', pathName(path))}
            onClick={() => props.onRemove(path)}
          />
        )}
      </div>
      {branch && open && <Children {...props} />}
    </li>
  );
}

function Leaf(props: INodeProps & { name: string }): JSX.Element {
  const { value, path, name, onSet } = props;
  switch (typeof value) {
    case 'string':
      return <TextLeaf {...props} value={value} />;
    case 'number':
      return (
        <NumberInput
          label={name}
          value={value}
          onChange={next => onSet(path, next)}
        />
      );
    case 'boolean':
      return (
        <input
          type="checkbox"
          aria-label={name}
          checked={value}
          onChange={event => onSet(path, event.target.checked)}
        />
      );
    default:
      return <code className="jp-Turnbook-tree-null">null</code>;
  }
}

function TextLeaf(
  props: INodeProps & { name: string; value: string }
): JSX.Element {
  const { value, path, name, onSet, text } = props;
  const trans = useWords();
  const inside = React.useMemo(() => encodedJson(value), [value]);
  const [plain, setPlain] = React.useState(false);
  if (inside !== null && !plain) {
    return (
      <div className="jp-Turnbook-tree-encoded">
        <button
          type="button"
          className="jp-Turnbook-link"
          onClick={() => setPlain(true)}
        >
          {trans.__('as text')}
        </button>
        <Children
          label={name}
          value={inside}
          path={[]}
          depth={1}
          onSet={(within, next) =>
            onSet(path, JSON.stringify(withValue(inside, within, next)))
          }
          onRemove={within =>
            onSet(path, JSON.stringify(withValue(inside, within, undefined)))
          }
        />
      </div>
    );
  }
  return (
    <div className="jp-Turnbook-tree-text">
      {inside !== null && (
        <button
          type="button"
          className="jp-Turnbook-link"
          onClick={() => setPlain(false)}
        >
          {trans.__('as leaves')}
        </button>
      )}
      {text?.(path, value) ?? (
        <textarea
          ref={growText}
          className="jp-Turnbook-field"
          dir="auto"
          aria-label={name}
          rows={1}
          value={value}
          onChange={event => onSet(path, event.target.value)}
        />
      )}
    </div>
  );
}

/** A number input; invalid input is reported in place, and the previous number stays. */
export function NumberInput(props: {
  label: string;
  value: number | null;
  integer?: boolean;
  /** Returning false means that the number was rejected. */
  onChange: (value: number) => boolean | void;
  onEmpty?: () => void;
  /** Called when the input is not a number. */
  onInvalid?: () => void;
  placeholder?: string;
  /** The ids of elements that describe it. */
  describedBy?: string;
}): JSX.Element {
  const { label, value, integer, onChange, onEmpty, describedBy } = props;
  const trans = useWords();
  const [text, setText] = React.useState(value === null ? '' : String(value));
  const [problem, setProblem] = React.useState<string | null>(null);
  const id = React.useId();
  const wrote = useOutside(value, Object.is, () => {
    setText(value === null ? '' : String(value));
    setProblem(null);
  });
  const take = (next: string) => {
    setText(next);
    const number = Number(next);
    if (!next.trim() && onEmpty) {
      setProblem(null);
      wrote(null);
      onEmpty();
    } else if (
      !next.trim() ||
      !Number.isFinite(number) ||
      (integer && !Number.isInteger(number))
    ) {
      props.onInvalid?.();
      setProblem(
        value === null
          ? trans.__('Write a number; nothing is sent for it until then.')
          : trans.__('Write a number; %1 stays until then.', String(value))
      );
    } else {
      setProblem(null);
      if (onChange(number) !== false) {
        wrote(number);
      }
    }
  };
  return (
    <span className="jp-Turnbook-number">
      <input
        className="jp-Turnbook-field"
        inputMode="decimal"
        aria-label={label}
        aria-invalid={problem !== null}
        aria-describedby={problem ? `${describedBy ?? ''} ${id}` : describedBy}
        placeholder={props.placeholder}
        value={text}
        onChange={event => take(event.target.value)}
      />
      {problem && (
        <span id={id} role="alert" className="jp-Turnbook-problem">
          {problem}
        </span>
      )}
    </span>
  );
}
