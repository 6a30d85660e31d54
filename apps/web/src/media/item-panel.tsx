import { lazy, Suspense } from 'react';

// Whoever only looks at the library doesn't load it.
const Item = lazy(async () => ({ default: (await import('./item/item.tsx')).Item }));

/** The item that is open above the library: beside it where there is room, else in front of it. */
export const ItemPanel = ({ id }: { readonly id: string }) => (
  <Suspense fallback={null}>
    <Item id={id} />
  </Suspense>
);
