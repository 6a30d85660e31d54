import { useStableCallback } from '@postshelf/browser/ui/use-stable-callback.ts';
import { useEffect } from 'react';

const commands = new Map<string, () => void>();

/** Actions of the page that is shown, by their names. */
export const pageCommands = (): ReadonlyMap<string, () => void> => commands;

/** Offers an action among the commands while the component is mounted. */
export function usePageCommand(name: string, run: () => void): void {
  const stable = useStableCallback(run);
  useEffect(() => {
    commands.set(name, stable);
    return () => void commands.delete(name);
  }, [name, stable]);
}
