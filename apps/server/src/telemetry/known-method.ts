const METHODS: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** A request's method for a label; clients can make up any number of others, which all have one name. */
export const knownMethod = (method: string, other: string): string => (METHODS.includes(method) ? method : other);
