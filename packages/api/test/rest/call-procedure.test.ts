import { describe, expect, test } from 'bun:test';
import { type AnyTRPCProcedure, callTRPCProcedure, initTRPC, TRPCError } from '@trpc/server';
import * as v from 'valibot';
import { type Call, callerOf } from '../../src/rest/call-procedure.ts';
import { adding } from '../../src/routers/adding.ts';

const t = initTRPC.context<{ seen: string[] }>().create();

/** Sees the outcome of what is behind it, failures included, and adds to the context. */
const outer = t.middleware(async ({ ctx, next, path, type, meta, getRawInput, signal }) => {
  const result = await next({ ctx: { name: 'outer' } });
  ctx.seen.push(`${path} ${type} ${meta} ${JSON.stringify(await getRawInput())} ${signal?.aborted} ${result.ok}`);
  return result;
});

const procedure = t.procedure
  .use(outer)
  .input(v.object({ a: v.string() }))
  .use(({ ctx, input, next }) => next({ ctx: { ...ctx, name: `${ctx.name}, ${input.a}` } }))
  .use(
    adding(async ({ name, seen }: { name: string; seen: string[] }, { a }: { a: string }) => {
      if (a === 'stop') throw new TRPCError({ code: 'FORBIDDEN', message: 'Stop.' });
      if (a === 'break') throw new RangeError('Broken.');
      return { name: `${name}, ${seen.length}`, added: a };
    }),
  )
  .input(v.object({ b: v.pipe(v.optional(v.number(), 1), v.minValue(1)) }))
  .output(v.object({ name: v.string(), sum: v.pipe(v.number(), v.maxValue(10)) }));

const router = t.router({
  add: procedure.query(({ ctx, input }) => ({
    name: `${ctx.name}, ${ctx.added}`,
    sum: input.a.length + input.b,
    more: 'left out',
  })),
  refuse: procedure.mutation(() => {
    throw new TRPCError({ code: 'CONFLICT', message: 'No.' });
  }),
  fail: procedure.mutation(() => {
    throw new RangeError('Broken.');
  }),
});

type Outcome = { readonly data: unknown } | { readonly code: string; readonly message: string; readonly cause: string };

async function outcome(call: () => Promise<unknown>): Promise<Outcome> {
  try {
    return { data: await call() };
  } catch (error) {
    if (!(error instanceof TRPCError)) throw error;
    return { code: error.code, message: error.message, cause: String(error.cause?.name) };
  }
}

describe('calls a procedure as tRPC does', () => {
  const calls: readonly [string, keyof typeof router._def.record, unknown][] = [
    ['a success', 'add', { a: 'x', b: 2 }],
    ['a default', 'add', { a: 'x' }],
    ['a first input that is refused', 'add', { a: 1, b: 2 }],
    ['a second input that is refused', 'add', { a: 'x', b: 0 }],
    ['no input', 'add', undefined],
    ['a refusal where something is added', 'add', { a: 'stop', b: 0 }],
    ['a fault where something is added', 'add', { a: 'break' }],
    ['an output that is refused', 'add', { a: 'x', b: 10 }],
    ['a refusal', 'refuse', { a: 'x' }],
    ['a fault', 'fail', { a: 'x' }],
  ];
  for (const [name, path, input] of calls) {
    test(name, async () => {
      const called: AnyTRPCProcedure = router._def.record[path];
      const given = (seen: string[]) => {
        const { type } = called._def;
        const getRawInput = async (): Promise<unknown> => input;
        return { path, type, ctx: { seen }, getRawInput, request: new Request('http://host/') } satisfies Call;
      };
      const [ours, theirs]: [string[], string[]] = [[], []];
      const got = await outcome(() => callerOf(called)(given(ours)));
      const expected = await outcome(() =>
        callTRPCProcedure({ ...given(theirs), signal: given([]).request.signal, router, batchIndex: 0 }),
      );
      expect(got).toEqual(expected);
      expect(ours).toEqual(theirs);
      expect(ours).toHaveLength(1);
    });
  }
});

test('what is built in another way is refused at the start', () => {
  const { add } = router._def.record;
  const changed = Object.assign(() => undefined, { _def: { ...add._def, middlewares: undefined } });
  expect(() => callerOf(changed as unknown as AnyTRPCProcedure)).toThrow('no chain of middlewares');
});
