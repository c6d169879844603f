import * as React from 'react';

import type { RequestDraft } from '../draft';
import { checkOption, OPTIONS_SCHEMA } from '../options';
import { RequestError } from '../errors';
import { OptionsView, type IOptionSchema } from './optionsview';

/** The options of a draft. */
export function OptionsPart(props: {
  draft: RequestDraft;
  models: readonly string[];
}): JSX.Element {
  const { draft, models } = props;
  const { frame, editedOptions, optionConflicts } = draft.request;
  return (
    <OptionsView
      schema={OPTIONS_SCHEMA as IOptionSchema}
      options={frame}
      edited={editedOptions}
      conflicts={optionConflicts}
      models={models}
      set={(key, value) => draft.setOption(key, value)}
      reset={key => draft.resetOption(key)}
      confirm={key => draft.confirmOption(key)}
      check={(key, value) => {
        try {
          checkOption(key, value);
          return null;
        } catch (error) {
          if (error instanceof RequestError) {
            return error.message;
          }
          throw error;
        }
      }}
    />
  );
}
