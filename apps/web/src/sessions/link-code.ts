/** The fragment of a sign-in link, and of the URL to which a failed provider sign-in returns. */
const LINK = /^#(code|error)=([\w-]+)$/;

let code: string | null = null;
let failure: string | null = null;
const listeners = new Set<() => void>();

/** Removes the fragment from the URL immediately, so that it isn't kept in the history, or used again by a reload. */
function takeFromAddress(): void {
  const [, name, found] = LINK.exec(location.hash) ?? [];
  if (found === undefined) return;
  history.replaceState(history.state, '', location.pathname + location.search);
  change(name === 'code' ? found : null, name === 'error' ? found : null);
}

function change(nextCode: string | null, nextFailure: string | null): void {
  code = nextCode;
  failure = nextFailure;
  for (const listener of listeners) listener();
}

/** The `subscribe` function for `useSyncExternalStore`. */
export const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const linkCode = (): string | null => code;

/** Discards the code. Must be called when the code was used or declined, because it is valid only once. */
export const forgetLinkCode = (): void => change(null, null);

/** Messages for the codes by which the service says why a provider sign-in failed. */
const FAILURES: Readonly<Record<string, string>> = {
  unknown: 'Your account isn’t registered here. Ask a manager for an invitation.',
  unverified: 'Your e-mail address isn’t verified. Verify it with your provider, then sign in again.',
  expired: 'Signing in took too long or was already completed. Try again.',
  denied: 'Your provider didn’t let you in. Try again, or sign in another way.',
};

/** Returns why a provider sign-in failed; null if none did. */
export const signInFailure = (): string | null =>
  failure && (FAILURES[failure] ?? 'Signing in failed. Try again in a few minutes.');

takeFromAddress();
// Following a link that differs only in its fragment doesn't reload the page.
addEventListener('hashchange', takeFromAddress);
