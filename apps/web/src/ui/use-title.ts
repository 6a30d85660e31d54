import { useEffect } from 'react';

/** Names the tab. The title that the page came with stays for whoever reads it without scripts. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Postshelf`;
  }, [title]);
}
