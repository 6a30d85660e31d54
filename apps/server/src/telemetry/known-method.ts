const METHODS: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Returns the label of a method. Unknown methods share one label, because clients could send any number of them. */
export const knownMethod = (method: string, other: string): string => (METHODS.includes(method) ? method : other);
