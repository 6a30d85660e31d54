const METHODS: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** A request's method as a label. Unknown ones share one label, as clients could send any number of them. */
export const knownMethod = (method: string, other: string): string => (METHODS.includes(method) ? method : other);
