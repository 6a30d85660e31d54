import { type Ports, requireWorkspace } from '@postshelf/application';
import type { AccessToken, FieldErrors, Scope } from '@postshelf/domain';
import * as v from 'valibot';
import type { RequestContext } from '../context.ts';
import type { Service } from '../service.ts';
import { pathId } from './fields/values.ts';
import type { Completes } from './repeats/repeatable.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

/** What the OpenAPI document says of an operation beside its schemas. */
export interface Described {
  readonly method: Method;
  /** Below `/v1`, parameters in braces. */
  readonly path: `/${string}`;
  readonly summary: string;
  readonly description: string;
  readonly tag: string;
  /** The scope that the caller's token needs; null where any token will do. */
  readonly scope: Scope | null;
  /** The status of a success; 204 has no body, and 201 becomes 202 while an item in the answer is `processing`. */
  readonly status: 200 | 201 | 202 | 204;
  /** Goes beyond the interface as given. */
  readonly extension: boolean;
  /** Changes nothing although it has a body, so that it may still be refused after it has run. */
  readonly onlyReads?: boolean;
  /** Fields that REST takes from the query although there is a body. */
  readonly inQuery?: readonly string[];
  /** Descriptions of statuses, where the document's usual one doesn't fit or it wouldn't list the status. */
  readonly statuses?: Readonly<Record<number, string>>;
}

/** The resource that a path names: the one that an operation is about, or the one that it takes place in. */
export interface Within<Param extends string, Resource> {
  /** The parameter of the path. */
  readonly param: Param;
  readonly schema: v.GenericSchema<Readonly<Record<Param, string>>>;
  /** @throws Refusal `not_found` for what the token may not see, too */
  find(ports: Ports, token: AccessToken, id: string): Promise<Resource>;
}

export const within = <Param extends string, Resource>(
  param: Param,
  find: Within<Param, Resource>['find'],
): Within<Param, Resource> => ({
  param,
  schema: v.object({ [param]: pathId }) as unknown as Within<Param, Resource>['schema'],
  find,
});

/** Below `/workspaces/{workspace}`. */
export const inWorkspace = within('workspace', requireWorkspace);

/** What an operation works with. */
export interface Call<Resource, Input> {
  readonly context: RequestContext;
  readonly service: Service;
  readonly token: AccessToken;
  /** What the path names. */
  readonly within: Resource;
  readonly input: Input;
  /** For work that must not be done twice: keeps the answer in its transaction (`repeatable.ts`). */
  readonly completes: Completes;
}

/** Input that has no fields. */
type NoInput = v.GenericSchema<unknown, undefined>;

/** One operation, as plain data. The faces (REST, tRPC, the OpenAPI document) are derived from it. */
export interface Operation<
  M extends Method,
  Output extends v.GenericSchema,
  Param extends string,
  Resource,
  Input extends v.GenericSchema,
> extends Described {
  readonly method: M;
  readonly within?: Within<Param, Resource>;
  /** The fields beside those of the path. */
  readonly input?: Input;
  readonly output: Output;
  /**
   * Errors in fields that only the database can find: called when `input` refuses, so that all failing fields are reported
   * at once.
   *
   * @param raw as it came
   */
  checkAlso?(call: Omit<Call<Resource, unknown>, 'input' | 'completes'>, raw: RawInput): Promise<FieldErrors>;
  /** @throws Refusal */
  run(call: Call<Resource, v.InferOutput<Input>>): Promise<v.InferInput<Output>>;
}

/** Fields that weren't checked yet. */
export type RawInput = Readonly<Record<string, unknown>>;

export type AnyOperation = Operation<Method, v.GenericSchema, string, unknown, v.GenericSchema>;

/** What tRPC's callers send: the ids of the path and the other fields, in one object. */
export type InputOf<O extends AnyOperation> = Flat<PathOf<O> & FieldsOf<O>>;

type PathOf<O> = O extends { readonly within?: Within<infer Param, unknown> } ? { [Name in Param]: string } : unknown;
type FieldsOf<O> = O extends { readonly input?: infer Input extends v.GenericSchema } ? v.InferInput<Input> : unknown;
/** One object type, spelled out; the condition keeps the name of this type out of declarations. */
type Flat<T> = T extends object ? { [Key in keyof T]: T[Key] } : never;

/** Checks the parts of an operation against each other. */
export const operation = <
  const M extends Method,
  Output extends v.GenericSchema,
  Param extends string = never,
  Resource = undefined,
  Input extends v.GenericSchema = NoInput,
>(
  definition: Operation<M, Output, Param, Resource, Input>,
): Operation<M, Output, Param, Resource, Input> => definition;
