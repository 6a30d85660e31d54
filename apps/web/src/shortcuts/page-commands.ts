import { useStableCallback } from '@postshelf/browser/ui/use-stable-callback.ts';
import { useEffect } from 'react';

const commands = new Map<string, () => void>();

/** Returns the shown page's actions by name. */
export const pageCommands = (): ReadonlyMap<string, () => void> => commands;

/** Adds an action to the commands while the component is mounted. */
export function usePageCommand(name: string, run: () => void): void {
  const stable = useStableCallback(run);
  useEffect(() => {
    commands.set(name, stable);
    return () => void commands.delete(name);
  }, [name, stable]);
}
