import { findAnyWorkspace, type Resources, requireWorkspace } from '@postshelf/application';
import type { ExpectedVersions, FieldErrors, Scope } from '@postshelf/domain';
import * as v from 'valibot';
import type { Caller } from '../admit.ts';
import type { Reply } from '../reply.ts';
import type { RequestFacts } from '../request-facts.ts';
import type { Service } from '../service.ts';
import { pathId } from './fields/values.ts';
import type { Completes } from './idempotency/repeatable.ts';
import type { Withheld } from './idempotency/withheld.ts';
import type { WithVersion } from './versions/versions.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

/** Everything that the OpenAPI document contains about an operation, except the schemas. */
export interface Described {
  readonly method: Method;
  readonly path: `/${string}`;
  readonly summary: string;
  readonly description: string;
  readonly tag: string;
  /** The scope that the caller needs; null if the caller needs no particular scope. */
  readonly scope: Scope | null;
  /** The status of a success. 204 and 302 have no body. 201 becomes 202 while an item in the answer is `processing`. */
  readonly status: 200 | 201 | 202 | 204 | 302;
  /** Whether the answer is the same for every caller until the next release. Such an answer has an `ETag`. */
  readonly isConstant?: boolean;
  /**
   * Whether the operation reads or changes one resource that has a version. The answer has the version as its `ETag`,
   * and changes accept `If-Match`.
   */
  readonly versioned?: boolean;
  /** Whether the operation goes beyond the published interface. */
  readonly extension: boolean;
  /**
   * The name of the operation's tool for assistants (docs/mcp.md): `resource_operation`. Default: assistants have no
   * such tool.
   */
  readonly tool?: `${string}_${string}`;
  /** Whether the operation has a body but changes nothing. */
  readonly onlyReads?: boolean;
  /**
   * Whether the answer contains a signature or a secret. A command for the operation then needs the library's secret.
   */
  readonly signs?: true;
  /** Fields that REST reads from the query although the operation has a body. */
  readonly inQuery?: readonly string[];
  /** Descriptions of statuses whose usual description doesn't fit, or that the document wouldn't list otherwise. */
  readonly statuses?: Readonly<Record<number, string>>;
  /** Examples of errors that can't be derived from the fields. */
  readonly examples?: { readonly 413?: string; readonly 422?: FieldErrors };
}

/** The resource that an operation reads or changes, or in which it creates or lists something. */
export interface Within<Param extends string, Resource> {
  readonly param: Param;
  readonly schema: v.GenericSchema<Readonly<Record<Param, string>>>;
  /**
   * Finds the resource.
   *
   * @throws Refusal `not_found` if there is no such resource or the caller may not see it; `missing_scope` if the
   * caller lacks the scope in its workspace
   */
  find(ports: Resources, caller: Caller, id: string): Promise<Resource>;
}

/**
 * Describes the resource of the path.
 *
 * @param id the schema of the id in the path; by default a UUID
 */
export const within = <Param extends string, Resource>(
  param: Param,
  find: Within<Param, Resource>['find'],
  id: v.GenericSchema<string> = pathId,
): Within<Param, Resource> => ({
  param,
  schema: v.object({ [param]: id }) as unknown as Within<Param, Resource>['schema'],
  find,
});

/** Any workspace. Only for operators, whose tokens have access to no workspace. */
export const anyWorkspace = within('workspace', (ports, _, id) => findAnyWorkspace(ports, id));

/** The workspace in paths below `/workspaces/{workspace}`. */
export const inWorkspace = within('workspace', requireWorkspace);

/** The argument of an operation's `run`. */
export interface Call<Resource, Input> {
  readonly service: Service;
  readonly facts: RequestFacts;
  readonly caller: Caller;
  readonly reply: Pick<Reply, 'setCookie'>;
  readonly within: Resource;
  readonly input: Input;
  /** Makes a use case store the answer in the transaction of work that must not be done twice (`repeatable.ts`). */
  readonly completes: Completes;
  /**
   * Versions that `If-Match` allows. They must be compared with the resource's version again in the transaction of the
   * change.
   */
  readonly expected: ExpectedVersions;
}

/** Whether the operation changes something, so that its answer must not be refused afterwards. */
export const changes = ({ method, onlyReads = false }: Described): boolean => method !== 'GET' && !onlyReads;

export const takesIfMatch = ({ method, versioned = false }: Described): boolean =>
  versioned && method !== 'GET' && method !== 'POST';

type NoInput = v.GenericSchema<unknown, undefined>;

/** One operation, as plain data from which REST, tRPC, the OpenAPI document, tools and commands are derived. */
export interface Operation<
  M extends Method,
  Output extends v.GenericSchema,
  Param extends string,
  Resource,
  Input extends v.GenericSchema,
  Versioned extends boolean,
> extends Described {
  readonly method: M;
  readonly versioned?: Versioned;
  readonly within?: Within<Param, Resource>;
  readonly input?: Input;
  readonly output: Output;
  /**
   * Returns errors that only the database can detect. Called only if `input` fails, so that all failing fields are
   * reported together. If `input` succeeds, {@link run} has to find the same errors.
   *
   * @param raw the fields as received, except the fields that `input` has refused
   */
  checkAlso?(
    call: Omit<Call<Resource, unknown>, 'input' | 'completes' | 'expected'>,
    raw: RawInput,
  ): Promise<FieldErrors>;
  run(call: Call<Resource, v.InferOutput<Input>>): Promise<WithVersion<v.InferInput<Output>, M, Versioned>>;
  /** How a secret is removed from the answer before the answer is stored for repeats; absent if there is no secret. */
  readonly withheld?: Withheld<v.InferOutput<Output>>;
}

/** Fields that haven't been checked yet. */
export type RawInput = Readonly<Record<string, unknown>>;

export type AnyOperation = Operation<Method, v.GenericSchema, string, unknown, v.GenericSchema, boolean>;

/** The ids of the path and the other fields, in one object. */
export type InputOf<O extends AnyOperation> = Flat<PathOf<O> & FieldsOf<O> & IfMatchOf<O>>;

type PathOf<O> = O extends { readonly within?: Within<infer Param, unknown> } ? { [Name in Param]: string } : unknown;
type IfMatchOf<O> = O extends { readonly method: 'PATCH' | 'PUT' | 'DELETE'; readonly versioned?: true }
  ? { if_match?: number | undefined }
  : unknown;
type FieldsOf<O> = O extends { readonly input?: infer Input extends v.GenericSchema } ? v.InferInput<Input> : unknown;
/** Flattens a type. The conditional type keeps the name `Flat` out of declarations. */
type Flat<T> = T extends object ? { [Key in keyof T]: T[Key] } : never;

/** Defines an operation. The types make the compiler check that its parts match. */
export const operation = <
  const M extends Method,
  Output extends v.GenericSchema,
  Param extends string = never,
  Resource = undefined,
  Input extends v.GenericSchema = NoInput,
  const Versioned extends boolean = false,
>(
  definition: Operation<M, Output, Param, Resource, Input, Versioned>,
): Operation<M, Output, Param, Resource, Input, Versioned> => definition;
