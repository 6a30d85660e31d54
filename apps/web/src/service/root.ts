/**
 * The service's root URL as the browser reaches it, including a proxy's path. It is derived from this script's URL,
 * because the built files are in a folder below the root.
 */
export const root = new URL(import.meta.env.DEV ? '/' : '../', import.meta.url);

// Makes the icon's URL absolute. In the page, it is relative to the URL at which the page was opened, but browsers
// would resolve it again after each navigation within the page.
for (const link of document.querySelectorAll<HTMLLinkElement>('link[rel=icon]')) link.setAttribute('href', link.href);
