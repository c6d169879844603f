import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { ResponseView } from '../../chat/requestdialog/responseview';
import { inspectResponse } from '../../request/inspectresponse';
import { BodyDialog } from '../../ui/bodydialog';
import { responseBytes } from '../model/recordresponse';
import type { IBuilt } from '../model/source';

/** Show the response in a record; resolves when the dialog is closed. */
export async function showRecordedResponse(
  built: IBuilt | null,
  trans: TranslationBundle
): Promise<void> {
  const record = built?.replay.record;
  const response = record?.response;
  const bytes = response && responseBytes(response);
  if (!record || !response || !bytes) {
    return;
  }
  const { status, sentAt, answered, ended, size, hash } = response;
  const dialog = new BodyDialog({
    title: trans.__('Response in this record'),
    body: (
      <ResponseView
        read={{
          id: record.requestId,
          source: 'record',
          outcome: null,
          told: {
            status,
            headers: {},
            sentAt,
            answered,
            ended,
            size,
            hash,
            exact: true,
            missing: null,
            events: []
          },
          body: { bytes, shown: inspectResponse(bytes, []) }
        }}
        trans={trans}
      />
    ),
    className: 'jp-Turnbook-showRequest',
    trans
  });
  await dialog.launch();
}
