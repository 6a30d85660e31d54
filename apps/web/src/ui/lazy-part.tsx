import { type ComponentType, type JSX, use } from 'react';
import { loadOnDemand } from './load-on-demand.ts';

interface LazyPart<Props> {
  (props: Props): JSX.Element;
  /** Called by the router when a page is about to be opened, and by {@link preloadParts}. */
  preload(): Promise<void>;
}

const parts: { preload(): Promise<void> }[] = [];

/**
 * Creates a page, or a part of one, whose code is loaded on demand. The router's own lazy pages reload the document if
 * loading fails. Without a network, that would leave the page empty and abort uploads.
 */
export function lazyPart<Props extends object>(load: () => Promise<ComponentType<Props>>): LazyPart<Props> {
  const code = loadOnDemand(load);
  const Part = (props: Props): JSX.Element => {
    const Loaded = code.loaded ?? use(code.load());
    return <Loaded {...props} />;
  };
  const preload = async (): Promise<void> => {
    await code.load();
  };
  const part = Object.assign(Part, { preload });
  parts.push(part);
  return part;
}

/** Preloads the code of all parts, so that they can be opened later without a network, or after an upgrade. */
export function preloadParts(): void {
  // A failure is ignored here: opening the part loads its code again, and shows an error if that fails too.
  for (const { preload } of parts) preload().catch(() => {});
}
