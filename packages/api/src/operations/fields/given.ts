/** An object without the fields that are undefined: absent, where the types tell absent from undefined. */
export type Given<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

export function given<T extends object>(fields: T): Given<T> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Given<T>;
}
