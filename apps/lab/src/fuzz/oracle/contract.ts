import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Answer } from '../http/answer.ts';
import { at, document, entriesOf, type Json, resolve } from './document.ts';

const ajv = addFormats.default(new Ajv2020({ strict: false }));
ajv.addSchema(closed(document) as object, 'document');
const validators = new Map<string, ValidateFunction>();

/**
 * Returns the differences between an answer and what the document specifies for this operation. It compares status,
 * type, headers and body; undocumented fields count as differences.
 */
export function misfits(operation: string, { status, headers, body }: Answer, json: unknown): readonly string[] {
  const [method = '', path = ''] = operation.split(' ');
  const pointer = ['paths', path, method.toLowerCase(), 'responses', String(status)];
  const inline = at(document, ...pointer);
  if (inline === undefined) return [`${operation} doesn't document ${status}.`];
  const reference = at(inline, '$ref');
  const found = typeof reference === 'string' ? reference.slice(2).split('/') : pointer;
  const response = at(document, ...found);
  const missing = entriesOf(at(response, 'headers')).filter(
    ([name, header]) => !headers.has(name.toLowerCase()) && at(resolve(header), 'required') !== false,
  );
  const complaints = missing.map(([name]) => `${operation} ${status} lacks the header ${name}.`);
  const type = entriesOf(at(response, 'content'))[0]?.[0];
  if (type === undefined) return body.length > 0 ? [...complaints, `${operation} ${status} has a body.`] : complaints;
  const given = (headers.get('content-type') ?? '').split(';')[0];
  if (given !== type) complaints.push(`${operation} ${status} is ${given}, not ${type}.`);
  if (type !== 'application/json') return complaints;
  const schema = `document#/${[...found, 'content', type, 'schema'].map(asPointer).join('/')}`;
  const validate = validators.get(schema) ?? ajv.compile({ $ref: schema });
  validators.set(schema, validate);
  if (!validate(json)) complaints.push(`${operation} ${status}: ${ajv.errorsText(validate.errors)}.`);
  return complaints;
}

const asPointer = (key: string): string => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'));

/** Returns the document with every object closed, so that undocumented fields are errors. */
function closed(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([key, part]) => [key, closed(part)]));
  return copy.type === 'object' && 'properties' in copy ? { additionalProperties: false, ...copy } : copy;
}
