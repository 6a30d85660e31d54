import { createReadStream, existsSync } from 'node:fs';
import { stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isatty } from 'node:tty';
import { restore } from '@postshelf/application';
import { BackupError, type BackupReader, inMegabytes, type ObjectStorage, Refusal } from '@postshelf/domain';
import { Command } from 'commander';
import { composeRestore, digest, loadBackupTools } from '../../compose/backup.ts';
import { keepJwtSecret } from '../../compose/host/secret-file.ts';
import { fingerprintOf } from '../../compose/library-secret.ts';
import { type Config, readConfig } from '../../config/config.ts';
import { describeSystemError } from '../../telemetry/system-errors.ts';
import { EXIT } from '../exit-codes.ts';
import { print, standardOutput } from '../print.ts';
import { count, showProgress } from '../progress.ts';

export const restoreCommand = (): Command =>
  new Command('restore')
    .description('restore a backup to an empty DATA_DIR, checking every hash')
    .argument('<file>', 'the file that backup wrote; - is standard input')
    .option('--json', 'print one JSON object')
    .action(restoreBackup);

async function restoreBackup(file: string, { json }: { readonly json?: boolean }): Promise<void> {
  const config = readConfig();
  const { close, ...ports } = await composeRestore(config);
  try {
    const requireRoom = () => requireSpace(file, config, ports.storageBefore);
    await requireRoom();
    const damaged: string[] = [];
    const trashed: string[] = [];
    const report = await restore({ ...ports, digest }, await sourceOf(file), {
      keepSecret: (secret) => keepSecret(config.dataDir, new TextDecoder().decode(secret)),
      fingerprintOf: (secret, library) => fingerprintOf(new TextDecoder().decode(secret), library),
      onDamaged: (key) => {
        damaged.push(key);
        if (!json) standardOutput().write(`${key}  is damaged in the backup, and was not restored\n`);
      },
      onTrashed: (key) => {
        trashed.push(key);
        if (!json)
          standardOutput().write(`${key}  had other content, which was moved to the trash (postshelf gc list)\n`);
      },
      onProgress: showProgress(),
    }).catch(async (cause: unknown) => {
      // If the disk is full, `requireRoom` throws a better error, which also says how much space is missing.
      if (isLow(cause)) await requireRoom();
      return asLine(cause, config);
    });
    if (report.summary === null) {
      const nothing = { made_at: null, objects: null, with_media: null, restored: 0, damaged, trashed };
      print(json, nothing, [
        'An earlier run restored everything, but did not mark the storage as belonging to the library. The mark has now been written.',
      ]);
      return;
    }
    const { made_at, objects, with_media } = report.summary;
    const isPart = report.restored < objects.count;
    print(json, { made_at, objects, with_media, restored: report.restored, damaged, trashed }, [
      `Restored the database of ${made_at} and ${count(report.restored)} of ${count(objects.count)} objects.`,
      ...(damaged.includes(SECRET)
        ? ['The service does not start without its secret. Set JWT_SECRET, or run: postshelf token reset-secret --yes']
        : []),
      ...(isPart ? ['Put the other objects in place, then run: postshelf verify'] : []),
    ]);
    // Without media it is expected that objects are put in place afterwards.
    if (damaged.length > 0 || (isPart && with_media)) process.exitCode = EXIT.failed;
  } finally {
    close();
  }
}

/** The name of the secret in a backup. */
const SECRET = 'jwt-secret';

const STDIN = 0;

/** The argument that means standard input. */
const STDIN_NAME = '-';

/** Returns a reader for the backup in a file; for `-`, on standard input, which can be read only once. */
async function sourceOf(file: string): Promise<{ read(): BackupReader; readonly isRepeatable: boolean }> {
  const { readTar, readTarFrom } = await loadBackupTools();
  if (file !== STDIN_NAME) return { read: () => readTar(file), isRepeatable: await isRegularFile(file) };
  if (isatty(STDIN)) throw new BackupError('Standard input is a terminal. Use: restore - < FILE');
  const open = () => createReadStream('', { fd: STDIN, autoClose: false });
  return { read: () => readTarFrom('Standard input', open), isRepeatable: false };
}

/**
 * Checks that the disk of `DATA_DIR` has room for the files of a backup. They need about the size of the backup, minus
 * the objects that already exist. Skips the check for a backup from a pipe, whose size isn't known, and for a library
 * with a bucket, whose media aren't stored on this disk.
 *
 * @throws BackupError that says how much is missing
 */
async function requireSpace(
  backup: string,
  { dataDir, minFreeDisk, s3 }: Config,
  storage: Pick<ObjectStorage, 'list'>,
): Promise<void> {
  const found = backup === STDIN_NAME ? null : await stat(backup).catch(() => null);
  if (!found?.isFile() || s3 !== null) return;
  const { bavail, bsize } = await statfs(await existingFolder(dataDir));
  const free = bavail * bsize;
  if (found.size + minFreeDisk <= free) return;
  let needed = found.size;
  for await (const { size } of storage.list()) needed -= size;
  const missing = needed + minFreeDisk - free;
  if (needed <= 0 || missing <= 0) return;
  const reserve = `${inMegabytes(minFreeDisk)} must stay free (MIN_FREE_DISK_MB)`;
  throw new BackupError(
    `Restoring ${backup} to ${dataDir} needs ${inMegabytes(needed)}, and ${reserve}, but only ${inMegabytes(free)} are free there: free another ${inMegabytes(missing)}, lower MIN_FREE_DISK_MB, or choose a DATA_DIR on another disk.`,
  );
}

const existingFolder = (path: string): Promise<string> =>
  stat(path).then(
    () => path,
    () => existingFolder(dirname(path)),
  );

const isLow = (error: unknown): boolean => error instanceof Refusal && error.problem.code === 'storage_low';

/** Rethrows the error of a restore with a message for the operator. */
function asLine(cause: unknown, { dataDir, database, minFreeDisk }: Config): never {
  if (isLow(cause))
    throw new BackupError(
      `The restore was not finished: the disk of ${dataDir} would have less than ${inMegabytes(minFreeDisk)} free (MIN_FREE_DISK_MB). Free space there or lower that setting, then run the command again.`,
      { cause },
    );
  if (cause instanceof BackupError || !(cause instanceof Error)) throw cause;
  // If the database exists now, another process has created it, and has removed the files that this restore was
  // writing.
  if (database.kind === 'sqlite' && existsSync(database.file))
    throw new BackupError(
      `${database.file} was created during the restore, by another restore or by a start of the service.`,
      { cause },
    );
  if (cause instanceof Refusal) throw cause;
  const reason = describeSystemError(cause) ?? cause.message;
  throw new BackupError(`The restore was not finished, and can be run again: ${reason}`, { cause });
}

const isRegularFile = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isFile(),
    () => false,
  );

async function keepSecret(dataDir: string, secret: string): Promise<void> {
  if ((await keepJwtSecret(dataDir, secret)) !== secret)
    throw new BackupError(
      `${dataDir} already has a different jwt-secret, which was not overwritten: move it away, then restore again.`,
    );
}
