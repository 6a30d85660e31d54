const METHODS: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** A request's method as a label; unknown ones share one name, as clients could make up any number. */
export const knownMethod = (method: string, other: string): string => (METHODS.includes(method) ? method : other);
