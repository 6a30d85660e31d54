import type { RowSource } from '@postshelf/browser/ui/row-collection.ts';
import type { Operations } from '@postshelf/client';

export type Folder = Operations['folders']['list']['output']['data'][number];

/** The key of the row above all folders, which shows all media. */
export const ALL = 'all';

/** Maximum number of folder levels, as in the service. */
export const MAX_LEVELS = 16;

export const TOO_DEEP = `Folders can be nested at most ${MAX_LEVELS} levels deep.`;

/** A row of the tree: a folder, or null for all media. */
export interface FolderRow {
  readonly folder: Folder | null;
  /** The level, counted from 1. */
  readonly level: number;
  readonly place: number;
  readonly siblings: number;
  /** Absent if the folder has no subfolders. */
  readonly isExpanded?: boolean;
}

const byName = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

export const sortFolders = (folders: readonly Folder[]): Folder[] =>
  [...folders].sort((one, other) => byName.compare(one.name, other.name));

/** The rows of the tree from top to bottom. The subfolders of an expanded folder follow it. */
export class FolderRows implements RowSource<FolderRow> {
  private readonly rows: FolderRow[] = [];
  private readonly places = new Map<string, number>();

  /**
   * @param children returns a folder's subfolders (null: the root's), sorted by name; undefined until the subfolders
   *   are read
   * @param allName the name of the row above the folders
   */
  constructor(
    children: (parent: string | null) => readonly Folder[] | undefined,
    private readonly expanded: ReadonlySet<string>,
    private readonly allName = 'All media',
  ) {
    const top = children(null) ?? [];
    this.add({ folder: null, level: 1, place: 1, siblings: top.length + 1 });
    this.addAll(top, children, 1, 1);
  }

  get size(): number {
    return this.rows.length;
  }

  keyAt(index: number): string {
    return this.rows[index]?.folder?.id ?? ALL;
  }

  indexOf(key: unknown): number {
    return this.places.get(String(key)) ?? -1;
  }

  valueAt(index: number): FolderRow | null {
    return this.rows[index] ?? null;
  }

  nameAt(index: number): string {
    return this.rows[index]?.folder?.name ?? this.allName;
  }

  private addAll(
    folders: readonly Folder[],
    children: (parent: string | null) => readonly Folder[] | undefined,
    level: number,
    before: number,
  ): void {
    folders.forEach((folder, at) => {
      // A moved folder may be in two lists that were read at different times, but gets only one row.
      if (this.places.has(folder.id)) return;
      const hasFolders = (folder.counts?.folders ?? 0) > 0;
      const isExpanded = this.expanded.has(folder.id);
      this.add({
        folder,
        level,
        place: before + at + 1,
        siblings: before + folders.length,
        ...(hasFolders && { isExpanded }),
      });
      if (hasFolders && isExpanded) this.addAll(children(folder.id) ?? [], children, level + 1, 0);
    });
  }

  private add(row: FolderRow): void {
    this.places.set(row.folder?.id ?? ALL, this.rows.length);
    this.rows.push(row);
  }
}
