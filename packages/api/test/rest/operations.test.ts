import { afterEach, describe, expect, test } from 'bun:test';
import { type AnyTRPCProcedure, callTRPCProcedure } from '@trpc/server';
import type { GenericSchema } from 'valibot';
import { restOperations } from '../../src/rest/procedures.ts';
import { appRouter } from '../../src/routers/index.ts';
import type { Meta } from '../../src/routers/trpc.ts';
import { pathId } from '../../src/schemas/common.ts';
import { databases } from '../support/databases.ts';
import { startApi } from '../support/service.ts';

afterEach(databases.closeAll);

/** What tRPC keeps of a procedure at run time and its types don't show. */
interface Definition {
  readonly type: 'query' | 'mutation' | 'subscription';
  readonly meta?: Meta;
  readonly inputs: readonly GenericSchema[];
  readonly output?: GenericSchema;
}

const procedures = Object.entries(appRouter._def.procedures as unknown as Record<string, AnyTRPCProcedure>).map(
  ([name, { _def }]) => [name, _def as unknown as Definition] as const,
);

/** The fields of an object's schema, also of one with checks behind it. */
function fieldsOf(schema: GenericSchema): Readonly<Record<string, unknown>> {
  return 'entries' in schema ? (schema.entries as Readonly<Record<string, unknown>>) : {};
}

const parametersOf = (path: string): string[] => Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => name);

describe.each(procedures)('the operation %s', (path, { type, meta, inputs, output }) => {
  test('says where REST finds it', () => {
    expect(meta?.openapi.path).toMatch(/^\/[a-z_]+(?:\/(?:[a-z_]+|\{[a-z]+\}))*$/);
    expect(meta?.openapi.summary).toMatch(/^[A-Z]/);
    expect(meta?.openapi.tags).toHaveLength(1);
    expect([200, 201, 204]).toContain(meta?.status ?? 0);
    expect(typeof meta?.extension).toBe('boolean');
  });

  test('has schemas for what goes in and what comes out', () => {
    expect(inputs.length).toBeGreaterThan(0);
    for (const schema of [...inputs, output]) expect(schema).toHaveProperty('~standard');
  });

  test('takes exactly the identifiers that stand in its path', () => {
    const fields = inputs.flatMap((schema) => Object.entries(fieldsOf(schema)));
    const ofPath = fields.filter(([, schema]) => schema === pathId).map(([name]) => name);
    expect(ofPath.sort()).toEqual(parametersOf(meta?.openapi.path ?? '').sort());
  });

  test('changes something if and only if its method may', () => {
    expect(type).toBe(meta?.openapi.method === 'GET' ? 'query' : 'mutation');
  });

  test('answers nobody without a token', async () => {
    const { service } = await startApi();
    const called = callTRPCProcedure({
      router: appRouter,
      path,
      ctx: { service, request: new Request('http://127.0.0.1:3000/') },
      type,
      getRawInput: () => Promise.reject(new Error('The input was read.')),
      signal: undefined,
      batchIndex: 0,
    });
    await expect(called).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  });
});

describe('all operations', () => {
  test('are told apart by method and path', () => {
    const places = restOperations().map(
      ({ openapi: { method, path } }) => `${method} ${path.replace(/\{\w+\}/g, '{}')}`,
    );
    expect(new Set(places).size).toBe(places.length);
    expect(places.length).toBe(procedures.length);
  });

  test('have summaries of their own', () => {
    const summaries = restOperations().map(({ openapi }) => openapi.summary);
    expect(new Set(summaries).size).toBe(summaries.length);
  });

  test('are those of the interface and its extensions', () => {
    const places = restOperations().map(
      ({ openapi: { method, path }, extension }) => `${method} ${path}${extension ? ' (extension)' : ''}`,
    );
    expect(places.sort()).toEqual(
      expect.arrayContaining([
        'DELETE /media_contents/{id} (extension)',
        'DELETE /media_library/folders/{folder} (extension)',
        'GET /media_contents/{id}',
        'GET /media_library/folders/{folder}',
        'GET /workspaces/{workspace}/media_contents (extension)',
        'GET /workspaces/{workspace}/media_library/folders',
        'PATCH /media_contents/{id} (extension)',
        'PATCH /media_library/folders/{folder}',
        'POST /workspaces/{workspace}/media_contents',
        'POST /workspaces/{workspace}/media_library/folders',
      ]),
    );
  });
});
