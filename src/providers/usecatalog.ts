import { useEffect, useReducer } from 'react';

import type { ModelCatalog } from '../runs/catalog';

/** Rerender the component whenever the catalog changes. */
export function useCatalog(catalog: ModelCatalog): void {
  const [, rerender] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    catalog.changed.connect(rerender);
    // It may have changed between the first render and this effect.
    rerender();
    return () => {
      catalog.changed.disconnect(rerender);
    };
  }, [catalog]);
}
