import * as React from 'react';

import { Banner, Choice, TextButton } from '../ui/controls';
import { useWords } from '../ui/language';
import type { Row } from './align';
import { EqualBlock } from './equalblock';
import { factRows } from './facts';
import { DifferentRow } from './differentrow';
import type { IItem } from './items';
import type { Loaded } from './load';
import type { Unit } from './marking';
import type { ISide } from './side';
import { useBlocks, useMarks } from './userows';

/** How many differences are shown at first, and how many more each time. */
const FIRST = 100;

/** What can be done in a comparison. */
export interface ICompareActions {
  /** Show another version on a side. */
  choose(side: number, version: IItem): void;
  refresh(): void;
  close(): void;
  save(format: 'md' | 'html', base: number, unit: Unit): void;
}

/** What was loaded for a comparison: the sides, and those that there are not. */
export function CompareView(props: {
  /** Null while it is loaded. */
  loaded: readonly Loaded[] | null;
  actions: ICompareActions;
}): JSX.Element {
  const { loaded, actions } = props;
  const trans = useWords();
  if (!loaded) {
    return <p role="status">{trans.__('Reading what is compared…')}</p>;
  }
  const problems = loaded.flatMap(one => ('problem' in one ? [one] : []));
  const count = loaded.length - problems.length;
  return (
    <>
      {problems.map(({ problem }, place) => (
        <Banner key={place} kind="error">
          {problem}
        </Banner>
      ))}
      {count > 1 ? (
        <Sides loaded={loaded} actions={actions} />
      ) : (
        <div className="jp-Turnbook-compare-bar">
          <span>{trans.__('There is nothing to compare with.')}</span>
          <TextButton
            label={trans.__('Try again')}
            onClick={() => actions.refresh()}
          />
        </div>
      )}
    </>
  );
}

function Sides(props: {
  loaded: readonly Loaded[];
  actions: ICompareActions;
}): JSX.Element {
  const { loaded, actions } = props;
  const trans = useWords();
  const columns = React.useMemo(
    () =>
      loaded.flatMap((one, place) =>
        'side' in one ? [{ ...one, place }] : []
      ),
    [loaded]
  );
  const sides = React.useMemo(() => columns.map(one => one.side), [columns]);
  const [wanted, setBase] = React.useState(0);
  const base = Math.min(wanted, sides.length - 1);
  const [unit, setUnit] = React.useState<Unit>('word');
  const [isOpen, setOpen] = React.useState(false);
  const [most, setMost] = React.useState(FIRST);
  const body = React.useRef<HTMLDivElement>(null);

  const blocks = useBlocks(sides, base);
  const different = React.useMemo(
    () => blocks.flatMap(({ isEqual, rows }) => (isEqual ? [] : rows)),
    [blocks]
  );
  const shown = React.useMemo(
    () => different.slice(0, most),
    [different, most]
  );
  const marks = useMarks(shown, sides, base, unit);
  const numbers = new Map<Row, number>(different.map((row, n) => [row, n]));
  const isShown = (row: Row) => (numbers.get(row) ?? 0) < most;

  const go = (step: 1 | -1) => {
    const rows = [
      ...body.current!.querySelectorAll<HTMLElement>(
        '[data-turnbook-difference]'
      )
    ];
    const at = rows.findIndex(row => row.contains(document.activeElement));
    const next = at < 0 ? (step > 0 ? 0 : rows.length - 1) : at + step;
    rows[next]?.focus();
    rows[next]?.scrollIntoView({ block: 'nearest' });
  };
  const onKeyDown = (event: React.KeyboardEvent) => {
    const isField = (event.target as HTMLElement).closest('select, input');
    if (event.ctrlKey || event.metaKey || event.altKey || isField) {
      return;
    }
    const act = {
      n: () => go(1),
      p: () => go(-1),
      f: () => setOpen(!isOpen),
      Escape: () => actions.close()
    }[event.key];
    if (act) {
      act();
      event.preventDefault();
      event.stopPropagation();
    }
  };
  const style = { '--jp-turnbook-sides': sides.length } as React.CSSProperties;
  return (
    <div
      className="jp-Turnbook-compare-main"
      style={style}
      onKeyDown={onKeyDown}
    >
      <div className="jp-Turnbook-compare-bar">
        <Choice
          label={trans.__('Differences')}
          value={unit}
          options={[
            ['word', trans.__('By word')],
            ['line', trans.__('By line')]
          ]}
          onChange={setUnit}
        />
        <span role="status">
          {different.length
            ? trans._n('%1 difference', '%1 differences', different.length)
            : trans.__('No difference')}
        </span>
        <TextButton
          label={trans.__('Previous difference')}
          title={trans.__('Previous difference (p)')}
          disabled={!different.length}
          onClick={() => go(-1)}
        />
        <TextButton
          label={trans.__('Next difference')}
          title={trans.__('Next difference (n)')}
          disabled={!different.length}
          onClick={() => go(1)}
        />
        <TextButton
          label={trans.__('Show equal messages')}
          title={trans.__('Show or fold what is equal (f)')}
          pressed={isOpen}
          onClick={() => setOpen(!isOpen)}
        />
        <span className="jp-Turnbook-compare-space" />
        <TextButton
          label={trans.__('Refresh')}
          title={trans.__('Read everything again')}
          onClick={() => actions.refresh()}
        />
        <TextButton
          label={trans.__('Export as Markdown')}
          onClick={() => actions.save('md', base, unit)}
        />
        <TextButton
          label={trans.__('Export as HTML')}
          onClick={() => actions.save('html', base, unit)}
        />
      </div>
      <div
        ref={body}
        className="jp-Turnbook-compare-scroll"
        role="region"
        aria-label={trans.__('Comparison')}
        tabIndex={0}
      >
        <div className="jp-Turnbook-compare-body">
          <div className="jp-Turnbook-compare-row jp-Turnbook-compare-heads">
            {columns.map(({ side, versions, place }, column) => (
              <Head
                key={place}
                side={side}
                versions={versions}
                isBase={column === base}
                choose={version => actions.choose(place, version)}
                onBase={() => setBase(column)}
              />
            ))}
          </div>
          <FactTable sides={sides} />
          {blocks.map(({ isEqual, rows: [row, ...rest] }, place) =>
            isEqual ? (
              <EqualBlock
                key={`${place}-${String(isOpen)}`}
                rows={[row, ...rest]}
                said={sides[0].said}
                isOpen={isOpen}
              />
            ) : isShown(row) ? (
              <DifferentRow
                key={place}
                row={row}
                number={numbers.get(row)! + 1}
                sides={sides}
                base={base}
                marked={marks.get(row) ?? null}
              />
            ) : null
          )}
          {different.length > most && (
            <div className="jp-Turnbook-compare-bar">
              {trans.__(
                'The first %1 of %2 differences are shown.',
                most,
                different.length
              )}
              <TextButton
                label={trans.__('Show more')}
                onClick={() => setMost(most + FIRST)}
              />
            </div>
          )}
        </div>
      </div>
    </div>
  );
}

/** What a column is, and what it is compared with. */
function Head(props: {
  side: ISide;
  versions: readonly IItem[];
  isBase: boolean;
  choose: (version: IItem) => void;
  onBase: () => void;
}): JSX.Element {
  const { side, versions, isBase } = props;
  const trans = useWords();
  return (
    <div className="jp-Turnbook-compare-head">
      <h2 title={side.path}>{side.title}</h2>
      {versions.length > 2 && (
        <select
          className="jp-Turnbook-field"
          aria-label={trans.__(
            'Show another version instead of %1',
            side.title
          )}
          value=""
          onChange={event =>
            props.choose(versions[Number(event.currentTarget.value)])
          }
        >
          <option value="">{trans.__('Another version…')}</option>
          {versions.map((_, version) => (
            <option key={version} value={version}>
              {trans.__('Version %1', version + 1)}
            </option>
          ))}
        </select>
      )}
      {isBase ? (
        <span className="jp-Turnbook-hint">
          {trans.__('The others are compared with this one')}
        </span>
      ) : (
        <TextButton
          link
          label={trans.__('Compare with this one')}
          onClick={props.onBase}
        />
      )}
      {side.notes.map((note, place) => (
        <p key={place} className="jp-Turnbook-hint">
          {note}
        </p>
      ))}
    </div>
  );
}

/** The facts of all sides; `≠` marks where they differ. */
function FactTable({ sides }: { sides: readonly ISide[] }): JSX.Element {
  const trans = useWords();
  const rows = React.useMemo(() => factRows(sides, trans), [sides, trans]);
  return (
    <table className="jp-Turnbook-compare-facts" aria-label={trans.__('Facts')}>
      <thead>
        <tr>
          <td />
          {sides.map(({ title }, side) => (
            <th key={side} scope="col">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ name, values, differs }) => (
          <tr key={name} className={differs ? 'jp-mod-differs' : ''}>
            <th scope="row">
              {name}
              {differs && <span title={trans.__('They differ')}> ≠</span>}
            </th>
            {values.map((value, side) => (
              <td key={side}>{value || '–'}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
