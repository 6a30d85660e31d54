import { afterEach, describe, expect, test } from 'bun:test';
import { thrownBy } from '@postshelf/testing/outcomes';
import { callTRPCProcedure } from '@trpc/server';
import * as v from 'valibot';
import { beginExchange } from '../../src/exchange.ts';
import { servedRouter } from '../../src/faces/trpc/router.ts';
import { namedOperations } from '../../src/operations/index.ts';
import { createService } from '../../src/service.ts';
import { databases } from '../support/databases.ts';
import { startApi } from '../support/service.ts';

afterEach(databases.closeAll);

const all = namedOperations.map(([, operation]) => operation);

const parametersOf = (path: string): string[] => Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => name);

describe.each(namedOperations)('the operation %s', (path, { path: restPath, method, summary, within, input }) => {
  // Callers of tRPC may send any JSON as input, or none.
  test.each([undefined, null, 'text', 5, true])('rejects %p as input, if it takes any', (raw) => {
    if (input) expect(v.safeParse(input, raw)).toMatchObject({ success: false });
  });

  test('has a REST path and a summary', () => {
    expect(restPath).toMatch(/^\/[a-z_]+(?:\/(?:[a-z_]+|\{[a-z]+\}))*$/);
    expect(summary).toMatch(/^[A-Z]/);
  });

  test('has exactly the declared parameter, if any, in its REST path', () => {
    expect(within ? [within.param] : []).toEqual(parametersOf(restPath));
  });

  test('is refused over tRPC without a token before its input is read', async () => {
    const { service } = await startApi();
    const exchange = beginExchange(createService(service), new Request('http://127.0.0.1:3000/'), null);
    const called = callTRPCProcedure({
      router: servedRouter,
      path,
      ctx: { exchange, budget: null },
      type: method === 'GET' ? 'query' : 'mutation',
      getRawInput: () => Promise.reject(new Error('The input was read.')),
      signal: undefined,
      batchIndex: 0,
    });
    expect(await thrownBy(called)).toMatchObject({ code: 'UNAUTHORIZED' });
  });
});

describe('all operations', () => {
  test('differ in method or path', () => {
    const places = all.map(({ method, path }) => `${method} ${path.replace(/\{\w+\}/g, '{}')}`);
    expect(new Set(places).size).toBe(places.length);
  });

  test('have distinct summaries', () => {
    const summaries = all.map(({ summary }) => summary);
    expect(new Set(summaries).size).toBe(summaries.length);
  });
});
