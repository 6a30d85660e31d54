import { type AnyTRPCProcedure, getTRPCErrorFromUnknown, StandardSchemaV1Error, TRPCError } from '@trpc/server';

/** What a procedure is called with, by tRPC's names. */
export interface Call {
  readonly path: string;
  readonly type: AnyTRPCProcedure['_def']['type'];
  readonly ctx: object;
  /** What there is at once is no promise: to wait for it would cost as much as to check it. */
  readonly getRawInput: () => unknown;
  /** Whose signal procedures may ask for: one that nobody asks for isn't made. */
  readonly request: { readonly signal: AbortSignal };
}

type Result = { readonly ok: true; readonly data: unknown } | { readonly ok: false; readonly error: TRPCError };

/** What a middleware says of the steps behind it; what it doesn't, stays. */
interface Next {
  readonly ctx?: object;
  readonly input?: unknown;
  readonly getRawInput?: Call['getRawInput'];
}

type Middleware = (options: Options) => Promise<Result>;

/** As of `adding`. */
type Add = (ctx: object, input: unknown) => Promise<object>;

/** The schemas of the pinned valibot, by the interface that tRPC knows them by too (standardschema.dev). */
interface Schema {
  readonly '~standard': { validate(value: unknown): Checked | Promise<Checked> };
}

type Checked =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: ConstructorParameters<typeof StandardSchemaV1Error>[0] };

/** What a procedure does, in its order. The last step is the resolver. */
type Step =
  | { readonly kind: 'adding'; readonly add: Add }
  | { readonly kind: 'middleware'; readonly run: Middleware }
  | { readonly kind: 'input' | 'output'; readonly schema: Schema }
  | { readonly kind: 'resolver'; readonly run: (options: Options) => unknown };

/** What middlewares and resolvers are given. */
class Options {
  readonly batchIndex = 0;
  readonly #getRawInput: Call['getRawInput'];

  constructor(
    private readonly call: Call,
    readonly meta: unknown,
    readonly ctx: object,
    readonly input: unknown,
    getRawInput: Call['getRawInput'],
    readonly next: ((changes?: Next) => Promise<Result>) | null,
  ) {
    this.#getRawInput = getRawInput;
  }

  get getRawInput(): () => Promise<unknown> {
    return async () => this.#getRawInput();
  }

  get path(): string {
    return this.call.path;
  }

  get type(): Call['type'] {
    return this.call.type;
  }

  get signal(): AbortSignal {
    return this.call.request.signal;
  }
}

/**
 * A way to call a procedure: its middlewares, its schemas and its resolver, as tRPC chains them. tRPC's own loop, which
 * makes schemas and resolver middlewares too and copies the options property by property at each, costs more than
 * everything else about a small request.
 *
 * @param without a middleware that is left out
 * @throws Error when the procedure isn't built as those of the pinned tRPC are
 */
export function callerOf(
  procedure: AnyTRPCProcedure,
  without?: { readonly _middlewares: readonly unknown[] },
): (call: Call) => Promise<unknown> {
  const { meta } = procedure._def as { meta?: unknown };
  const steps = stepsOf(procedure, without?._middlewares ?? []);
  return (call) => run(steps, 0, call, meta, call.ctx, undefined, call.getRawInput);
}

/** What tRPC has built of a procedure: its middlewares tell their kind, and hide the schema or resolver that they are of. */
interface Built {
  readonly middlewares: readonly (Middleware & { readonly _type?: unknown; readonly add?: Add })[];
  readonly inputs: readonly Schema[];
  readonly output?: Schema;
  readonly resolver: (options: Options) => unknown;
}

function stepsOf(procedure: AnyTRPCProcedure, without: readonly unknown[]): readonly Step[] {
  const built = procedure._def as unknown as Built;
  if (!isBuilt(built)) throw new Error('The procedures of this tRPC have no chain of middlewares.');
  const { middlewares, output, resolver } = built;
  const inputs = built.inputs.values();
  const steps = middlewares.slice(0, -1).flatMap((middleware): Step[] => {
    if (without.includes(middleware)) return [];
    const { _type: kind, add } = middleware;
    if (add) return [{ kind: 'adding', add }];
    if (kind === undefined) return [{ kind: 'middleware', run: middleware }];
    const schema = kind === 'input' ? inputs.next().value : kind === 'output' ? output : undefined;
    if (!schema) throw new Error(`The procedures of this tRPC have a step unheard of: ${kind}.`);
    return [{ kind: kind === 'input' ? 'input' : 'output', schema }];
  });
  return [...steps, { kind: 'resolver', run: resolver }];
}

const isBuilt = ({ middlewares, inputs, resolver }: Partial<Built>): boolean =>
  Array.isArray(middlewares) && middlewares.length > 0 && Array.isArray(inputs) && typeof resolver === 'function';

/** Takes the steps from one on. @throws TRPCError */
async function run(
  steps: readonly Step[],
  first: number,
  call: Call,
  meta: unknown,
  known: object,
  given: unknown,
  getRawInput: Call['getRawInput'],
): Promise<unknown> {
  let ctx = known;
  let input = given;
  let output: Schema | null = null;
  try {
    for (let index = first; ; index += 1) {
      const step = steps[index];
      switch (step?.kind) {
        case 'input': {
          const raw = getRawInput();
          input = merge(input, parseInput(step.schema, raw instanceof Promise ? await raw : raw));
          break;
        }
        case 'output':
          output = step.schema;
          break;
        case 'adding':
          ctx = { ...ctx, ...(await step.add(ctx, input)) };
          break;
        case 'middleware': {
          const next = (changes?: Next): Promise<Result> => {
            const changed = changes?.ctx ? { ...ctx, ...changes.ctx } : ctx;
            const passed = changes && 'input' in changes ? changes.input : input;
            return outcomeOf(run(steps, index + 1, call, meta, changed, passed, changes?.getRawInput ?? getRawInput));
          };
          const result = await step.run(new Options(call, meta, ctx, input, getRawInput, next));
          if (!result.ok) throw result.error;
          return output ? parseOutput(output, result.data) : result.data;
        }
        case 'resolver': {
          const data = await step.run(new Options(call, meta, ctx, input, getRawInput, null));
          return output ? parseOutput(output, data) : data;
        }
        default:
          throw new Error('The last step of a procedure asked for another one.');
      }
    }
  } catch (cause) {
    throw getTRPCErrorFromUnknown(cause);
  }
}

/** To the steps around it a failure is a result, as they may look at it. */
async function outcomeOf(running: Promise<unknown>): Promise<Result> {
  try {
    return { ok: true, data: await running };
  } catch (cause) {
    return { ok: false, error: getTRPCErrorFromUnknown(cause) };
  }
}

/** A procedure's inputs add up, where they are objects. */
const merge = (before: unknown, added: unknown): unknown =>
  isObject(before) && isObject(added) ? { ...before, ...added } : added;

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function parseInput(schema: Schema, value: unknown): unknown {
  const checked = check(schema, value);
  if (!checked.issues) return checked.value;
  throw new TRPCError({ code: 'BAD_REQUEST', cause: new StandardSchemaV1Error(checked.issues) });
}

function parseOutput(schema: Schema, value: unknown): unknown {
  const checked = check(schema, value);
  if (!checked.issues) return checked.value;
  const cause = new StandardSchemaV1Error(checked.issues);
  throw new TRPCError({ message: 'Output validation failed', code: 'INTERNAL_SERVER_ERROR', cause });
}

/** None of our schemas waits for anything, and to await what is there costs as much as to check a small input. */
function check(schema: Schema, value: unknown): Checked {
  const checked = schema['~standard'].validate(value);
  if (checked instanceof Promise) throw new Error('A schema of an operation must not be asynchronous.');
  return checked;
}
