/**
 * The service's root, as the browser reached it: with the path of a proxy, where one adds a path. The files of the built
 * page are in a folder below it.
 */
export const root = new URL(import.meta.env.DEV ? '/' : '../', import.meta.url);

// Addresses in the page are relative to where it was opened, and a browser asks for the icon anew behind each step.
for (const link of document.querySelectorAll<HTMLLinkElement>('link[rel=icon]')) link.setAttribute('href', link.href);
