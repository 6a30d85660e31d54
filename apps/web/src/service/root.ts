/**
 * The service's root as the browser reaches it, including the path of a proxy. Derived from this script's address, as
 * the built files are in a folder below the root.
 */
export const root = new URL(import.meta.env.DEV ? '/' : '../', import.meta.url);

// Makes the icon's address absolute: the page's is relative to the address at which it was opened, and browsers resolve
// it again after each navigation.
for (const link of document.querySelectorAll<HTMLLinkElement>('link[rel=icon]')) link.setAttribute('href', link.href);
