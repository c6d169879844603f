import * as React from 'react';

import type { RequestDraft } from '../request/draft';
import { checkOption, OPTIONS_SCHEMA } from '../request/options';
import { RequestError } from '../request/errors';
import { TextButton } from '../ui/controls';
import { useWords } from '../ui/language';
import { OptionsView, type IOptionSchema } from './optionsview';

/** The options of a draft. */
export function OptionsPart(props: {
  draft: RequestDraft;
  models: readonly string[];
  /** Use the options in the chat's later requests too; absent if that is impossible. */
  keep?: () => void;
}): JSX.Element {
  const { draft, models, keep } = props;
  const { frame, editedOptions, optionConflicts } = draft.request;
  const trans = useWords();
  return (
    <>
      {keep && editedOptions.some(key => key !== 'model') && (
        <TextButton
          link
          label={trans.__('Keep for this chat')}
          title={trans.__('Send these options with later messages too')}
          onClick={keep}
        />
      )}
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
    </>
  );
}
