import { type ComponentType, use } from 'react';

interface LazyPage {
  (): React.JSX.Element;
  /** Called by the router when the page is about to be opened, and by {@link preloadPages}. */
  preload(): Promise<void>;
}

const pages: LazyPage[] = [];

/**
 * Creates a page whose code is loaded on demand. The router's own lazy pages reload the document if loading fails.
 * Without a network, that would leave the page empty and abort uploads.
 */
export function lazyPage(load: () => Promise<ComponentType>): LazyPage {
  let loaded: ComponentType | undefined;
  let loading: Promise<void> | undefined;
  const preload = (): Promise<void> => {
    loading ??= load().then(
      (page) => {
        loaded = page;
      },
      (error: unknown) => {
        loading = undefined;
        throw error;
      },
    );
    return loading;
  };
  const Page: LazyPage = Object.assign(
    () => {
      if (!loaded) use(preload());
      const Loaded = loaded as ComponentType;
      return <Loaded />;
    },
    { preload },
  );
  pages.push(Page);
  return Page;
}

/** Preloads the other pages' code, so that they can be opened later without a network, or after an upgrade. */
export function preloadPages(): void {
  // A failure is ignored here: opening the page loads its code again, and shows an error if that fails too.
  for (const page of pages) page.preload().catch(() => {});
}
