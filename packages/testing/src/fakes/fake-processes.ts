import type { Processes } from '@postshelf/domain';

/** Processes of which the named ones are known to be dead. */
export const fakeProcesses = (own: string, dead: ReadonlySet<string> = new Set()): Processes => ({
  own,
  isDead: async (name) => dead.has(name),
});
