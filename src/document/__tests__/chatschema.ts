/**
 * The JSON Schemas of a chat's metadata, applied to a whole notebook. For tests of both kinds.
 */
import Ajv from 'ajv';

import { isAttachmentEntry } from '../attachments';
import { REASONING_MIME } from '../reasoning';
import { REFERENCE_MIME } from '../references';
import { TOOL_MIME } from '../rounds';
import choice from '../schema/cell-choice.schema.json';
import edits from '../schema/cell-edits.schema.json';
import from from '../schema/cell-from.schema.json';
import marks from '../schema/cell-marks.schema.json';
import messages from '../schema/cell-messages.schema.json';
import replay from '../schema/cell-replay.schema.json';
import run from '../schema/cell-run.schema.json';
import versions from '../schema/cell-versions.schema.json';
import notebookEntry from '../schema/notebook.schema.json';
import attachment from '../schema/output-attachment.schema.json';
import reference from '../schema/output-reference.schema.json';
import reasoning from '../schema/output-reasoning.schema.json';
import reply from '../schema/output-reply.schema.json';
import tool from '../schema/output-tool.schema.json';

const ajv = new Ajv({
  allErrors: true,
  strict: true,
  strictRequired: false,
  allowUnionTypes: true,
  schemas: [
    choice,
    edits,
    from,
    marks,
    messages,
    replay,
    run,
    versions,
    notebookEntry,
    attachment,
    reference,
    reasoning,
    reply,
    tool
  ]
});

const CELL_SCHEMAS: Record<string, string> = {
  turnbook: marks.$id,
  turnbook_choice: choice.$id,
  turnbook_edits: edits.$id,
  turnbook_from: from.$id,
  turnbook_run: run.$id,
  turnbook_versions: versions.$id,
  turnbook_messages: messages.$id,
  turnbook_replay: replay.$id
};

const OUTPUT_SCHEMAS = [
  { type: TOOL_MIME, schema: tool.$id, beside: 'text/plain' },
  { type: REASONING_MIME, schema: reasoning.$id, beside: 'text/plain' },
  { type: REFERENCE_MIME, schema: reference.$id, beside: 'text/markdown' }
];

/** As much of a notebook as is looked at. */
export interface INotebookLike {
  metadata: Record<string, unknown>;
  cells: {
    id?: unknown;
    metadata: Record<string, unknown>;
    outputs?: unknown;
  }[];
}

interface IOutputLike {
  data?: Record<string, unknown>;
  metadata?: Record<string, unknown>;
}

/** What in a notebook's Turnbook metadata breaks its schemas, each with its place. */
export function chatErrors(notebook: INotebookLike): string[] {
  const found: string[] = [];
  const check = (schema: string, value: unknown, place: string) => {
    if (!ajv.validate(schema, value)) {
      for (const { instancePath, message } of ajv.errors ?? []) {
        found.push(`${place}${instancePath}: ${message}`);
      }
    }
  };
  if ('turnbook' in notebook.metadata) {
    check(notebookEntry.$id, notebook.metadata.turnbook, 'notebook/turnbook');
  }
  for (const cell of notebook.cells) {
    for (const [key, value] of Object.entries(cell.metadata)) {
      if (key in CELL_SCHEMAS) {
        check(CELL_SCHEMAS[key], value, `cell ${cell.id}/${key}`);
      } else if (key.startsWith('turnbook')) {
        found.push(`cell ${cell.id}/${key}: has no schema`);
      } else if (key === 'trusted' && value === true && hasOutputs(cell)) {
        // A server marks cells as it reads a file, those without outputs as trusted.
        found.push(`cell ${cell.id}: a reply must never be trusted`);
      }
    }
    for (const output of (cell.outputs ?? []) as IOutputLike[]) {
      if (output.metadata && 'turnbook' in output.metadata) {
        const { $id } = isAttachmentEntry(output.metadata) ? attachment : reply;
        check($id, output.metadata.turnbook, `${$id} of ${cell.id}`);
      }
      const data = output.data ?? {};
      for (const { type, schema, beside } of OUTPUT_SCHEMAS) {
        if (type in data) {
          check(schema, data[type], `${schema} of ${cell.id}`);
          if (!(beside in data)) {
            found.push(
              `${schema} of ${cell.id}: cannot be read without Turnbook`
            );
          }
        }
      }
    }
  }
  return found;
}

function hasOutputs(cell: { outputs?: unknown }): boolean {
  return Array.isArray(cell.outputs) && cell.outputs.length > 0;
}
