import {
  type ITranslator,
  nullTranslator,
  type TranslationBundle
} from '@jupyterlab/translation';

/** The user's language: a loaded bundle, or a translator to load it from. */
export interface ILanguage {
  trans?: TranslationBundle;
  translator?: ITranslator;
}

/** The translation bundle for the user's language; English if none is given. */
export function wordsIn(language: ILanguage): TranslationBundle {
  return (
    language.trans ??
    (language.translator ?? nullTranslator).load('jupyterlab_turnbook')
  );
}
