import type { ITranslator, TranslationBundle } from '@jupyterlab/translation';
import React, { useEffect, useState } from 'react';

import { errorMessage } from '../../base/errors';
import type { IDayUsage } from '../../base/run';
import { sumTotals, type ITotal } from '../../document/usagetotals';
import type { TurnbookAPI } from '../../runs/api';
import type { PriceOf } from '../../session/prices';
import { BodyDialog } from '../../ui/bodydialog';
import { wordsIn } from '../../ui/translation';
import { dayStarts, dayTotals, pricesOf } from './totals';
import { gapWords, sourceWords, totalWords } from './totalwords';

/** How many days are listed. */
const DAYS = 30;

export interface IShowUsageOptions {
  api: Pick<TurnbookAPI, 'getUsage'>;
  /** What the chat took, by model. */
  chat: ReadonlyMap<string, ITotal>;
  /** The chat's title. */
  title: string;
  priceOf: PriceOf;
  translator?: ITranslator;
  now?: Date;
}

/** Show what a chat and the last days took; resolves when the dialog is closed. */
export async function showUsage(options: IShowUsageOptions): Promise<void> {
  const trans = wordsIn(options);
  const dialog = new BodyDialog({
    title: trans.__('Usage and price'),
    body: <UsageView {...options} trans={trans} />,
    className: 'jp-Turnbook-usage',
    trans
  });
  await dialog.launch();
}

interface IViewProps extends IShowUsageOptions {
  trans: TranslationBundle;
}

/** The totals of a chat and of the last days. */
export function UsageView(props: IViewProps): JSX.Element {
  const { api, chat, now, priceOf, title, trans } = props;
  const [days, setDays] = useState<IDayUsage[] | string | null>(null);
  useEffect(() => {
    let wanted = true;
    const read = async () => {
      const found = await api
        .getUsage(dayStarts(DAYS, now ?? new Date()))
        .catch((error: unknown) =>
          trans.__(
            'The totals of days cannot be read: %1 Close this dialog and open it again to retry.',
            errorMessage(error)
          )
        );
      if (wanted) {
        setDays(found);
      }
    };
    void read();
    return () => {
      wanted = false;
    };
  }, [api, now, trans]);
  return (
    <>
      <section aria-label={trans.__('This chat')}>
        <h3>{trans.__('This chat')}</h3>
        <p className="jp-Turnbook-hint">{title}</p>
        {chat.size ? (
          <>
            <Totals
              label={trans.__('What this chat took, by model')}
              groups={[{ name: null, models: chat }]}
              trans={trans}
            />
            <Gaps total={sumTotals(chat.values())} trans={trans} />
          </>
        ) : (
          <p>{trans.__('Nothing has been sent in this chat.')}</p>
        )}
      </section>
      <section aria-label={trans.__('All chats')}>
        <h3>{trans.__('All chats, by day')}</h3>
        {days === null ? (
          <p role="status">{trans.__('Reading the journal…')}</p>
        ) : typeof days === 'string' ? (
          <p role="status">{days}</p>
        ) : (
          <Days days={days} priceOf={priceOf} trans={trans} />
        )}
      </section>
      <Sources
        models={[
          ...chat.keys(),
          ...(Array.isArray(days) ? days : []).map(
            ({ provider, model }) => `${provider}/${model}`
          )
        ]}
        priceOf={priceOf}
        trans={trans}
      />
    </>
  );
}

function Days(props: {
  days: readonly IDayUsage[];
  priceOf: PriceOf;
  trans: TranslationBundle;
}): JSX.Element {
  const { days, priceOf, trans } = props;
  const totals = dayTotals(days, priceOf);
  if (!totals.length) {
    return (
      <p>
        {trans.__(
          'Nothing was sent from this server in the last %1 days.',
          DAYS
        )}
      </p>
    );
  }
  return (
    <>
      <Totals
        label={trans.__('What all chats took, by day and model')}
        groups={totals.map(({ start, models }) => ({
          name: new Date(start).toLocaleDateString(undefined, {
            dateStyle: 'medium'
          }),
          models
        }))}
        trans={trans}
      />
      <Gaps
        total={sumTotals(totals.flatMap(({ models }) => [...models.values()]))}
        trans={trans}
      />
    </>
  );
}

interface IGroup {
  /** The day; null if there is only one group. */
  name: string | null;
  models: ReadonlyMap<string, ITotal>;
}

/** A row for each model of each group, and a total of those with several and of all. */
function Totals(props: {
  label: string;
  groups: readonly IGroup[];
  trans: TranslationBundle;
}): JSX.Element {
  const { label, groups, trans } = props;
  const isByDay = groups[0].name !== null;
  const all = groups.flatMap(({ models }) => [...models.values()]);
  return (
    <div className="jp-Turnbook-usage-table">
      <table aria-label={label}>
        <thead>
          <tr>
            {isByDay && <th scope="col">{trans.__('Day')}</th>}
            <th scope="col">{trans.__('Model')}</th>
            <th scope="col">{trans.__('Requests')}</th>
            <th scope="col">{trans.__('Tokens in')}</th>
            <th scope="col">{trans.__('Tokens out')}</th>
            <th scope="col">{trans.__('Price')}</th>
          </tr>
        </thead>
        {groups.map(({ name, models }) => (
          <tbody key={name}>
            {[...models].map(([model, total], place) => (
              <tr key={model}>
                {isByDay && place === 0 && (
                  <th scope="rowgroup" rowSpan={models.size}>
                    {name}
                  </th>
                )}
                <th scope="row" className="jp-Turnbook-usage-model">
                  {model}
                </th>
                <Cells total={total} trans={trans} />
              </tr>
            ))}
          </tbody>
        ))}
        {all.length > 1 && (
          <tfoot>
            <tr>
              <th scope="row" colSpan={isByDay ? 2 : 1}>
                {trans.__('Total')}
              </th>
              <Cells total={sumTotals(all)} trans={trans} />
            </tr>
          </tfoot>
        )}
      </table>
    </div>
  );
}

function Cells(props: {
  total: ITotal;
  trans: TranslationBundle;
}): JSX.Element {
  const { total, trans } = props;
  const { requests, input, output, price } = totalWords(total, trans);
  const exact = (count: number | null) => count?.toLocaleString('en');
  return (
    <>
      <td>{requests}</td>
      <td title={exact(total.input)}>{input}</td>
      <td title={exact(total.output)}>{output}</td>
      <td>{price}</td>
    </>
  );
}

function Gaps(props: { total: ITotal; trans: TranslationBundle }): JSX.Element {
  return <Hints lines={gapWords(props.total, props.trans)} />;
}

function Sources(props: {
  models: readonly string[];
  priceOf: PriceOf;
  trans: TranslationBundle;
}): JSX.Element | null {
  const { models, priceOf, trans } = props;
  const prices = pricesOf(models, priceOf);
  if (!prices.length) {
    return null;
  }
  return (
    <Hints
      lines={[
        [
          ...sourceWords(prices, trans),
          trans.__(
            'Past requests are counted at these prices, unless the provider reported what it charged.'
          )
        ].join(' ')
      ]}
    />
  );
}

function Hints({ lines }: { lines: readonly string[] }): JSX.Element {
  return (
    <>
      {lines.map(line => (
        <p key={line} className="jp-Turnbook-hint">
          {line}
        </p>
      ))}
    </>
  );
}
