import { requireScope, requireWorkspace } from '@postshelf/application';
import { type AccessToken, type FieldErrors, Refusal, type Scope } from '@postshelf/domain';
import { initTRPC, StandardSchemaV1Error, TRPCError } from '@trpc/server';
import * as v from 'valibot';
import { renderError, TRPC_CODES } from '../errors.ts';
import { identify } from '../identify.ts';
import { pathId } from '../schemas/common.ts';
import type { Service } from '../service.ts';
import { adding } from './adding.ts';

/** What a procedure knows of its request, whichever face it came through. */
export interface Context {
  readonly service: Service;
  /** As it came; its body is read already, or by the procedure's input. */
  readonly request: Request;
}

/** Behind the middleware that asks who it is. */
export interface Known extends Context {
  readonly token: AccessToken;
}

/** How REST and the OpenAPI document show a procedure. */
export interface OperationMeta {
  readonly openapi: {
    readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
    /** Below `/v1`, parameters in braces. */
    readonly path: `/${string}`;
    readonly summary: string;
    readonly description: string;
    readonly tags: string[];
  };
  /** Of a success; 204 answers without a body, and 201 becomes 202 while an item in it is `processing`. */
  readonly status: 200 | 201 | 204;
  /** Goes beyond the interface as given. */
  readonly extension: boolean;
  /** What a status means here, where the document's own words for it don't do, or where it wouldn't expect it. */
  readonly statuses?: Readonly<Record<number, string>>;
}

/** What an operation asks of a token. */
interface AccessMeta {
  readonly scope: Scope;
}

export type Meta = OperationMeta & AccessMeta;

const t = initTRPC
  .context<Context>()
  .meta<OperationMeta | AccessMeta>()
  .create({
    isDev: false,
    errorFormatter({ shape, error }) {
      const { status, body } = renderError(error);
      const { code, path } = shape.data;
      return {
        ...shape,
        message: body.message,
        data: { code, path, httpStatus: status, ...(body.errors && { errors: body.errors }) },
      };
    },
  });

export const { router } = t;

/** Gives every failure the tRPC code of its HTTP status. REST doesn't need it: it shows what is behind the code. */
export const statusForTrpc = t.middleware(async ({ next }) => {
  const result = await next();
  if (result.ok) return result;
  const code = TRPC_CODES[renderError(result.error).status] ?? 'INTERNAL_SERVER_ERROR';
  if (code === result.error.code) return result;
  throw new TRPCError({ code, message: result.error.message, cause: result.error.cause ?? result.error });
});

type RawInput = Readonly<Record<string, unknown>>;

/**
 * For the place before a body's schema: where that refuses, adds what only the database knows of the other fields, so
 * that all failing fields are told at once.
 */
export const alsoCheck = <Added extends object>(check: (ctx: Context & Added, raw: RawInput) => Promise<FieldErrors>) =>
  t.middleware(async ({ ctx, next, getRawInput }) => {
    const result = await next();
    if (result.ok || !(result.error.cause instanceof StandardSchemaV1Error)) return result;
    const { errors } = renderError(result.error).body;
    const raw = await getRawInput();
    if (!errors || typeof raw !== 'object' || raw === null) return result;
    const more = await check(ctx as Context & Added, raw as RawInput);
    throw new Refusal({ code: 'invalid', errors: { ...more, ...errors } }, { cause: result.error });
  });

/** A procedure for callers whose token has the scope. The order of answers: 401, 403, then 404, then 422. */
export const procedureWith = (scope: Scope) =>
  t.procedure
    .meta({ scope })
    .use(statusForTrpc)
    .use(
      adding(async ({ service, request }: Context) => {
        const token = await identify(service, request);
        requireScope(token, scope);
        return { token };
      }),
    );

/** The same below `/workspaces/{workspace}`. */
export const workspaceProcedure = (scope: Scope) =>
  procedureWith(scope)
    .input(v.object({ workspace: pathId }))
    .use(
      adding(async ({ service, token }: Known, { workspace: id }: { workspace: string }) => ({
        workspace: await requireWorkspace(service.ports, token, id),
      })),
    );
