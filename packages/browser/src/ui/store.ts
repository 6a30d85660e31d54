import { useSyncExternalStore } from 'react';

export interface Store<Value> {
  get(): Value;
  set(next: Value): void;
  /** A hook that returns the value, and renders the component again when the value is replaced. */
  use(): Value;
}

/** Creates a store for a value that several components share. The value is replaced as a whole, never changed. */
export function createStore<Value>(initial: Value): Store<Value> {
  let value = initial;
  const listeners = new Set<() => void>();
  const get = (): Value => value;
  const subscribe = (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  return {
    get,
    set(next) {
      value = next;
      for (const listener of listeners) listener();
    },
    use: () => useSyncExternalStore(subscribe, get),
  };
}
