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

// `build.mjs` writes the inferred types, without the router, to the published declarations.

/** The input and output of every operation of the service, by resource and verb. Events are `client.events`. */
export type Operations = OperationsOf<AppRouter>;

/** The same, for operators. */
export type OperatorOperations = OperationsOf<OperatorRouter>;
