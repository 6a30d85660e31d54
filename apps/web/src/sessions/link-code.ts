import { createStore } from '@postshelf/browser/ui/store.ts';

/** The fragment of a sign-in link, and of the URL to which a failed provider sign-in returns. */
const LINK = /^#(code|error)=([\w-]+)$/;

const link = createStore<{ readonly code: string | null; readonly failure: string | null }>({
  code: null,
  failure: null,
});

/** Removes the fragment from the URL immediately, so that it isn't kept in the history, or used again by a reload. */
function takeFromAddress(): void {
  const [, name, found] = LINK.exec(location.hash) ?? [];
  if (found === undefined) return;
  history.replaceState(history.state, '', location.pathname + location.search);
  link.set({ code: name === 'code' ? found : null, failure: name === 'error' ? found : null });
}

export const linkCode = (): string | null => link.get().code;
export const useLinkCode = (): string | null => link.use().code;

/** Discards the code. Must be called when the code was used or declined, because it is valid only once. */
export const forgetLinkCode = (): void => link.set({ code: null, failure: null });

/** The code by which the service says why a provider sign-in failed; null if none did. */
export const useLinkFailure = (): string | null => link.use().failure;

takeFromAddress();
// Following a link that differs only in its fragment doesn't reload the page.
addEventListener('hashchange', takeFromAddress);
