/** The fragment of a sign-in link. */
const LINK = /^#code=([\w-]+)$/;

let code: string | null = null;
const listeners = new Set<() => void>();

/** Takes the code out of the address at once, so that it isn't kept in the history, or used again by a reload. */
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

/** Has to be called when the code was used or declined, as it is valid only once. */
export const forgetLinkCode = (): void => change(null);

takeFromAddress();
// If the page is already open, a link that differs only in its fragment doesn't load it again.
addEventListener('hashchange', takeFromAddress);
