/** What a link that signs in has behind its address. */
const LINK = /^#code=([\w-]+)$/;

let code: string | null = null;
const listeners = new Set<() => void>();

/** Takes the code out of the address at once: it stays in no history, and a reload doesn't bring it back. */
function takeFromAddress(): void {
  const [, found] = LINK.exec(location.hash) ?? [];
  if (found === undefined) return;
  history.replaceState(history.state, '', location.pathname + location.search);
  change(found);
}

function change(next: string | null): void {
  code = next;
  for (const listener of listeners) listener();
}

/** For `useSyncExternalStore`. */
export const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const linkCode = (): string | null => code;

/** The code is good once: whoever uses it, or declines to, takes it away. */
export const forgetLinkCode = (): void => change(null);

takeFromAddress();
// Where a page is open, the browser goes to a link that differs in its end alone without loading anything.
addEventListener('hashchange', takeFromAddress);
