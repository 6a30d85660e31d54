/**
 * The service's root as the browser reached it, with the path of a proxy if there is one. The files of the built page
 * are in a folder below it.
 */
export const root = new URL(import.meta.env.DEV ? '/' : '../', import.meta.url);

// Addresses in the page are relative to the address that it was opened at, and browsers look for the icon again after
// each navigation.
for (const link of document.querySelectorAll<HTMLLinkElement>('link[rel=icon]')) link.setAttribute('href', link.href);
