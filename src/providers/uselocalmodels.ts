import { useEffect, useReducer, useRef, useState } from 'react';

import { errorMessage } from '../base/errors';
import type { ILocalModel, ILocalModels } from '../base/run';
import type { TurnbookAPI } from '../runs/api';
import type { ModelCatalog } from '../runs/catalog';

const PAUSE = 700;

/** The models as the server sees them, kept fresh while something is downloaded. */
export interface ILocalModelsState {
  list: ILocalModels | null;
  /** Why the list is not known or not fresh, as a text for the user; it is asked for again. */
  trouble: string | null;
  /** Why the last action failed, as a text for the user. */
  failure: string | null;
  /** Ask the server to do something; it answers with the list. */
  act: (action: () => Promise<ILocalModels>) => Promise<void>;
}

/** Whether a model is being downloaded. */
export function isArriving({ state }: ILocalModel): boolean {
  return state === 'downloading' || state === 'checking';
}

/** The models that have arrived and the catalog lacks, or that it lists and were removed. */
function newsIn(
  list: ILocalModels | null,
  catalog: Pick<ModelCatalog, 'find'>
): string {
  return (list?.models ?? [])
    .filter(
      ({ name, state }) =>
        (state === 'ready') !== (catalog.find(`local/${name}`) !== undefined)
    )
    .map(({ name, state }) => `${state} ${name}`)
    .join();
}

/** Refresh the catalog if a model has arrived or was removed while no dialog was open. */
export async function noticeLocalModels(
  api: Pick<TurnbookAPI, 'listLocalModels'>,
  catalog: Pick<ModelCatalog, 'find' | 'refresh'>
): Promise<void> {
  if (newsIn(await api.listLocalModels(), catalog)) {
    await catalog.refresh();
  }
}

/** List the models, and those of the catalog again when one has arrived or was removed. */
export function useLocalModels(
  api: Pick<TurnbookAPI, 'listLocalModels'>,
  catalog: Pick<ModelCatalog, 'find' | 'refresh'>
): ILocalModelsState {
  const [list, setList] = useState<ILocalModels | null>(null);
  const [trouble, setTrouble] = useState<string | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const [answers, countAnswer] = useReducer((count: number) => count + 1, 0);
  // The answer to an earlier question may come late.
  const asked = useRef(0);
  const ask = async (
    question: () => Promise<ILocalModels>,
    fail: (why: string | null) => void
  ) => {
    const turn = ++asked.current;
    try {
      const found = await question();
      if (turn === asked.current) {
        setList(found);
        setTrouble(null);
      }
    } catch (error) {
      fail(errorMessage(error));
    }
    countAnswer();
  };
  const act = (action: () => Promise<ILocalModels>) => {
    setFailure(null);
    return ask(action, setFailure);
  };

  const waits =
    list === null ||
    trouble !== null ||
    // It can be installed meanwhile.
    !list.engine ||
    list.models.some(isArriving);
  useEffect(() => {
    if (!waits) {
      return;
    }
    const timer = setTimeout(
      () => void ask(() => api.listLocalModels(), setTrouble),
      answers ? PAUSE : 0
    );
    return () => clearTimeout(timer);
  }, [api, answers, waits]);

  const news = newsIn(list, catalog);
  // Without an engine, the notice needs the state of the embedded model.
  const lacksEngine = list?.engine === false;
  useEffect(() => {
    if (news || lacksEngine) {
      void catalog.refresh();
    }
  }, [catalog, news, lacksEngine]);
  return { list, trouble, failure, act };
}
