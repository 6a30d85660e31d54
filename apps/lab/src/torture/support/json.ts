/** Returns the value at a path of keys inside a JSON value; undefined if the path ends early. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let current = value;
  for (const key of path) {
    if (typeof current !== 'object' || current === null) return undefined;
    current = Reflect.get(current, key);
  }
  return current;
}

/**
 * Returns the string at a path, like {@link at}.
 *
 * @throws Error unless the value is a string
 */
export function textAt(value: unknown, ...path: readonly (string | number)[]): string {
  const found = at(value, ...path);
  if (typeof found === 'string') return found;
  throw new Error(`No text at ${path.join('.')} of ${JSON.stringify(value)}`);
}

/**
 * Returns the list at a path, like {@link at}.
 *
 * @throws Error unless the value is a list
 */
export function listAt(value: unknown, ...path: readonly (string | number)[]): readonly unknown[] {
  const found = at(value, ...path);
  if (Array.isArray(found)) return found;
  throw new Error(`No list at ${path.join('.')} of ${JSON.stringify(value)}`);
}
