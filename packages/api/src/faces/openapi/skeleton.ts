import type { AnyTRPCProcedure } from '@trpc/server';
import { generateOpenApiDocument, type OpenApiRouter } from 'trpc-to-openapi';
import type { GenericSchema } from 'valibot';
import { z } from 'zod';
import { appRouter } from '../../operations/index.ts';
import type { Meta } from '../trpc/router.ts';
import type { Document } from './document-shape.ts';
import { type JsonSchema, jsonSchemaOf } from './json-schema.ts';

/** What tRPC keeps of a procedure at run time and its types don't show. */
interface Definition {
  readonly inputs: readonly GenericSchema[];
  readonly output: GenericSchema;
  readonly meta: Meta;
}

const JSON_TYPE = 'application/json';

export type Facts = Parameters<typeof generateOpenApiDocument>[1];

/**
 * Paths, parameters and bodies of every procedure, by trpc-to-openapi. It reads zod alone, so it is given a copy of the
 * router in which each schema is a zod schema that prints as ours does.
 */
export function skeletonOf(facts: Facts): Document {
  const procedures = Object.entries(appRouter._def.procedures as unknown as Record<string, AnyTRPCProcedure>);
  const copy = Object.fromEntries(procedures.map(([name, procedure]) => [name, copyOf(name, procedure)]));
  const router = { _def: { procedures: copy } } as unknown as OpenApiRouter;
  const document = generateOpenApiDocument(router, facts) as unknown as Document;
  return procedures.reduce((named, [, procedure]) => withNamedBody(named, procedure), document);
}

/**
 * The body of an operation named like the input that it stands for, which trpc-to-openapi takes apart: it is what is left
 * of all inputs without the path's parameters.
 */
function withNamedBody(document: Document, procedure: AnyTRPCProcedure): Document {
  const { inputs, meta } = procedure._def as unknown as Definition;
  const { path } = meta.openapi;
  const method = meta.openapi.method.toLowerCase();
  const operation = document.paths[path]?.[method];
  const named = inputs.map(jsonSchemaOf).find(({ title }) => title !== undefined);
  const body = operation?.requestBody?.content[JSON_TYPE];
  if (!operation || !named || !body) return document;
  const { title, description } = named;
  const schema = { ...body.schema, title, ...(description !== undefined && { description }) };
  const requestBody = { required: true, content: { [JSON_TYPE]: { ...body, schema } } };
  const methods = { ...document.paths[path], [method]: { ...operation, requestBody } };
  return { ...document, paths: { ...document.paths, [path]: methods } };
}

/** The name that tRPC clients call a procedure by, as one word: `folders.list` is `foldersList`. */
const operationIdOf = (name: string): string => name.replace(/\.(\w)/g, (_, letter: string) => letter.toUpperCase());

function copyOf(name: string, procedure: AnyTRPCProcedure) {
  const definition = procedure._def as unknown as Definition;
  const { meta } = definition;
  return {
    _def: {
      ...definition,
      meta: { ...meta, openapi: { ...meta.openapi, operationId: operationIdOf(name) } },
      inputs: definition.inputs.map((schema) => objectOf(jsonSchemaOf(schema))),
      output: printedAs(jsonSchemaOf(definition.output)),
    },
  };
}

/** The fields of an input each by themselves: some become parameters, some a body. */
function objectOf({ properties = {}, required = [] }: JsonSchema) {
  const fields = Object.entries(properties as Readonly<Record<string, JsonSchema>>).map(([name, schema]) => {
    const field = printedAs(schema);
    return [name, (required as readonly string[]).includes(name) ? field : field.optional()] as const;
  });
  return z.object(Object.fromEntries(fields));
}

/** A zod schema of the same type, printed to the letter: zod adds patterns and bounds of its own to what it prints. */
function printedAs(schema: JsonSchema) {
  return z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]).meta({
    override({ jsonSchema }: { jsonSchema: Record<string, unknown> }) {
      for (const key of Object.keys(jsonSchema)) delete jsonSchema[key];
      Object.assign(jsonSchema, schema);
    },
  });
}
