/** The end of a link that signs in. */
const LINK = /^#code=([\w-]+)$/;

let code: string | null = null;
const listeners = new Set<() => void>();

/** Removes the code from the address at once, so that it stays in no history, and a reload doesn't use it again. */
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

/** The code is good once: it is forgotten when it is used or declined. */
export const forgetLinkCode = (): void => change(null);

takeFromAddress();
// In an open page the browser follows a link that differs only in its end without loading anything.
addEventListener('hashchange', takeFromAddress);
