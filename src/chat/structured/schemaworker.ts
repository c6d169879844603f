/** The entry of the worker that checks JSON against schemas. */
import type { SchemaCheck } from '../../request/structured/checkschema';

/** What the worker is asked. */
export interface ISchemaQuestion {
  json: string;
  schema: string;
}

/** What the worker says: that it is ready, then to each question that it begins, and the answer. */
export type SchemaAnswer = 'ready' | 'begun' | SchemaCheck;

/** The part of a worker's scope that is used here. */
const scope = self as unknown as {
  onmessage: ((event: MessageEvent<ISchemaQuestion>) => void) | null;
  postMessage(answer: SchemaAnswer): void;
};

// In a chunk of its own, since what is shared between extensions is loaded with a delay.
void import('../../request/structured/checkschema').then(({ checkSchema }) => {
  scope.onmessage = ({ data }) => {
    scope.postMessage('begun');
    scope.postMessage(checkSchema(data.json, data.schema));
  };
  scope.postMessage('ready');
});
