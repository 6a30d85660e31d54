import {
  type BackupContents,
  BackupError,
  type BackupOutcome,
  type BackupPlace,
  describeContents,
  type ExistingBackup,
  isMuchSmaller,
} from '@postshelf/domain';

/** What an operator allows a backup to do to what stands in its place. */
export interface Consent {
  /** To be made of a library that has much less than the backup before it. */
  readonly smaller: boolean;
  /** To replace a file that is no backup. */
  readonly replace: boolean;
}

interface StandingBackup {
  readonly path: string;
  readonly contents: BackupContents;
}

/**
 * The backup that a new one is held against: that in its place, or, where each has a name of its own, the newest.
 *
 * @throws BackupError where a file stands in the way that is no backup, unless the operator allows for that; an empty file
 * stands in nobody's way
 */
export async function findStanding(
  place: BackupPlace,
  outcome: BackupOutcome,
  target: string | null,
  consent: Consent,
): Promise<StandingBackup | null> {
  for await (const file of place.standing(outcome)) {
    const contents = contentsOf(file);
    if (contents !== null) return { path: file.path, contents };
    if (file.path === target && file.size > 0 && !consent.replace) {
      throw new BackupError(
        `${file.path} is no whole backup of Postshelf, and stays as it is: name another file, or allow it with --replace.`,
      );
    }
  }
  return null;
}

/** @throws BackupError, with both numbers, when the new one would have much less and the operator doesn't allow for it */
export function refuseSmaller(standing: StandingBackup | null, next: BackupContents, { smaller }: Consent): void {
  if (standing === null || smaller || !isMuchSmaller(next, standing.contents)) return;
  const [before, now] = [standing.contents, next].map(describeContents);
  throw new BackupError(
    `No backup was written: ${standing.path} has ${before}, and a new one would have ${now}. If that is right, allow it with --smaller.`,
  );
}

/** What the backup's last file says; null when it isn't one of a backup. Anything may stand in it. */
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
    // No backup's, like every other value that is no summary.
    return null;
  }
}
