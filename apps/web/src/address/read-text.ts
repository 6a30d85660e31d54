/**
 * A parameter of the address as an object to spread: empty where it is absent, empty or no text. Numbers count as text.
 */
export function readText<Name extends string>(
  search: Readonly<Record<string, unknown>>,
  name: Name,
): { readonly [key in Name]?: string } {
  const value = search[name];
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && text !== '' ? ({ [name]: text } as { [key in Name]: string }) : {};
}
