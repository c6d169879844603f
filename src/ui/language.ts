import {
  nullTranslator,
  type TranslationBundle
} from '@jupyterlab/translation';
import * as React from 'react';

/** The translation bundle for everything inside the panel. */
export const Words = React.createContext<TranslationBundle>(
  nullTranslator.load('jupyterlab_turnbook')
);

/** The translation bundle for the user's language. */
export function useWords(): TranslationBundle {
  return React.useContext(Words);
}
