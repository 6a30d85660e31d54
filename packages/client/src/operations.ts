import type { AppRouter } from '@postshelf/api';
import type { AnyTRPCProcedure, inferProcedureInput, inferProcedureOutput } from '@trpc/server';

type Resources = AppRouter['_def']['record'];

// Inferred from the router. The published declarations hold what was inferred, and not the router (`build.mjs`).

/** Every operation of the service, by resource and verb: what goes in and what comes out. */
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
