import type { AppRouter } from '@postshelf/api';
import type { TRPCClient } from '@trpc/client';
import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server';

type Inputs = inferRouterInputs<AppRouter>;
type Outputs = inferRouterOutputs<AppRouter>;
type Calls = TRPCClient<AppRouter>;

// `build.mjs` writes the inferred types, without the router, to the published declarations.

/** The input and output of every operation of the service, by resource and verb. Events are `client.events`. */
export type Operations = {
  [Resource in Exclude<keyof Inputs, 'events'>]: {
    [Verb in keyof Inputs[Resource]]: {
      type: Calls[Resource] extends { [verb in Verb]: { query: unknown } } ? 'query' : 'mutation';
      input: Inputs[Resource][Verb];
      output: Verb extends keyof Outputs[Resource] ? Outputs[Resource][Verb] : never;
    };
  };
};
