/**
 * Reads a text parameter of the URL. Returns an object to spread: `{[name]: text}`, or `{}` if the parameter is absent,
 * empty or not a text. A number counts as text.
 */
export function readText<Name extends string>(
  search: Readonly<Record<string, unknown>>,
  name: Name,
): { readonly [key in Name]?: string } {
  const value = search[name];
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && text !== '' ? ({ [name]: text } as { [key in Name]: string }) : {};
}
