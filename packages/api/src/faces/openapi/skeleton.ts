import type { AnyProcedure } from '@trpc/server';
import { generateOpenApiDocument } from 'trpc-to-openapi';
import { z } from 'zod';
import { allOperations } from '../../operations/index.ts';
import type { AnyOperation } from '../../operations/operation.ts';
import { type ProcedureMeta, servedRouter } from '../trpc/router.ts';
import type { Document } from './document-shape.ts';
import { type JsonSchema, jsonSchemaOf } from './json-schema.ts';

const JSON_TYPE = 'application/json';

export type DocumentOptions = Parameters<typeof generateOpenApiDocument>[1];

/** Builds the document with trpc-to-openapi, from the router that is served. */
export function skeletonOf(options: DocumentOptions): Document {
  const document = generateOpenApiDocument(readableRouter(), options) as unknown as Document;
  return allOperations.reduce(withNamedBody, allOperations.reduce(withQuery, document));
}

/**
 * Returns the served router in a form that trpc-to-openapi reads. That library accepts only zod schemas, so each
 * procedure gets zod schemas that are converted to the same JSON Schema as the operation's own schemas. This doesn't
 * change what the procedures run and check.
 */
export function readableRouter(): typeof servedRouter {
  const { _def } = servedRouter;
  const procedures = Object.entries<AnyProcedure>(_def.procedures as never).map(([name, procedure]) => [
    name,
    'operation' in Object(procedure._def.meta) ? readable(procedure) : procedure,
  ]);
  return { ...servedRouter, _def: { ..._def, procedures: Object.fromEntries(procedures) } };
}

/** Moves fields to the query, because trpc-to-openapi puts all fields into the body. */
function withQuery(document: Document, { method: upperMethod, path, inQuery = [] }: AnyOperation): Document {
  const method = upperMethod.toLowerCase();
  const operation = document.paths[path]?.[method];
  const body = operation?.requestBody?.content[JSON_TYPE];
  if (!operation || !body || inQuery.length === 0) return document;
  const properties = Object.entries(body.schema.properties as Readonly<Record<string, JsonSchema>>);
  const kept = Object.fromEntries(properties.filter(([name]) => !inQuery.includes(name)));
  const moved = properties
    .filter(([name]) => inQuery.includes(name))
    .map(([name, schema]) => ({ in: 'query' as const, name, required: false, schema }));
  const schema = { ...body.schema, properties: kept };
  const requestBody = { required: true, content: { [JSON_TYPE]: { ...body, schema } } };
  const parameters = [...(operation.parameters ?? []), ...moved];
  const methods = { ...document.paths[path], [method]: { ...operation, parameters, requestBody } };
  return { ...document, paths: { ...document.paths, [path]: methods } };
}

/** Restores the input's name, which trpc-to-openapi loses when it removes the path's parameters. */
function withNamedBody(document: Document, { method: upperMethod, path, input }: AnyOperation): Document {
  const method = upperMethod.toLowerCase();
  const operation = document.paths[path]?.[method];
  const { title, description } = input ? jsonSchemaOf(input) : {};
  const body = operation?.requestBody?.content[JSON_TYPE];
  if (!operation || title === undefined || !body) return document;
  const schema = { ...body.schema, title, ...(description !== undefined && { description }) };
  const requestBody = { required: true, content: { [JSON_TYPE]: { ...body, schema } } };
  const methods = { ...document.paths[path], [method]: { ...operation, requestBody } };
  return { ...document, paths: { ...document.paths, [path]: methods } };
}

/**
 * Gives a procedure zod schemas. The schemas are added to `_def`, where tRPC stores a procedure's declaration and
 * trpc-to-openapi reads it.
 */
function readable(procedure: AnyProcedure) {
  const { operation } = procedure._def.meta as ProcedureMeta;
  const { within, input, output } = operation;
  const fields = [within?.schema, input].flatMap((schema) => (schema ? fieldsOf(jsonSchemaOf(schema)) : []));
  const schemas = { inputs: [z.object(Object.fromEntries(fields))], output: zodPrinting(jsonSchemaOf(output)) };
  return { ...procedure, _def: { ...procedure._def, ...schemas } };
}

/**
 * Returns an object's fields with zod schemas. trpc-to-openapi turns some fields into parameters, and the others into
 * the body.
 */
function fieldsOf({ properties = {}, required = [] }: JsonSchema) {
  return Object.entries(properties as Readonly<Record<string, JsonSchema>>).map(([name, schema]) => {
    const field = zodPrinting(schema);
    return [name, (required as readonly string[]).includes(name) ? field : field.optional()] as const;
  });
}

/**
 * Returns a zod schema that zod converts back to exactly the given JSON Schema. Without the override, zod would add
 * patterns and bounds.
 */
function zodPrinting(schema: JsonSchema) {
  return z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]).meta({
    override({ jsonSchema }: { jsonSchema: Record<string, unknown> }) {
      for (const key of Object.keys(jsonSchema)) delete jsonSchema[key];
      Object.assign(jsonSchema, schema);
    },
  });
}
