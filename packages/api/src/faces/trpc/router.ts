import { turns } from '@postshelf/application';
import { STREAM_HEARTBEAT } from '@postshelf/domain';
import {
  initTRPC,
  TRPCError,
  type TRPCMutationProcedure,
  type TRPCQueryProcedure,
  type TRPCRouterRecord,
} from '@trpc/server';
import type { InferOutput } from 'valibot';
import { admit, type Caller } from '../../admit.ts';
import type { Exchange } from '../../exchange.ts';
import { fingerprintOfFields } from '../../operations/idempotency/fingerprint.ts';
import { answerKeyed, type Complete, type Keyed, keyOf } from '../../operations/idempotency/repeatable.ts';
import { withheldBy } from '../../operations/idempotency/withheld.ts';
import { nameOf, operationIdOf, operations, operatorOperations } from '../../operations/index.ts';
import { type AnyOperation, changes, type InputOf } from '../../operations/operation.ts';
import { performFields } from '../../operations/perform.ts';
import { readVersion, withVersion } from '../../operations/versions/versions.ts';
import { type BatchBudget, bytesOf } from './batch-budget.ts';
import { codeOf, renderTrpcError } from './errors.ts';
import { type Subscription, subscribe } from './subscribe.ts';

interface TrpcContext {
  readonly exchange: Exchange;
  /** The budget that the calls of a batch share; null for a single call. */
  readonly budget: BatchBudget | null;
}

/**
 * Metadata of an operation's procedure. `openapi` has the form that trpc-to-openapi reads. The operation contains the
 * schemas, which `perform` enforces.
 */
export type ProcedureMeta = {
  readonly openapi: Pick<AnyOperation, 'method' | 'path' | 'summary' | 'description'> & {
    readonly tags: readonly string[];
    readonly operationId: string;
  };
  readonly operation: AnyOperation;
};

// `ProcedureMeta` isn't used as the type here, because clients' types would then include the types of every operation's
// internals.
const t = initTRPC
  .context<TrpcContext>()
  .meta<Record<string, unknown>>()
  .create({
    isDev: false,
    sse: { ping: { enabled: true, intervalMs: STREAM_HEARTBEAT } },
    errorFormatter({ shape, error }) {
      const { status, body, version } = renderTrpcError(error);
      const { code, path } = shape.data;
      return {
        ...shape,
        message: body.message,
        data: {
          code,
          path,
          httpStatus: status,
          ...(body.errors && { errors: body.errors }),
          ...(version !== undefined && { version }),
        },
      };
    },
  });

/** Gives every failure the tRPC code of its HTTP status. */
const withStatus = t.procedure.use(async ({ next }) => {
  const result = await next();
  if (result.ok) return result;
  const code = codeOf(renderTrpcError(result.error).status);
  if (code === result.error.code) return result;
  throw new TRPCError({ code, message: result.error.message, cause: result.error.cause ?? result.error });
});

/** The types that tRPC's clients infer for an operation. */
type ProcedureOf<Operation extends AnyOperation> = Operation['method'] extends 'GET'
  ? TRPCQueryProcedure<TypesOf<Operation>>
  : TRPCMutationProcedure<TypesOf<Operation>>;

interface TypesOf<Operation extends AnyOperation> {
  input: InputOf<Operation>;
  output: Shown<Operation, InferOutput<Operation['output']>>;
  meta: unknown;
}

/** Adds the version, which REST sends in a header instead. */
type Shown<Operation, Output> = Operation extends { readonly versioned?: true }
  ? Output extends object
    ? Output & { version: number }
    : Output
  : Output;

/**
 * Returns the procedure of an operation. tRPC only transports values: the operation's own schemas check input and
 * output. The input isn't read before the token has been checked.
 */
function procedureOf<Operation extends AnyOperation>(operation: Operation): ProcedureOf<Operation> {
  const procedure = withStatus
    .meta(metaOf(operation))
    .use(async ({ ctx, next }) => next({ ctx: { caller: await admit(ctx.exchange, operation.scope) } }))
    .input((raw: unknown) => raw);
  const reads = operation.method === 'GET';
  const resolve = ({ ctx, input, path, batchIndex = 0 }: Options) => {
    const call = async () => {
      // Many batches may run at the same time, so other requests get a turn of the event loop before each call.
      await turns.next();
      const key = reads ? null : keyOfCall(ctx, batchIndex);
      return key === null
        ? performFields(operation, ctx.exchange, ctx.caller, input)
        : performKeyed(operation, ctx, { key, fingerprint: fingerprintOfFields(['trpc', path], input) }, input);
    };
    if (changes(operation)) return ctx.budget ? ctx.budget.write(call) : call();
    return ctx.budget ? ctx.budget.read(call) : readAlone(ctx.exchange, call);
  };
  const built = reads ? procedure.query(resolve) : procedure.mutation(resolve);
  // The procedure's types are derived from the operation's schemas, which `perform` enforces.
  return built as unknown as ProcedureOf<Operation>;
}

function metaOf(operation: AnyOperation): ProcedureMeta {
  const { method, path, summary, description, tag } = operation;
  const operationId = operationIdOf(nameOf(operation));
  return { openapi: { method, path, summary, description, tags: [tag], operationId }, operation };
}

interface Options {
  readonly ctx: TrpcContext & { readonly caller: Caller };
  readonly input: unknown;
  readonly path: string;
  readonly batchIndex?: number;
}

/**
 * Returns the key of a call. The calls of a batch share the request's key, so a space and the call's index are added to
 * it. A client's key can't contain a space.
 */
function keyOfCall({ exchange, budget }: TrpcContext, index: number): string | null {
  const key = keyOf(exchange.facts.request);
  return key === null || budget === null ? key : `${key} ${index}`;
}

async function performKeyed(
  operation: AnyOperation,
  ctx: Options['ctx'],
  keyed: Keyed,
  input: unknown,
): Promise<unknown> {
  const { exchange, caller } = ctx;
  const answerOf = (shown: unknown) => ({ status: operation.status, body: JSON.stringify(shown) });
  // Only calls that create a resource store their answers in the transaction of the change, so the version is the
  // first.
  const made = operation.versioned ? readVersion(null) : null;
  const work = async (complete: Complete) =>
    answerOf(
      await performFields(operation, exchange, caller, input, (shown) => complete(answerOf(withVersion(shown, made)))),
    );
  const { body } = await answerKeyed(exchange, caller, keyed, work, withheldBy(operation, exchange.service));
  return JSON.parse(body);
}

async function readAlone({ reply }: Exchange, call: () => Promise<unknown>): Promise<unknown> {
  const answer = await call();
  reply.hold(await bytesOf(answer));
  return answer;
}

type ProceduresOf<Operations> = {
  [Name in keyof Operations]: Operations[Name] extends AnyOperation ? ProcedureOf<Operations[Name]> : never;
};

function proceduresOf<Operations extends Readonly<Record<string, AnyOperation>>>(
  operations: Operations,
): ProceduresOf<Operations> {
  const entries = Object.entries(operations).map(([name, operation]) => [name, procedureOf(operation)]);
  return Object.fromEntries(entries);
}

const events = {
  subscribe: withStatus
    .use(async ({ ctx, next }) => next({ ctx: { caller: await admit(ctx.exchange, null) } }))
    // The input is checked once the workspace has been found.
    .input((raw: unknown) => raw as Subscription)
    .subscription(({ ctx, input, signal }) => subscribe(ctx.exchange, ctx.caller, input, signal)),
};

const {
  folders,
  media,
  trash,
  links,
  profiles,
  posts,
  analytics,
  calendars,
  networks,
  readiness,
  webhooks,
  people,
  sessions,
  me,
  workspaces,
} = operations;

/** Every operation for tokens that have access to workspaces, by its name in tRPC clients. */
const procedures = {
  folders: proceduresOf(folders),
  media: proceduresOf(media),
  trash: proceduresOf(trash),
  links: proceduresOf(links),
  profiles: proceduresOf(profiles),
  posts: proceduresOf(posts),
  analytics: proceduresOf(analytics),
  calendars: proceduresOf(calendars),
  events,
  networks: proceduresOf(networks),
  readiness: proceduresOf(readiness),
  webhooks: proceduresOf(webhooks),
  people: proceduresOf(people),
  sessions: proceduresOf(sessions),
  me: proceduresOf(me),
  workspaces: proceduresOf(workspaces),
} satisfies TRPCRouterRecord;

const appRouter = t.router(procedures);

export type AppRouter = typeof appRouter;

/** The operations of operators, which the types of other clients don't include. */
const operatorProcedures = {
  workspaces: proceduresOf(operatorOperations.workspaces),
  tokens: proceduresOf(operatorOperations.tokens),
  audit: proceduresOf(operatorOperations.audit),
  jobs: proceduresOf(operatorOperations.jobs),
} satisfies TRPCRouterRecord;

const operatorRouter = t.router(operatorProcedures);

export type OperatorRouter = typeof operatorRouter;

export const servedRouter = t.router({
  ...procedures,
  ...operatorProcedures,
  workspaces: { ...procedures.workspaces, ...operatorProcedures.workspaces },
});
