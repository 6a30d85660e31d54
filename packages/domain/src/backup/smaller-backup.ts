export interface BackupContents {
  /** Number of active items whose objects match their rows. */
  readonly objects: number;
  /** null in a backup by an older release, which didn't record it. */
  readonly workspaces: number | null;
  readonly withMedia: boolean;
}

/**
 * Whether the new backup is so much smaller than the previous one that this is probably unintended: the library may
 * have been lost, or a setting may be wrong.
 */
export function isMuchSmaller(next: BackupContents, before: BackupContents): boolean {
  if (next.workspaces === 0 && (before.workspaces ?? 0) > 0) return true;
  if (next.objects * 2 < before.objects) return true;
  return before.withMedia && before.objects > 0 && !next.withMedia;
}

export function describeContents({ objects, workspaces, withMedia }: BackupContents): string {
  const media = `${objects} ${objects === 1 ? 'object' : 'objects'} (media ${withMedia ? 'included' : 'not included'})`;
  if (workspaces === null) return media;
  return `${workspaces} ${workspaces === 1 ? 'workspace' : 'workspaces'} and ${media}`;
}
