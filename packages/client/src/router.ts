import type { TRPCBuiltRouter, TRPCMutationProcedure, TRPCQueryProcedure } from '@trpc/server';
import type { FieldErrors } from './error.ts';
import type { Operations } from './operations.ts';

interface Definition {
  readonly input: unknown;
  readonly output: unknown;
}

type Types<Operation extends Definition> = {
  input: Operation['input'];
  output: Operation['output'];
  meta: unknown;
};

type Procedure<Operation> = Operation extends Definition & { readonly type: 'query' }
  ? TRPCQueryProcedure<Types<Operation>>
  : Operation extends Definition & { readonly type: 'mutation' }
    ? TRPCMutationProcedure<Types<Operation>>
    : never;

interface RootTypes {
  ctx: object;
  meta: object;
  errorShape: {
    message: string;
    code: number;
    data: { code: string; httpStatus: number; path?: string | undefined; errors?: FieldErrors; version?: number };
  };
  transformer: false;
}

/**
 * The service's router as a type, for tRPC's own tools. It is a separate entry point, because its declarations import
 * tRPC's.
 *
 * `createTRPCClient<PostshelfRouter>({ links: [httpBatchLink({ url: 'https://media.example.com/trpc' })] })`
 */
export type PostshelfRouter = TRPCBuiltRouter<
  RootTypes,
  {
    [Resource in keyof Operations]: {
      [Verb in keyof Operations[Resource]]: Procedure<Operations[Resource][Verb]>;
    };
  }
>;
