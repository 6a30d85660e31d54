import type { AppRouter, OperatorRouter } from '@postshelf/api';
import type { TRPCClient } from '@trpc/client';
import type { AnyRouter, inferRouterInputs, inferRouterOutputs } from '@trpc/server';

type OperationsOf<
  Router extends AnyRouter,
  Inputs = inferRouterInputs<Router>,
  Outputs = inferRouterOutputs<Router>,
  Calls = TRPCClient<Router>,
> = {
  [Resource in Exclude<keyof Inputs, 'events'>]: {
    [Verb in keyof Inputs[Resource]]: {
      type: Resource extends keyof Calls
        ? Calls[Resource] extends { [verb in Verb]: { query: unknown } }
          ? 'query'
          : 'mutation'
        : never;
      input: Inputs[Resource][Verb];
      output: Resource extends keyof Outputs
        ? Verb extends keyof Outputs[Resource]
          ? Outputs[Resource][Verb]
          : never
        : never;
    };
  };
};

// The published declarations don't contain the router: `build.mjs` replaces it with the types that are inferred from it
// here.

/** The input and output of every operation of the service, by resource and verb. For events, see `client.events`. */
export type Operations = OperationsOf<AppRouter>;

/** The input and output of every operation for operators. */
export type OperatorOperations = OperationsOf<OperatorRouter>;
