import { type ExpectedVersions, type IdempotencyCompletion, Refusal, requireVersion } from '@postshelf/domain';
import * as v from 'valibot';
import type { Caller } from '../admit.ts';
import type { Exchange } from '../exchange.ts';
import { jsonBytes } from '../reply.ts';
import type { Service } from '../service.ts';
import { recordOperation } from './audit/record.ts';
import { fieldErrorsOf, readFields } from './fields/field-errors.ts';
import { type Completes, completesNothing } from './idempotency/repeatable.ts';
import { type AnyOperation, type Call, changes, type RawInput, takesIfMatch } from './operation.ts';
import { readIfMatchField, readVersion, type Version, versionOf, withVersion } from './versions/versions.ts';

export interface Performed {
  readonly shown: unknown;
  /** The version of the resource; null after a deletion, and if the operation isn't versioned. */
  readonly version: Version | null;
}

interface PerformOptions {
  /** Stores the answer to a request that has a key, in the same transaction as its work. */
  readonly complete?: ((shown: unknown) => IdempotencyCompletion) | undefined;
  readonly expected?: ExpectedVersions;
}

/**
 * Finds the resource, checks the fields, runs the operation, and checks its answer. Memory for the answer of a change
 * is reserved before the change is made. REST, tRPC, tools and commands all call this, so the order of refusals is the
 * same: 401, 403, 404, 412, 422.
 *
 * @param raw the ids of the path and all other fields, as received
 * @throws Refusal
 */
export async function perform(
  operation: AnyOperation,
  { service, facts, reply, record }: Pick<Exchange, 'service' | 'facts' | 'reply' | 'record'>,
  caller: Caller,
  raw: unknown,
  { complete, expected = null }: PerformOptions = {},
): Promise<Performed> {
  const within = await findWithin(operation, service, caller, raw);
  if (expected !== null) requireVersion(versionOf(within), expected);
  const found = { service, facts, caller, reply, within };
  const input = operation.input && (await readInput(operation, operation.input, found, raw));
  // Once the change is made, its answer can't be refused, so memory for it is reserved now. The answer contains the
  // resource and the input; everything else in it is small.
  if (changes(operation) && operation.status !== 204) reply.hold(jsonBytes([within, input]));
  const completes: Completes = complete
    ? (show) => (result) => complete(checkAnswer(operation, show(result)))
    : completesNothing;
  const result = await operation.run({ ...found, input, completes, expected }).catch((error: unknown) => {
    // When the client disconnects, work in several steps may be partly done, so it is recorded.
    if (facts.signal.aborted) recordOperation(operation, { service, facts }, caller, within, undefined);
    throw error;
  });
  const shown = checkAnswer(operation, result);
  recordOperation(operation, { service, facts }, caller, within, shown);
  if (operation.method === 'POST') record.accepted.push(...processingIn(shown));
  return { shown, version: operation.versioned && shown !== null ? readVersion(result) : null };
}

/**
 * Does the same as {@link perform} for faces without headers: the expected version is the field `if_match`, and the
 * answer contains the version.
 */
export async function performFields(
  operation: AnyOperation,
  exchange: Pick<Exchange, 'service' | 'facts' | 'reply' | 'record'>,
  caller: Caller,
  raw: unknown,
  complete?: PerformOptions['complete'],
): Promise<unknown> {
  const expected = takesIfMatch(operation) ? readIfMatchField(raw) : null;
  const { shown, version } = await perform(operation, exchange, caller, raw, { complete, expected });
  return withVersion(shown, version);
}

function processingIn(shown: unknown): readonly string[] {
  const data = (shown as { readonly data?: unknown } | null)?.data;
  const items: readonly { readonly id?: unknown; readonly status?: unknown }[] = Array.isArray(data) ? data : [];
  return items.flatMap(({ id, status }) => (status === 'processing' && typeof id === 'string' ? [id] : []));
}

/** Checks the answer. @throws Error if it doesn't match the operation's schema */
function checkAnswer(operation: AnyOperation, result: unknown): unknown {
  const shown = v.safeParse(operation.output, result);
  if (shown.success) return shown.output;
  throw new Error(`The answer of ${operation.method} ${operation.path} does not fit its schema.`, {
    cause: fieldErrorsOf(shown.issues),
  });
}

/**
 * Finds the operation's resource. The function isn't async, because the cost of one more promise is measurable in small
 * reads.
 */
function findWithin(
  { within }: AnyOperation,
  { ports }: Pick<Service, 'ports'>,
  caller: Caller,
  raw: unknown,
): Promise<unknown> | undefined {
  if (!within) return undefined;
  return within.find(ports, caller, readFields(within.schema, raw)[within.param] ?? '');
}

async function readInput(
  operation: AnyOperation,
  schema: v.GenericSchema,
  found: Omit<Call<unknown, unknown>, 'input' | 'completes' | 'expected'>,
  raw: unknown,
): Promise<unknown> {
  const read = v.safeParse(schema, raw);
  if (read.success) return read.output;
  const more = isObject(raw) ? await operation.checkAlso?.(found, withoutRefused(raw, read.issues)) : {};
  const isQuery = operation.method === 'GET' || operation.method === 'DELETE';
  throw new Refusal({ code: 'invalid', errors: { ...more, ...fieldErrorsOf(read.issues, isQuery) } });
}

/**
 * Omits fields that the schema has refused, because such values must not be sent to a database. Lists with a refused
 * item are kept.
 */
function withoutRefused(raw: RawInput, issues: readonly v.BaseIssue<unknown>[]): RawInput {
  const refused = new Set(issues.filter(({ path }) => path?.length === 1).map(({ path }) => path?.[0]?.key));
  return Object.fromEntries(Object.entries(raw).filter(([name]) => !refused.has(name)));
}

const isObject = (value: unknown): value is RawInput => typeof value === 'object' && value !== null;
