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

/**
 * Turns a function that reads a page's search parameters into the validator of the page's route. The router adds what a
 * validator returns to the raw parameters of the URL, so this validator removes those that the page didn't accept:
 * otherwise the page would still see an empty or unknown value.
 */
export const readSearch =
  <Search extends object>(read: (search: Readonly<Record<string, unknown>>) => Search) =>
  (search: Record<string, unknown>): Search => ({
    ...Object.fromEntries(Object.keys(search).map((name) => [name, undefined])),
    // The frame around every page reads this parameter.
    ...readText(search, 'workspace'),
    ...read(search),
  });
