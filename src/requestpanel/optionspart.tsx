import * as React from 'react';

import type { RequestDraft } from '../request/draft';
import { checkOption, OPTIONS_SCHEMA } from '../request/options';
import { RequestError } from '../request/errors';
import { formatErrors } from '../request/structured/optionplaces';
import { OptionsView, type IOptionSchema } from './optionsview';

/** The options of a draft. */
export function OptionsPart(props: {
  draft: RequestDraft;
  models: readonly string[];
  /** Use an edited option in the chat's later requests too; absent if that is impossible. */
  keep?: (name: string) => void;
}): JSX.Element {
  const { draft, models, keep } = props;
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
      keep={keep}
      confirm={key => draft.confirmOption(key)}
      check={(key, value) => {
        try {
          checkOption(key, value);
          return formatErrors(key, value)[0]?.message ?? null;
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
