/**
 * Reads a text parameter of the URL as an object to spread, which is empty if the parameter is absent, empty or not a
 * text. Numbers count as text.
 */
export function readText<Name extends string>(
  search: Readonly<Record<string, unknown>>,
  name: Name,
): { readonly [key in Name]?: string } {
  const value = search[name];
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && text !== '' ? ({ [name]: text } as { [key in Name]: string }) : {};
}
