import { resolve } from 'node:path';
import type { Scope } from '@postshelf/domain';
import type { GenericSchema } from 'valibot';
import { eventsDocument } from '../../operations/events/document.ts';
import { pathId } from '../../operations/fields/values.ts';
import { allOperations, operations } from '../../operations/index.ts';
import { type Described, takesIfMatch } from '../../operations/operation.ts';
import type { PlainRoute, RouteTraits } from '../../operations/plain-route.ts';
import { importPostsDocument } from '../../operations/posts/import-document.ts';
import { resumableDocuments } from '../../operations/resumable/document.ts';
import { beginByProviderDocument, finishByProviderDocument } from '../../operations/sessions/by-provider.ts';
import { signInDocument } from '../../operations/sessions/sign-in.ts';
import { trashedPreviewDocument } from '../../operations/trash/preview.ts';
import { uploadBodies, uploadFilesDocument } from '../../operations/uploads/document.ts';
import { nameComponents } from './components.ts';
import type { Content, Document, Operation, Parameter } from './document-shape.ts';
import { type JsonSchema, jsonSchemaOf } from './json-schema.ts';
import { ERROR_SCHEMAS, FAILURE_RESPONSES, HEADERS, responsesOf } from './responses.ts';
import { type DocumentOptions, skeletonOf } from './skeleton.ts';

/** Every route below `/v1` that isn't an operation. */
const PLAIN_ROUTES: readonly PlainRoute[] = [
  uploadFilesDocument,
  importPostsDocument,
  signInDocument,
  beginByProviderDocument,
  finishByProviderDocument,
  eventsDocument,
  trashedPreviewDocument,
  ...resumableDocuments,
];

const TOKEN = 'token';
const FORM = 'multipart/form-data';

const OPTIONS: DocumentOptions = {
  title: 'Postshelf',
  version: '1.0.0',
  // The base URL is relative to the document's URL, so that it is correct for every installation.
  baseUrl: '/v1',
  description: [
    'A media library for social publishing, organised in workspaces: upload images and videos, keep them in folders, and use the items that are `active`.',
    'Operations, parameters and fields marked `x-extension` go beyond the published interface. Unknown fields of a body are ignored. Every operation with GET also answers HEAD. `x-tool` is the name of the tool by which assistants call the operation (docs/mcp.md).',
    'Limits, states and walk-throughs are in docs/api.md of the project.',
  ].join('\n\n'),
  securitySchemes: {
    [TOKEN]: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'JWT',
      description:
        'A personal access token, issued by the operator. The scope that an operation requires is in its `x-scope`, and at the end of its description. Any token works for operations without a scope.',
    },
  },
};

/** The contact for an installation is its operator. */
const CONTACT = { name: 'The operator of this installation' };

const TAGS: Readonly<Record<string, string>> = {
  Media: 'Images and videos: upload, import by URL, presign, list, change.',
  Folders: 'Folders for media items. Each workspace has a tree of folders.',
  Links: 'Signed links, for workspaces whose files are not public.',
  Profiles: 'Accounts on networks.',
  Posts: 'Published and planned posts, with their media and metrics.',
  Analytics: 'The best times to post.',
  Events: 'Changes in a workspace, reported as they happen.',
  Readiness: 'What networks accept, and whether media are ready to be published there.',
  Webhooks: 'Addresses that are notified of changes in a workspace.',
  People: 'People who sign in to a workspace without a token, each with a role.',
  Sessions: 'Browsers that are signed in with a token, or as a person.',
  Trash: 'Deleted media that can be restored.',
  Tokens: 'Access tokens, and who a request comes from.',
  Workspaces: 'Tenants, each with media and posts of its own.',
  Audit: 'A log of who changed what.',
  Jobs: 'Background jobs that are waiting, running or have failed.',
};

/** The path of the document in the repository. The server reads it from there. */
export const documentPath = resolve(import.meta.dir, '../../../../../docs/openapi.json');

export const documentText = (document: Document): string => `${JSON.stringify(document, null, 2)}\n`;

/**
 * Creates the OpenAPI document of everything below `/v1`.
 *
 * @throws Error for two components with the same name, or a tag without a description
 */
export function createDocument(): Document {
  const skeleton = skeletonOf(OPTIONS);
  const paths: Record<string, Record<string, Operation>> = {};
  for (const [path, methods] of Object.entries(skeleton.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const described = allOperations.find((each) => each.path === path && each.method.toLowerCase() === method);
      if (!described) throw new Error(`No operation has ${method} ${path}.`);
      const documented = completed(operation, described, outputOf(operation), described.input);
      const isUpload = described === operations.media.importUrl;
      paths[path] = { ...paths[path], [method]: isUpload ? withBodies(documented, uploadBodies) : documented };
    }
  }
  for (const route of PLAIN_ROUTES) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operationOfRoute(route) };
  }
  const tags = new Set(Object.values(paths).flatMap((methods) => Object.values(methods).flatMap(({ tags }) => tags)));
  return withErrors(
    nameComponents({
      ...skeleton,
      info: { ...skeleton.info, contact: CONTACT, license: { name: 'MIT', identifier: 'MIT' } },
      tags: [...tags].map((name) => ({ name, description: describeTag(name) })),
      paths,
    }),
  );
}

function describeTag(name: string): string {
  const description = TAGS[name];
  if (!description) throw new Error(`The tag ${name} has no description.`);
  return description;
}

function outputOf({ responses }: Operation): JsonSchema {
  const success = responses[200];
  const schema = success && 'content' in success ? success.content?.['application/json']?.schema : undefined;
  return schema ?? {};
}

type RawOperation = Omit<Operation, 'description' | 'security' | 'x-scope'>;

function completed(
  operation: RawOperation,
  described: Described & RouteTraits,
  output: JsonSchema,
  fields: GenericSchema | undefined,
): Operation {
  const { parameters = [], requestBody, responses: _, ...rest } = operation;
  const { method, scope, tool, versioned = false, takesNoKey = false, needsNoToken = false } = described;
  const { takesAnyLength = false } = described;
  const traits = {
    hasPathParameters: parameters.some((parameter) => parameter.in === 'path'),
    readsBody: method !== 'GET' && method !== 'DELETE',
    takesAnyLength,
    hasFields: requestBody !== undefined || parameters.some((parameter) => parameter.in === 'query'),
    takesKey: method === 'POST' && !takesNoKey,
    fields,
  };
  const all = [
    ...parameters.map(describedParameter),
    ...(traits.takesKey ? [IDEMPOTENCY_KEY] : []),
    ...(versioned && method === 'GET' ? [IF_NONE_MATCH] : []),
    ...(takesIfMatch(described) ? [IF_MATCH] : []),
  ];
  return {
    ...rest,
    ...(described.extension && { 'x-extension': true }),
    description: needsNoToken ? described.description : `${described.description}\n\n${scopeOf(scope)}`,
    // The scope isn't listed here, because only OAuth schemes declare scopes.
    security: needsNoToken ? [] : [{ [TOKEN]: [] }],
    ...(scope !== null && { 'x-scope': scope }),
    ...(tool && { 'x-tool': tool }),
    ...(all.length > 0 && { parameters: all }),
    ...(requestBody && { requestBody }),
    responses: responsesOf(described, output, traits),
  };
}

const scopeOf = (scope: Scope | null): string => (scope === null ? 'Any token works.' : `Scope: \`${scope}\`.`);

const IDEMPOTENCY_KEY: Parameter = {
  in: 'header',
  name: 'Idempotency-Key',
  required: false,
  description:
    'Visible ASCII characters that identify the request, so that it is carried out only once: a repeat within 24 hours gets the same answer, with `Idempotency-Replayed: true`.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
  'x-extension': true,
};

const IF_NONE_MATCH: Parameter = {
  in: 'header',
  name: 'If-None-Match',
  required: false,
  description: 'An `ETag` that the client already has. The answer is 304 if it is still current.',
  schema: { type: 'string' },
  'x-extension': true,
};

const IF_MATCH: Parameter = {
  in: 'header',
  name: 'If-Match',
  required: false,
  description:
    'The `ETag` that the client last saw. If the resource has been changed since, the answer is 412 and nothing is done.',
  schema: { type: 'string' },
  'x-extension': true,
};

/** Moves keywords that belong to the parameter out of its schema. */
function describedParameter({ schema, ...parameter }: Parameter): Parameter {
  const { description, 'x-extension': extension, ...rest } = schema;
  return {
    ...parameter,
    ...(typeof description === 'string' && { description }),
    ...(extension === true && { 'x-extension': true }),
    schema: rest,
  };
}

function operationOfRoute(route: PlainRoute): Operation {
  const { path, operationId, output, summary, tag, query, headers = {}, bodies = {} } = route;
  const names = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => name);
  const fields = Object.entries((query && jsonSchemaOf(query).properties) ?? {}) as [string, JsonSchema][];
  const parameters: Parameter[] = [
    ...names.map((name) => ({ in: 'path' as const, name, required: true, schema: jsonSchemaOf(pathId) })),
    ...fields.map(([name, schema]) => ({ in: 'query' as const, name, required: false, schema })),
    ...Object.entries(headers).map(([name, description]) => ({
      in: 'header' as const,
      name,
      required: false,
      description,
      schema: { type: 'string' },
    })),
  ];
  const operation = { operationId, summary, tags: [tag], parameters, responses: {} };
  const documented = completed(operation, route, jsonSchemaOf(output), query ?? bodies['application/json']);
  return withBodies(documented, bodies);
}

function withBodies(operation: Operation, bodies: Readonly<Record<string, GenericSchema>>): Operation {
  const content: Content = Object.fromEntries(
    Object.entries(bodies).map(([type, body]) => {
      const schema = jsonSchemaOf(body);
      return [type, { schema, ...(type === FORM && { encoding: encodingOf(schema) }) }];
    }),
  );
  if (Object.keys(content).length === 0) return operation;
  const { requestBody, responses, ...rest } = operation;
  return { ...rest, requestBody: { required: true, content: { ...requestBody?.content, ...content } }, responses };
}

/**
 * Makes clients send each item of a list in a form as a separate part. Otherwise a list of one item couldn't be told
 * from a single value.
 */
function encodingOf({ properties = {} }: JsonSchema) {
  const fields = Object.entries(properties as Readonly<Record<string, JsonSchema>>);
  const lists = fields.filter(([, { type }]) => type === 'array');
  return Object.fromEntries(
    lists.map(([name]) => [name, { style: 'form', explode: true, allowReserved: true } as const]),
  );
}

function withErrors(document: Document): Document {
  const { components } = document;
  return {
    ...document,
    components: {
      ...components,
      schemas: { ...ERROR_SCHEMAS, ...components.schemas },
      responses: FAILURE_RESPONSES,
      headers: HEADERS,
    },
  };
}
