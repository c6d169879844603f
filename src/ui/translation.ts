import {
  type ITranslator,
  nullTranslator,
  type TranslationBundle
} from '@jupyterlab/translation';

/** The user's language: a bundle that is loaded already, or where to load it from. */
export interface ILanguage {
  trans?: TranslationBundle;
  translator?: ITranslator;
}

/**
 * The words of Turnbook in the user's language; English where none is given.
 */
export function wordsIn(language: ILanguage): TranslationBundle {
  return (
    language.trans ??
    (language.translator ?? nullTranslator).load('jupyterlab_turnbook')
  );
}
