import { backUp, type ObjectProblem, restore, verify } from '@postshelf/application';
import { BackupError } from '@postshelf/domain';
import { Command } from 'commander';
import { composeExisting, composeRestore, digest, loadBackupTools } from '../compose.ts';
import { readConfig } from '../config.ts';
import { keepJwtSecret, knownJwtSecret } from '../jwt-secret.ts';
import { version } from '../version.ts';
import { count, describeProblem, megabytes, showProgress } from './progress.ts';
import { print } from './run.ts';

interface Options {
  readonly json?: boolean;
}

/** `postshelf backup FILE` */
export const backupCommand = (): Command =>
  new Command('backup')
    .description('write the database and a list of all objects to a file, while the service runs')
    .argument('<file>', 'a tar file; one that is there is replaced once the new one is whole')
    .option('--with-media', 'put the objects themselves into it too')
    .option('--json', 'print one JSON object')
    .action(takeBackup);

/** `postshelf restore FILE` */
export const restoreCommand = (): Command =>
  new Command('restore')
    .description('restore a backup to an empty DATA_DIR, checking every hash')
    .argument('<file>', 'what backup wrote')
    .option('--json', 'print one JSON object')
    .action(restoreBackup);

/** `postshelf verify` */
export const verifyCommand = (): Command =>
  new Command('verify')
    .description('check that every active media item has its object, with the right size and hash')
    .option('--no-hashes', 'look at presence and size alone, and read nothing')
    .option('--json', 'print one JSON object')
    .action(verifyLibrary);

async function takeBackup(file: string, { json, withMedia = false }: Options & { withMedia?: boolean }): Promise<void> {
  const config = readConfig();
  const { ports, database, close } = await composeExisting(config);
  try {
    const { backups } = database;
    if (backups === null)
      throw new BackupError(
        'DATABASE_URL: PostgreSQL is backed up by its own tools (pg_dump), media by those of their storage.',
      );
    const secret = config.jwtSecret === null ? await knownJwtSecret(config.dataDir) : null;
    const { writeTar } = await loadBackupTools();
    const writer = await writeTar(file).catch((cause: unknown) => {
      throw new BackupError(`${file} cannot be written: ${cause instanceof Error ? cause.message : cause}`, { cause });
    });
    const problems = problemTable(json);
    try {
      const report = await backUp({ ...ports, backups, digest }, writer, {
        copyPath: `${file}.${Bun.randomUUIDv7()}.copy`,
        withMedia,
        secret: secret === null ? null : new TextEncoder().encode(secret),
        program: version,
        onProblem: problems.add,
        onProgress: showProgress(),
      });
      const { objects } = report.summary;
      const media = `${count(objects.count)} objects (${megabytes(objects.bytes)}) ${withMedia ? 'in it' : 'listed, not in it'}`;
      print(json, { file, ...report.summary, problems: problems.all }, [`Wrote ${file}: the database, and ${media}.`]);
    } finally {
      await writer.discard();
    }
    problems.conclude();
  } finally {
    await close();
  }
}

async function restoreBackup(file: string, { json }: Options): Promise<void> {
  const config = readConfig();
  const { storage, database, close } = await composeRestore(config);
  try {
    const { readTar } = await loadBackupTools();
    const damaged: string[] = [];
    const report = await restore({ storage, database, digest }, readTar(file), {
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

async function keepSecret(dataDir: string, secret: string): Promise<void> {
  if ((await keepJwtSecret(dataDir, secret)) !== secret)
    throw new BackupError(`${dataDir} has another jwt-secret already: give it an empty DATA_DIR.`);
}

async function verifyLibrary({ hashes, json }: Options & { hashes: boolean }): Promise<void> {
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

/** What is wrong, told as it is found, or kept for the one JSON object; any of it makes the command fail. */
function problemTable(json: boolean | undefined) {
  const all: ObjectProblem[] = [];
  let any = false;
  return {
    all,
    add(problem: ObjectProblem): void {
      any = true;
      if (json) all.push(problem);
      else process.stdout.write(`${describeProblem(problem)}\n`);
    },
    conclude(): void {
      if (any) process.exitCode = 1;
    },
  };
}
