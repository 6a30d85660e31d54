import { createReadStream } from 'node:fs';
import { isatty } from 'node:tty';
import { restore, verify } from '@postshelf/application';
import { BackupError } from '@postshelf/domain';
import { Command } from 'commander';
import { composeExisting, composeRestore, digest, loadBackupTools } from '../compose.ts';
import { readConfig } from '../config.ts';
import { keepJwtSecret } from '../jwt-secret.ts';
import { problemTable } from './problem-table.ts';
import { count, megabytes, showProgress } from './progress.ts';
import { repairLibrary } from './repair.ts';
import { print } from './run.ts';

interface Options {
  readonly json?: boolean;
}

/** `postshelf restore FILE` */
export const restoreCommand = (): Command =>
  new Command('restore')
    .description('restore a backup to an empty DATA_DIR, checking every hash')
    .argument('<file>', 'what backup wrote; - reads it from standard input')
    .option('--json', 'print one JSON object')
    .action(restoreBackup);

/** `postshelf verify` */
export const verifyCommand = (): Command =>
  new Command('verify')
    .description('check that every active media item has its object, with the right size and hash')
    .option('--no-hashes', 'look at presence and size alone, and read nothing')
    .option(
      '--repair-from <backup or folder>',
      'put back what is missing or damaged, from a backup or a copy of the media',
    )
    .option('--json', 'print one JSON object')
    .action(verifyLibrary);

async function restoreBackup(file: string, { json }: Options): Promise<void> {
  const config = readConfig();
  const { storage, database, close } = await composeRestore(config);
  try {
    const { readTar, readTarFrom } = await loadBackupTools();
    if (file === '-' && isatty(STDIN))
      throw new BackupError('Standard input is a terminal: restore - < FILE reads one.');
    const standardInput = () => createReadStream('', { fd: STDIN, autoClose: false });
    const backup = file === '-' ? readTarFrom('Standard input', standardInput) : readTar(file);
    const damaged: string[] = [];
    const report = await restore({ storage, database, digest }, backup, {
      keepSecret: (secret) => keepSecret(config.dataDir, new TextDecoder().decode(secret)),
      onDamaged: (key) => {
        damaged.push(key);
        if (!json) process.stdout.write(`${key}  is damaged in the backup, and left out\n`);
      },
      onProgress: showProgress(),
    });
    const { made_at, objects, with_media } = report.summary;
    print(json, { made_at, objects, with_media, restored: report.restored, damaged }, [
      `Restored the database of ${made_at} and ${count(report.restored)} of ${count(objects.count)} objects.`,
      ...(report.restored < objects.count ? ['Put the other objects to their place, then run: postshelf verify'] : []),
    ]);
    if (damaged.length > 0) process.exitCode = 1;
  } finally {
    close();
  }
}

const STDIN = 0;

async function keepSecret(dataDir: string, secret: string): Promise<void> {
  if ((await keepJwtSecret(dataDir, secret)) !== secret)
    throw new BackupError(`${dataDir} has another jwt-secret already: give it an empty DATA_DIR.`);
}

type VerifyOptions = Options & { readonly hashes: boolean; readonly repairFrom?: string };

async function verifyLibrary({ hashes, json, repairFrom }: VerifyOptions): Promise<void> {
  if (repairFrom !== undefined) return repairLibrary(repairFrom, hashes, json);
  const { ports, close } = await composeExisting(readConfig());
  try {
    const problems = problemTable(json);
    const report = await verify({ ...ports, digest }, { hashes, onProblem: problems.add, onProgress: showProgress() });
    const { objects, bytes } = report;
    const looked = `Looked at ${count(objects)} objects, ${megabytes(bytes)}`;
    print(json, { objects, bytes, problems: problems.all }, [
      `${looked}: ${report.problems === 0 ? 'all is well' : `${count(report.problems)} are not as they should be`}.`,
    ]);
    problems.conclude();
  } finally {
    await close();
  }
}
