import {
  type BackupContents,
  type BackupDestination,
  BackupError,
  type BackupOutcome,
  describeContents,
  type ExistingBackup,
  isMuchSmaller,
} from '@postshelf/domain';

export interface BackupConsent {
  readonly smaller: boolean;
  readonly replace: boolean;
}

interface PreviousBackup {
  readonly path: string;
  readonly contents: BackupContents;
}

/**
 * Returns the backup that a new one is compared with: the one at its path, or the newest.
 *
 * @throws BackupError if the file at the path isn't a backup, unless the operator allows replacing it
 */
export async function findExistingBackup(
  place: BackupDestination,
  outcome: BackupOutcome,
  path: string | null,
  consent: BackupConsent,
): Promise<PreviousBackup | null> {
  for await (const file of place.existing(outcome)) {
    const contents = contentsOf(file);
    if (contents !== null) return { path: file.path, contents };
    if (file.path === path && file.size > 0 && !consent.replace) {
      throw new BackupError(
        `${file.path} is not a complete Postshelf backup, so it was not overwritten: choose another file, or pass --replace.`,
      );
    }
  }
  return null;
}

/**
 * Refuses a much smaller backup.
 *
 * @throws BackupError that names the contents of both backups, unless the operator allows a smaller one
 */
export function refuseSmaller(previous: PreviousBackup | null, next: BackupContents, { smaller }: BackupConsent): void {
  if (previous === null || smaller || !isMuchSmaller(next, previous.contents)) return;
  const [before, now] = [previous.contents, next].map(describeContents);
  throw new BackupError(
    `No backup was written: ${previous.path} has ${before}, and a new one would have ${now}. If that is right, pass --smaller.`,
  );
}

export function contentsOf({ summary }: Pick<ExistingBackup, 'summary'>): BackupContents | null {
  const read = summary === null ? null : parse(new TextDecoder().decode(summary));
  const { format, with_media: withMedia, objects, workspaces = null } = read ?? {};
  const { count, problems = 0 } = typeof objects === 'object' && objects !== null ? { ...EMPTY, ...objects } : EMPTY;
  if (!isCount(format) || typeof withMedia !== 'boolean' || !isCount(count) || !isCount(problems)) return null;
  if (workspaces !== null && !isCount(workspaces)) return null;
  return { objects: Math.max(0, count - problems), workspaces, withMedia };
}

const EMPTY: { readonly count?: unknown; readonly problems?: unknown } = {};

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

function parse(json: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null ? { ...value } : null;
  } catch {
    // Text that isn't JSON isn't a summary, so the file isn't a backup.
    return null;
  }
}
