import type { TRPCMiddlewareFunction } from '@trpc/server';

/** What middlewares get when they go on with more in the context. */
type Going<Added> = ReturnType<TRPCMiddlewareFunction<object, object, object, Added, unknown>>;

interface MiddlewareOptions<Context, Input> {
  readonly ctx: Context;
  readonly input: Input;
  readonly next: <Added extends object>(changes: { readonly ctx: Added }) => Going<Added>;
}

/**
 * A middleware that adds to the context or throws, and has no business with what comes behind it. tRPC calls it as any;
 * REST sees by `add` that it can call that and go on.
 */
export function adding<Context extends object, Input, Added extends object>(
  add: (ctx: Context, input: Input) => Promise<Added>,
) {
  const middleware = async ({ ctx, input, next }: MiddlewareOptions<Context, Input>) =>
    next({ ctx: await add(ctx, input) });
  return Object.assign(middleware, { add });
}
