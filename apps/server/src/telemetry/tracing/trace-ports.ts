import type { Resources } from '@postshelf/application';

/**
 * Begins a span.
 *
 * @returns a function that ends the span, and takes the error if the work failed; null outside of any trace
 */
export type BeginSpan = (name: string) => ((error?: unknown) => void) | null;

/** The ports whose calls are traced. Calls of the clock, ids and signatures take too little time for a span. */
const TRACED = [
  'library',
  'workspaces',
  'tokens',
  'folders',
  'media',
  'processing',
  'jobs',
  'presign',
  'storage',
  'trash',
  'marker',
  'objectChecks',
  'presignStorage',
  'resumable',
  'resumableStorage',
  'remoteFiles',
  'inspector',
  'covers',
  'previewMaker',
  'previewStorage',
] as const satisfies readonly (keyof Resources)[];

/** Returns the same ports, with a span (`media.find`) around each call that returns a promise. */
export function tracePorts(ports: Resources, begin: BeginSpan): Resources {
  const traced = TRACED.map((name) => [name, tracePort(name, ports[name], begin)] as const);
  return { ...ports, ...Object.fromEntries(traced) };
}

function tracePort<T extends object>(name: string, port: T, begin: BeginSpan): T {
  return new Proxy(port, {
    get(target, key) {
      const member: unknown = Reflect.get(target, key);
      if (typeof member !== 'function') return member;
      return (...given: unknown[]): unknown => {
        const end = begin(`${name}.${String(key)}`);
        const result: unknown = Reflect.apply(member, target, given);
        if (end) endWith(result, end);
        return result;
      };
    },
  });
}

/** Ends a span when the promise settles, or immediately if the result isn't a promise. */
function endWith(result: unknown, end: (error?: unknown) => void): void {
  if (result instanceof Promise) result.then(() => end(), end);
  else end();
}
