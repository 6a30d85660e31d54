import { useEffect } from 'react';

/** Sets the title of the tab; null leaves it to another component. */
export function useTitle(title: string | null): void {
  useEffect(() => {
    if (title !== null) document.title = `${title} · Postshelf`;
  }, [title]);
}
