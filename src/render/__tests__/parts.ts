import { Sanitizer } from '@jupyterlab/apputils';
import { EditorLanguageRegistry } from '@jupyterlab/codemirror';
import { createMarkdownParser } from '@jupyterlab/markedparser-extension';
import { type IRenderMime } from '@jupyterlab/rendermime-interfaces';

import type { IRenderParts } from '../pipeline';

/**
 * JupyterLab's own parser and sanitizer, with a count of what they were given.
 */
export class RealParts implements IRenderParts {
  readonly sanitizer = new Sanitizer();
  readonly resolver: IRenderMime.IResolver | null = null;
  latexTypesetter: IRenderMime.ILatexTypesetter | null = null;
  readonly rendered: string[] = [];

  private _parser = createMarkdownParser(languages, {
    blocks: [
      {
        languages: ['mermaid'],
        rank: 1,
        walk: async text => {
          drawn.push(text);
        },
        render: () => '<b>drawn</b>'
      }
    ]
  });

  readonly markdownParser: IRenderMime.IMarkdownParser = {
    render: source => {
      this.rendered.push(source);
      return this._parser.render(source);
    }
  };
}

/** The diagrams that the parser was asked to draw. */
export const drawn: string[] = [];

const languages = new EditorLanguageRegistry();
for (const language of EditorLanguageRegistry.getDefaultLanguages()) {
  languages.addLanguage(language);
}
