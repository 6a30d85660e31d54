import { byName } from '@postshelf/browser/ui/by-name.ts';

interface Named {
  readonly id: string;
  readonly name: string;
}

/** Returns the options of the choice of workspaces, sorted by name. The service returns them in the order of the token. */
export const workspaceOptions = (workspaces: readonly Named[]) =>
  workspaces.map(({ id, name }) => ({ value: id, label: name })).sort((one, other) => byName(one.label, other.label));
