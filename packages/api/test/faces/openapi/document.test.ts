import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { type FieldErrors, MULTIPART_FILE_TOO_LARGE, summarise } from '@postshelf/domain';
import { createDocument, documentPath, documentText } from '../../../src/faces/openapi/document.ts';
import type { Content, Operation, Response } from '../../../src/faces/openapi/document-shape.ts';
import type { JsonSchema } from '../../../src/faces/openapi/json-schema.ts';
import { referenceOf, referencePath } from '../../../src/faces/openapi/reference.ts';
import { allOperations } from '../../../src/operations/index.ts';

const JSON_TYPE = 'application/json';

const APPEND = 'PATCH /uploads/{id}';

const document = createDocument();

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const),
);

function operation(place: string): Operation {
  const found = operations.find(([name]) => name === place)?.[1];
  if (!found) throw new Error(`The document has no ${place}.`);
  return found;
}

/** Returns the target of a reference; undefined if there is none. */
const target = (reference: string): unknown =>
  reference
    .slice('#/'.length)
    .split('/')
    .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], document);

/** Returns the content of an answer, which is either inline or referenced. */
const contentOf = (response: Operation['responses'][string]): Content | undefined =>
  '$ref' in response ? (target(response.$ref) as Response).content : response.content;

/** Returns the body of an operation, with its references resolved. The schemas of bodies aren't recursive. */
const bodyOf = (place: string, type: string): unknown => resolved(operation(place).requestBody?.content[type]?.schema);

function resolved(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(resolved);
  if ('$ref' in value) return resolved(target(String(value.$ref)));
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, resolved(part)]));
}

test('docs/openapi.json is up to date; `npm run openapi` updates it', () => {
  expect(readFileSync(documentPath, 'utf8')).toBe(documentText(document));
});

test('docs/reference.md is up to date; `npm run openapi` updates it', () => {
  expect(readFileSync(referencePath, 'utf8')).toBe(referenceOf(document));
});

test('the reference has the failures with a meaning of their own, and no others', () => {
  const [, chapter = ''] = referenceOf(document).split('\n### Send bytes of a resumable upload\n');
  const [own = ''] = chapter.split('\n### ');
  const statuses = Array.from(own.matchAll(/^- \*\*(\d+)\*\*: /gm), ([, status]) => Number(status));
  expect(statuses).toEqual([400, 409, 412, 413, 422, 503]);
});

test('a request of tus is never refused with a status after which its clients give up', () => {
  const statuses = Object.keys(operation(APPEND).responses);
  expect(statuses).toContain('503');
  expect(statuses).not.toContain('408');
  expect(statuses).not.toContain('429');
});

test('the OpenAPI document has the version of the interface', () => {
  expect(document).toMatchObject({ openapi: '3.1.0', info: { version: '1.0.0' }, servers: [{ url: '/v1' }] });
});

test('the examples of 413 and 422 are errors that their operations can return', () => {
  for (const [place, { parameters = [], requestBody, responses }] of operations) {
    const bodies = Object.keys(requestBody?.content ?? {}).map((type) => bodyOf(place, type) as JsonSchema);
    const fields = [
      ...parameters.map(({ name }) => name.toLowerCase().replaceAll('-', '_')),
      ...bodies.flatMap(({ properties }) => Object.keys(properties ?? {})).map((name) => name.replace('[]', '')),
      // Errors may also name the resource itself, or metadata in a header.
      ...['media_content', 'folder', 'webhook', 'job', 'file', 'filename'],
    ];
    const exampleOf = (status: number): unknown =>
      contentOf(responses[status] ?? { description: '' })?.[JSON_TYPE]?.example;
    const invalid = exampleOf(422) as { message: string; errors: FieldErrors } | undefined;
    if (!('422' in responses)) expect(invalid).toBeUndefined();
    else {
      expect(invalid?.message).toBe(summarise(invalid?.errors ?? {}));
      for (const field of Object.keys(invalid?.errors ?? {})) {
        if (place !== 'PUT /posts/{id}/metrics') expect(fields).toContain(field);
      }
    }
    if (!('413' in responses)) continue;
    const isUpload = Object.keys(requestBody?.content ?? {}).includes('multipart/form-data');
    const { message } = exampleOf(413) as { message: string };
    if (isUpload) expect(message).toBe(MULTIPART_FILE_TOO_LARGE);
    else if (place.includes('/uploads')) expect(message).toMatch(/^The file /);
    else expect(message).toMatch(/^The request body must not be larger than (?:1 MB|16 KB)\.$/);
  }
});

test('the OpenAPI document has every operation, and marks extensions', () => {
  const places = operations.map(([place, { 'x-extension': mark }]) => `${place}${mark ? ' (extension)' : ''}`);
  const expected = allOperations.map(
    ({ method, path, extension }) => `${method} ${path}${extension ? ' (extension)' : ''}`,
  );
  expect(places).toEqual(expect.arrayContaining(expected));
});

test('all operationIds are identifiers', () => {
  const ids = operations.map(([, { operationId }]) => operationId);
  for (const id of ids) expect(id).toMatch(/^[a-z][a-zA-Z]+$/);
});

test('the parameters of an operation have different names, even if generated clients spell them alike', () => {
  for (const [place, { parameters = [] }] of operations) {
    const names = parameters.map(({ name }) => name.toLowerCase().replace(/[^a-z0-9]/g, ''));
    expect([place, names]).toEqual([place, [...new Set(names)]]);
  }
});

test('the OpenAPI document has no pattern or bound that only zod adds', () => {
  const text = JSON.stringify(document);
  expect(text).not.toContain(String(Number.MAX_SAFE_INTEGER));
  expect(text).not.toContain('"pattern"');
});

/**
 * Operations that need no token. A browser that signs in has no token yet, and a browser that returns from an OpenID
 * provider comes from a page of another site.
 */
const OPEN = ['POST /sessions', 'GET /sessions/oidc', 'GET /sessions/oidc/callback'];

describe.each(operations)('%s', (place, { security, 'x-scope': scope, description, responses, requestBody }) => {
  test('requires a token or is open by design, and documents its authentication errors', () => {
    if (OPEN.includes(place)) return expect([security, '403' in responses]).toEqual([[], place !== OPEN[2]]);
    expect(security).toEqual([{ token: [] }]);
    if (scope !== undefined)
      expect(scope).toMatch(/^(?:(media|folders|analytics|webhooks|people):(read|write)|operator)$/);
    expect(description).toEndWith(scope === undefined ? '.\n\nAny token works.' : `.\n\nScope: \`${scope}\`.`);
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(['401', '500', '503']));
    expect('403' in responses).toBe(scope !== undefined || !place.startsWith('GET '));
  });

  test('documents its success response and the errors of its body', () => {
    expect(Object.keys(responses).filter((status) => status < '400')).not.toBeEmpty();
    const tooSlow = place === APPEND ? '503' : '408';
    if (requestBody) expect(Object.keys(responses)).toEqual(expect.arrayContaining(['400', tooSlow, '415']));
    // Lines are read one by one, so an import of posts has no maximum size.
    if (requestBody) expect('413' in responses).toBe(!place.endsWith('/posts/import'));
  });

  test('has named schemas for request and response bodies', () => {
    const contents = [requestBody?.content, ...Object.values(responses).map(contentOf)];
    const schemas = contents.flatMap((content) => Object.values(content ?? {}).map(({ schema }) => schema));
    for (const schema of schemas)
      expect(schema).toEqual({ $ref: expect.stringMatching(/^#\/components\/schemas\/\w+$/) });
  });
});

const UPLOAD = 'POST /workspaces/{workspace}/media_contents';

describe('the OpenAPI document for client generators', () => {
  test('has no type that shadows a built-in one', () => {
    const names = Object.keys(document.components.schemas ?? {});
    expect(names.filter((name) => name in globalThis)).toEqual([]);
  });

  test('has one operation for both upload bodies, and another for the form only', () => {
    const form = 'multipart/form-data';
    const repeated = { style: 'form', explode: true, allowReserved: true } as const;
    const encoding = { 'files[]': repeated, 'sha256[]': repeated };
    const files = { [form]: { schema: { $ref: '#/components/schemas/MediaUpload' }, encoding } };
    const [both, alone] = [operation(UPLOAD), operation(`${UPLOAD}#files`)];
    expect(Object.keys(both.requestBody?.content ?? {})).toEqual(['application/json', form]);
    expect(both.requestBody?.content).toMatchObject(files);
    expect(alone.requestBody?.content).toEqual(files);
    expect(alone.responses['201']).toEqual(both.responses['201']);
    expect(alone).toMatchObject({ 'x-scope': both['x-scope'], parameters: both.parameters });
  });

  test('describes a body of JSON lines as text, with the schema of a line', () => {
    const { requestBody } = operation('POST /workspaces/{workspace}/posts/import');
    const types = Object.keys(requestBody?.content ?? {});
    expect(types).toEqual(['application/x-ndjson', 'application/ndjson', 'application/jsonl']);
    for (const type of types)
      expect(bodyOf('POST /workspaces/{workspace}/posts/import', type)).toMatchObject({
        type: 'string',
        contentSchema: { items: { type: 'object', required: ['profile', 'published_at', 'external_id'] } },
      });
  });
});

describe('the published interface', () => {
  test('documents uploads by JSON and as files, with all their statuses', () => {
    const upload = operation(UPLOAD);
    expect(Object.keys(upload.responses)).toEqual(
      '201 202 400 401 403 404 408 409 413 415 422 429 500 503 507'.split(' '),
    );
    const files = {
      type: 'array',
      minItems: 1,
      maxItems: 10,
      items: { type: 'string', format: 'binary', contentMediaType: 'application/octet-stream' },
    };
    expect(bodyOf(UPLOAD, 'multipart/form-data')).toMatchObject({
      required: ['files[]'],
      properties: { 'files[]': files, label: { maxLength: 250 }, folder_id: { type: 'string' } },
    });
    expect(bodyOf(UPLOAD, 'application/json')).toMatchObject({
      required: ['url'],
      properties: { url: { format: 'uri', maxLength: 2048 }, name: { type: ['string', 'null'], minLength: 3 } },
    });
  });

  test('documents presigning of 1 to 10 files with all fields required', () => {
    const mime = { type: 'string', description: expect.stringContaining('`video/quicktime`'), examples: ['video/mp4'] };
    expect(bodyOf(`${UPLOAD}/presign`, 'application/json')).toMatchObject({
      properties: {
        files: {
          minItems: 1,
          maxItems: 10,
          items: {
            required: ['name', 'size', 'mime'],
            properties: {
              name: { type: 'string', maxLength: 255 },
              size: { type: 'integer', minimum: 1, maximum: 2 ** 31 },
              mime,
            },
          },
        },
      },
    });
  });

  test('documents the paging of lists', () => {
    const { parameters } = operation('GET /workspaces/{workspace}/media_library/folders');
    expect(parameters).toContainEqual(
      expect.objectContaining({ in: 'query', name: 'per_page', schema: { type: 'integer', minimum: 1, default: 25 } }),
    );
    expect(parameters).toContainEqual(expect.objectContaining({ name: 'parent_id', 'x-extension': true }));
  });

  test('documents a query field as a parameter and not in the body', () => {
    const place = 'POST /workspaces/{workspace}/posts';
    expect(operation(place).parameters).toContainEqual(expect.objectContaining({ in: 'query', name: 'include' }));
    expect(bodyOf(place, 'application/json')).not.toHaveProperty('properties.include');
  });

  test('documents a deletion without a response body', () => {
    expect(operation('DELETE /media_contents/{id}').responses['204']).not.toHaveProperty('content');
  });

  test('documents a cover as a media item', () => {
    const { schemas = {} } = document.components;
    expect(schemas.MediaContentResource).toMatchObject({
      properties: {
        thumbnail: { anyOf: [{ $ref: '#/components/schemas/MediaContentResource' }, { type: 'null' }] },
        size: { type: ['integer', 'null'] },
      },
    });
    expect(schemas).toContainKeys(['FolderResource', 'PresignedMediaUploadResource']);
  });
});
