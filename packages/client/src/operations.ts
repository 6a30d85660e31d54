import type { AppRouter } from '@postshelf/api';
import type { AnyTRPCProcedure, inferProcedureInput, inferProcedureOutput } from '@trpc/server';

type Resources = AppRouter['_def']['record'];

// Inferred from the router. `build.mjs` writes the inferred types, without the router, to the published declarations.

/** The input and output of every operation of the service, by resource and verb. */
export type Operations = {
  [Resource in keyof Resources]: {
    [Verb in keyof Resources[Resource]]: Resources[Resource][Verb] extends AnyTRPCProcedure
      ? {
          type: Resources[Resource][Verb]['_def']['type'];
          input: inferProcedureInput<Resources[Resource][Verb]>;
          output: inferProcedureOutput<Resources[Resource][Verb]>;
        }
      : never;
  };
};
