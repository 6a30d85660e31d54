import { initTRPC } from '@trpc/server';
import { generateOpenApiDocument, type OpenApiMeta } from 'trpc-to-openapi';
import { z } from 'zod';
import { namedOperations } from '../../operations/index.ts';
import type { AnyOperation } from '../../operations/operation.ts';
import type { Document } from './document-shape.ts';
import { type JsonSchema, jsonSchemaOf } from './json-schema.ts';

const JSON_TYPE = 'application/json';

export type Facts = Parameters<typeof generateOpenApiDocument>[1];

const t = initTRPC.meta<OpenApiMeta>().create();

export const allOperations = (): readonly AnyOperation[] => namedOperations.map(([, operation]) => operation);

/**
 * By trpc-to-openapi, which reads only zod: a router of its own, in which each schema is a zod schema that prints as
 * ours does.
 */
export function skeletonOf(facts: Facts): Document {
  const procedures = namedOperations.map(([name, operation]) => [name, procedureOf(name, operation)] as const);
  const router = t.router(Object.fromEntries(procedures));
  const document = generateOpenApiDocument(router, facts) as unknown as Document;
  return allOperations().reduce(withNamedBody, allOperations().reduce(withQuery, document));
}

/** trpc-to-openapi puts all fields into the body. */
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

/** trpc-to-openapi loses the input's name, as it removes the path's parameters from it. */
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

/** `folders.list` is `foldersList`. */
export const operationIdOf = (name: string): string =>
  name.replace(/\.(\w)/g, (_, letter: string) => letter.toUpperCase());

function procedureOf(name: string, { method, path, summary, description, tag, within, input, output }: AnyOperation) {
  const openapi = { method, path, summary, description, tags: [tag], operationId: operationIdOf(name) };
  const fields = [within?.schema, input].flatMap((schema) => (schema ? fieldsOf(jsonSchemaOf(schema)) : []));
  const procedure = t.procedure
    .meta({ openapi })
    .input(z.object(Object.fromEntries(fields)))
    .output(zodPrinting(jsonSchemaOf(output)));
  const unused = () => null;
  return method === 'GET' ? procedure.query(unused) : procedure.mutation(unused);
}

/** Some become parameters, some the body. */
function fieldsOf({ properties = {}, required = [] }: JsonSchema) {
  return Object.entries(properties as Readonly<Record<string, JsonSchema>>).map(([name, schema]) => {
    const field = zodPrinting(schema);
    return [name, (required as readonly string[]).includes(name) ? field : field.optional()] as const;
  });
}

/** zod would add patterns and bounds of its own. */
function zodPrinting(schema: JsonSchema) {
  return z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]).meta({
    override({ jsonSchema }: { jsonSchema: Record<string, unknown> }) {
      for (const key of Object.keys(jsonSchema)) delete jsonSchema[key];
      Object.assign(jsonSchema, schema);
    },
  });
}
