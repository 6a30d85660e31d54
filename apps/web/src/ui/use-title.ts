import { useEffect } from 'react';

/** Names the tab, or with null leaves it to somebody else. The title that the page came with stays for whoever reads it without scripts. */
export function useTitle(title: string | null): void {
  useEffect(() => {
    if (title !== null) document.title = `${title} · Postshelf`;
  }, [title]);
}
