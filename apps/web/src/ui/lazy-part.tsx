import { type ComponentType, type JSX, use } from 'react';
import { loadOnDemand } from './load-on-demand.ts';

interface LazyPart<Props> {
  (props: Props): JSX.Element;
  /** Loads the code before the part is shown. The router calls this when a page is about to be opened. */
  preload(): Promise<void>;
}

/** Creates a part of a page whose code is loaded on demand. */
export function lazyPart<Props extends object>(load: () => Promise<ComponentType<Props>>): LazyPart<Props> {
  const code = loadOnDemand(load);
  const Part = (props: Props): JSX.Element => {
    const Loaded = code.loaded ?? use(code.load());
    return <Loaded {...props} />;
  };
  const preload = async (): Promise<void> => {
    await code.load();
  };
  return Object.assign(Part, { preload });
}

const pages: LazyPart<object>[] = [];

/**
 * Creates a page whose code is loaded on demand. The router's own lazy pages reload the document if loading fails.
 * Without a network, that would leave the page empty and abort uploads.
 */
export function lazyPage(load: () => Promise<ComponentType>): LazyPart<object> {
  const page = lazyPart(load);
  pages.push(page);
  return page;
}

/** Preloads the other pages' code, so that they can be opened later without a network, or after an upgrade. */
export function preloadPages(): void {
  // A failure is ignored here: opening the page loads its code again, and shows an error if that fails too.
  for (const page of pages) page.preload().catch(() => {});
}
