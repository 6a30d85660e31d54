import { type ComponentType, use } from 'react';

interface LazyPage {
  (): React.JSX.Element;
  /** By the router, when somebody is about to go there, and by {@link preloadPages}. */
  preload(): Promise<void>;
}

const pages: LazyPage[] = [];

/**
 * A page that is loaded when it is needed. What the router itself has for this reloads the whole document where a file isn't to be
 * had: without a network that would leave nothing, and end uploads.
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

/** Gets the other pages while there is time, so that they are there when the network, or this version of them, is not. */
export function preloadPages(): void {
  // One that doesn't come now is asked for again by whoever goes there, and says so then.
  for (const page of pages) page.preload().catch(() => {});
}
