import { useNavigate } from '@tanstack/react-router';
import { useAllFolders } from '../../folders/use-folders.ts';
import { pageCommands } from '../../shortcuts/page-commands.ts';
import { useWorkspace } from '../../workspaces/use-workspace.ts';
import { usePages } from '../navigation.tsx';

export interface Command {
  readonly key: string;
  readonly name: string;
  /** The kind that is shown next to the name: "Page", "Folder" or "Action". */
  readonly kind: string;
  run(): void;
}

/** Maximum number of listed commands. */
const MAX_LISTED = 50;

const fold = (text: string): string => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();

/**
 * Returns the commands whose names match the typed text. Those whose names begin with it come first.
 *
 * @param typed the typed text
 */
export function useCommands(typed: string, more: readonly Command[]): readonly Command[] {
  const { id: workspace } = useWorkspace();
  const navigate = useNavigate();
  const wanted = typed.trim();
  const folders = useAllFolders();
  const pages = usePages();
  const all: Command[] = [
    ...pages.map(({ to, label }) => ({
      key: to,
      name: label,
      kind: 'Page',
      run: () => void navigate({ to, search: { workspace } }),
    })),
    ...Array.from(pageCommands(), ([name, run]) => ({ key: name, name, kind: 'Action', run })),
    ...more,
    ...folders.map(({ id, name }) => ({
      key: id,
      name,
      kind: 'Folder',
      run: () => void navigate({ to: '/folders/$folder', params: { folder: id }, search: { workspace } }),
    })),
  ];
  const found = all
    .filter(({ name }) => fold(name).includes(fold(wanted)))
    .sort(
      (one, other) =>
        Number(fold(other.name).startsWith(fold(wanted))) - Number(fold(one.name).startsWith(fold(wanted))),
    );
  if (wanted === '') return found.slice(0, MAX_LISTED);
  const search: Command = {
    key: 'search',
    name: `Search media for “${wanted}”`,
    kind: 'Search',
    run: () => void navigate({ to: '/', search: { workspace, search: wanted } }),
  };
  return [...found.slice(0, MAX_LISTED), search];
}
