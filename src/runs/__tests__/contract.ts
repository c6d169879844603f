/** Checks what the client sends and receives against the server's API contract. */
import { readFileSync } from 'fs';
import { join } from 'path';

import Ajv, { type ValidateFunction } from 'ajv';
import { parse } from 'yaml';

type Json = Record<string, any>;

/** The contract as a list of routes. */
export class Contract {
  constructor() {
    const file = join(__dirname, '../../../jupyterlab_turnbook/openapi.yaml');
    this._spec = nullable(parse(readFileSync(file, 'utf8'))) as Json;
    this._ajv.addSchema({ $id: 'spec', ...this._spec });
  }

  /** Operations that were checked so far. */
  readonly seen = new Set<string>();

  /** All HTTP operations. */
  get operations(): string[] {
    return Object.values(this._spec.paths as Json)
      .flatMap((path: Json) => Object.values(path))
      .map((operation: Json) => operation?.operationId)
      .filter((id): id is string => typeof id === 'string' && id !== 'stream');
  }

  /** Throw unless a request and its response follow the contract. */
  check(
    method: string,
    path: string,
    body: string | undefined,
    status: number,
    answer: string,
    type: string
  ): void {
    const [template, item] = this._find(path);
    const operation: Json | undefined = item[method.toLowerCase()];
    if (!operation) {
      throw new Error(`${method} ${template} is not in the contract`);
    }
    this.seen.add(operation.operationId);
    const sent = operation.requestBody?.content?.['application/json']?.schema;
    if (body !== undefined) {
      this._validate(`${method} ${path} request`, sent, JSON.parse(body));
    }
    const response = this._resolve(
      operation.responses[`${status}`] ?? operation.responses.default
    );
    const schema = response.content?.['application/json']?.schema;
    if (schema) {
      this._validate(`${method} ${path} ${status}`, schema, JSON.parse(answer));
    } else if (response.content && !response.content[type.split(';')[0]]) {
      throw new Error(`${method} ${path} answered ${type}`);
    }
  }

  /** Throw unless a message on the stream follows the contract. */
  checkMessage(
    side: 'ClientMessage' | 'ServerMessage',
    message: unknown
  ): void {
    this._validate(side, { $ref: `#/components/schemas/${side}` }, message);
  }

  private _find(path: string): [string, Json] {
    for (const [template, item] of Object.entries(this._spec.paths as Json)) {
      const pattern = template.replace(/\{[^}]+\}/g, '[^/]+');
      if (new RegExp(`^${pattern}$`).test(path)) {
        return [template, item];
      }
    }
    throw new Error(`${path} is not in the contract`);
  }

  private _resolve(node: Json): Json {
    return node.$ref
      ? node.$ref
          .slice(2)
          .split('/')
          .reduce((at: Json, key: string) => at[key], this._spec)
      : node;
  }

  private _validate(what: string, schema: Json, value: unknown): void {
    const key = JSON.stringify(schema);
    let validate = this._compiled.get(key);
    if (!validate) {
      validate = this._ajv.compile(JSON.parse(key.replace(/"#\//g, '"spec#/')));
      this._compiled.set(key, validate);
    }
    if (!validate(value)) {
      throw new Error(`${what}: ${this._ajv.errorsText(validate.errors)}`);
    }
  }

  private _ajv = new Ajv({ strict: false, validateFormats: false });
  private _compiled = new Map<string, ValidateFunction>();
  private _spec: Json;
}

/** OpenAPI 3.0 has its own notation for null. */
function nullable(node: unknown): unknown {
  if (Array.isArray(node)) {
    return node.map(nullable);
  }
  if (typeof node !== 'object' || node === null) {
    return node;
  }
  const { nullable: isNullable, exclusiveMinimum, ...rest } = node as Json;
  const result: Json = Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [key, nullable(value)])
  );
  if (exclusiveMinimum === true) {
    result.exclusiveMinimum = result.minimum;
    delete result.minimum;
  }
  return isNullable === true ? { anyOf: [{ type: 'null' }, result] } : result;
}
