import { type ComponentType, use } from 'react';

interface LazyPage {
  (): React.JSX.Element;
  /** Called by the router when the page is about to be opened, and by {@link preloadPages}. */
  preload(): Promise<void>;
}

const pages: LazyPage[] = [];

/**
 * A page that is loaded when it is needed. The router's own lazy pages reload the whole document when a file can't be
 * loaded: without a network that would show nothing, and end uploads.
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

/** Loads the other pages early, so that they are there when the network, or this version of them, is not. */
export function preloadPages(): void {
  // A failed one is loaded again when it is opened, and reports its failure then.
  for (const page of pages) page.preload().catch(() => {});
}
