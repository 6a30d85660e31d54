import { stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fetchLinkOf, probeStorage, requireOwnership } from '@postshelf/application';
import type { Database } from '@postshelf/database';
import {
  type ActiveMedia,
  type DiskFacts,
  type Finding,
  fetchingFor,
  type JobFigures,
  type JobKind,
  judgeBackup,
  judgeBucket,
  judgeClock,
  judgeDisk,
  judgeDueWork,
  judgeFfmpeg,
  judgeInodes,
  judgeLinks,
  judgeProxy,
  judgeSecret,
  judgeVerify,
  kindOf,
  type LinkFinding,
  ok,
  problem,
  warning,
} from '@postshelf/domain';
import { createLinkFetcher, findFfmpeg, findMissingCodecs } from '@postshelf/media';
import { type Config, ConfigError } from '../../config/config.ts';
import { once } from '../../once.ts';
import { ownershipPorts } from '../compose.ts';
import { NO_LIBRARY, openCurrent, requireDatabase } from '../database.ts';
import { knownJwtSecret } from '../host/secret-file.ts';
import { systemClock } from '../host/system.ts';
import { verifySecret } from '../library-secret.ts';
import { createLinkSigner } from '../link-signer.ts';
import { locateStorage } from '../storage/locate.ts';
import { composeBucketSetup, pageOrigins } from '../storage/s3.ts';
import { ask, askProxy, askTime } from './ask.ts';

/**
 * Maximum milliseconds for ffmpeg. It is less than the time limit of a check, because the command exits after its last
 * check, and would leave a running ffmpeg behind.
 */
const FFMPEG_TIMEOUT = 8_000;

/**
 * Creates the checks of `doctor` for the parts that a service works with. Each check opens what it needs, so that it
 * doesn't depend on other checks. No check changes anything, except that bytes are staged to probe the storage.
 *
 * @param errors the errors about invalid settings. `config` doesn't contain the values of these settings, so parts that
 *   need them can't be checked
 */
export function composeDoctor(config: Config, errors: readonly string[]) {
  const { s3, dataDir } = config;
  const requireValid = (names: RegExp): void => {
    const error = errors.find((each) => names.test(each));
    if (error !== undefined) throw new ConfigError(error);
  };
  const openDatabase = once(async () => {
    requireValid(/^(?:DATABASE_|DATA_DIR:)/);
    await requireDatabase(NO_LIBRARY, config.database);
    return (await openCurrent(config)).database;
  });
  const openStorage = once(async () => {
    requireValid(/^(?:S3_|DATA_DIR:)/);
    // `minFreeDisk` is ignored here. If too little is free, the check "disk" reports that, and there is still room for
    // the few bytes of this check.
    const media = await locateStorage({ ...config, minFreeDisk: 0 });
    if (await media.isThere()) return { media, store: await media.open() };
    throw new ConfigError(`DATA_DIR: there is no folder ${media.place}`);
  });
  const database = () =>
    openDatabase().catch(() => {
      throw new Error('not checked, as the database cannot be used');
    });
  const readDisks = once(async (): Promise<readonly DiskFacts[]> => {
    const files = config.database.kind === 'sqlite' ? [config.database.file] : [];
    const paths = new Set([dataDir, ...files.map((file) => dirname(file))]);
    return Promise.all([...paths].map(readDisk));
  });

  const checks: Readonly<Record<string, () => Promise<Finding>>> = {
    async database() {
      const { rows, checkWrites, fence } = await openDatabase();
      await checkWrites();
      const { movedTo } = await fence.find();
      if (movedTo === null) return ok(`${rows.place} has all migrations and accepts writes`);
      return problem(
        `${rows.place} was copied to ${movedTo}`,
        'Correct DATABASE_URL, or see "postshelf storage adopt".',
      );
    },
    async storage() {
      const { media, store } = await openStorage();
      await probeStorage(store);
      const works = `${store.place} can be written to, read and deleted in`;
      const opened = await openDatabase().catch(() => null);
      if (opened === null && (await media.marker.read())?.restoring != null)
        return problem(`a restore into ${store.place} was not finished`, 'Run "postshelf restore" again.');
      if (opened === null) return warning(`${works}; whether it is the database's was not checked`, 'See "database".');
      if ((await opened.library.find()) === null) return ok(`${works}; the first start creates the library`);
      const { id } = await requireOwnership(ownershipPorts(opened, media));
      return ok(`${works}; library ${id}`);
    },
    async secret() {
      requireValid(/^(?:JWT_SECRET|DATA_DIR):/);
      const path = join(dataDir, 'jwt-secret');
      const secret = config.jwtSecret ?? (await knownJwtSecret(dataDir));
      const isInFile = config.jwtSecret === null && secret !== null;
      const opened = await openDatabase().catch(() => null);
      return judgeSecret({
        file: isInFile ? { path, mode: (await stat(path)).mode } : null,
        length: secret?.length ?? null,
        mismatch: opened && (await verifySecret(config, opened.library)),
      });
    },
    async clock() {
      const sources = [
        ...(config.database.kind === 'postgres' ? [{ name: "the database's", ahead: databaseAhead }] : []),
        ...(s3 ? [{ name: "the store's", ahead: () => askTime(endpointOf(s3)) }] : []),
      ];
      const answers = await Promise.all(
        sources.map(async ({ name, ahead }) => ({ name, ahead: await ahead().catch(() => null) })),
      );
      const known = answers.flatMap(({ name, ahead }) => (ahead === null ? [] : [{ name, ahead }]));
      if (sources.length > known.length && known.length === 0)
        throw new Error(`not checked, as ${sources.map(({ name }) => name).join(' and ')} cannot be read`);
      return judgeClock(known);
    },
    disk: async () => judgeDisk(await readDisks(), config.minFreeDisk),
    inodes: async () => judgeInodes(await readDisks()),
    async ffmpeg() {
      const late = AbortSignal.timeout(FFMPEG_TIMEOUT);
      const found = await findFfmpeg(config.ffmpegPath ?? undefined, late);
      const missing = found ? await findMissingCodecs(found.path, late) : [];
      if (late.aborted) throw new Error(`${found?.path ?? config.ffmpegPath ?? 'ffmpeg'} does not answer`);
      return judgeFfmpeg({ configured: config.ffmpegPath, found, missing });
    },
    async bucket() {
      requireValid(/^S3_/);
      if (s3 === null) return ok('none: media are in a folder');
      const opened = await openDatabase().catch(() => null);
      const item = s3.publicUrl === null ? undefined : await firstShown(opened?.media);
      const url = item && `${s3.publicUrl}/${item.fullName}`;
      const setup = await composeBucketSetup(config);
      const rules = (await setup?.apply({ origins: pageOrigins(config), dryRun: true })) ?? [];
      return judgeBucket({
        rules: rules.map(({ name, result }) => ({
          name,
          isMissing: result.outcome === 'planned',
          reason: 'reason' in result ? result.reason : null,
        })),
        harmful: rules.flatMap(({ harmful }) => harmful),
        publicStatus: url === undefined ? null : (await ask(url, 'HEAD')).status,
      });
    },
    async proxy() {
      requireValid(/^(?:PUBLIC_URL|HOST|PORT):/);
      if (config.ownOrigin === null) return ok('no proxy is expected, as PUBLIC_URL is not set');
      return judgeProxy(await askProxy(config));
    },
    async links() {
      requireValid(/^(?:PUBLIC_URL|HOST|PORT|S3_\w+):/);
      if (config.ownOrigin === null) return ok('not checked, as PUBLIC_URL is not set');
      const { media, workspaces } = await database();
      const { store } = await openStorage();
      const secret = config.jwtSecret ?? (await knownJwtSecret(dataDir)) ?? '';
      const origins = [new URL(config.publicUrl).origin, ...store.origins];
      const linkFetcher = createLinkFetcher({ origins });
      const ports = { linkFetcher, workspaces, linkSigner: createLinkSigner(secret), clock: systemClock };
      const links: LinkFinding[] = [];
      for (const item of await oneOfEachKind(media)) {
        const ending = AbortSignal.timeout(LINK_TIMEOUT);
        for (const { target, fetched, ...verdict } of await fetchLinkOf(
          ports,
          store.mediaBase,
          item,
          FETCHED_FOR,
          ending,
        ))
          links.push({
            ...verdict,
            kind: kindOf(item.content.type),
            network: fetchingFor(target).network,
            isUnreachable: fetched.failure?.kind === 'unreachable',
          });
      }
      return judgeLinks(links);
    },
    async backup() {
      const { library, backups } = await database();
      return judgeBackup(await library.find(), backups !== null, systemClock.now());
    },
    async verify() {
      const { library, objectChecks } = await database();
      return judgeVerify(await library.find(), await objectChecks.find(), systemClock.now());
    },
    async jobs() {
      const { dueWork, jobs, fence } = await database();
      const now = systemClock.now();
      return judgeDueWork(
        await dueWork.oldest(),
        workedOn(config, await jobs.figures()),
        await fence.isLeased(now),
        now,
      );
    },
  };
  async function databaseAhead(): Promise<number | null> {
    const { now } = await openDatabase();
    const before = Date.now();
    return now && (await now()) - (before + Date.now()) / 2;
  }
  return checks;
}

/** Omits the kinds of jobs that settings disable. */
function workedOn(
  { previewsAhead, checkObjectsPerSecond }: Config,
  figures: ReadonlyMap<JobKind, JobFigures>,
): ReadonlyMap<JobKind, JobFigures> {
  const idle: readonly JobKind[] = [
    ...(previewsAhead ? [] : (['preview'] as const)),
    ...(checkObjectsPerSecond > 0 ? [] : (['check'] as const)),
  ];
  return new Map([...figures].filter(([kind]) => !idle.includes(kind)));
}

/** Maximum milliseconds to check one item. Two items can be checked within the time limit of a check. */
const LINK_TIMEOUT = 4_000;

/** The target with the strictest rules, and one with the rules that most targets have. */
const FETCHED_FOR = ['instagram.feed', 'tiktok.post'];

const MAX_SEARCHED = 1_000;

/** Returns one item of each kind among the first items. Items in the trash are skipped, because they are hidden. */
async function oneOfEachKind(media: Database['media']): Promise<readonly ActiveMedia[]> {
  const found = new Map<string, ActiveMedia>();
  for (const item of await media.listActive(null, MAX_SEARCHED)) {
    const kind = kindOf(item.content.type);
    if (!found.has(kind) && (await media.find(item.id))) found.set(kind, item);
  }
  return [...found.values()];
}

/** Returns the first item. Items in the trash are skipped, because they are hidden. */
async function firstShown(media: Database['media'] | undefined): Promise<ActiveMedia | undefined> {
  for (const item of (await media?.listActive(null, 100)) ?? []) if (await media?.find(item.id)) return item;
  return undefined;
}

async function readDisk(path: string): Promise<DiskFacts> {
  const { bavail, bsize, files, ffree } = await statfs(path);
  return { path, free: bavail * bsize, inodes: files, freeInodes: ffree };
}

const endpointOf = ({ endpoint, region }: NonNullable<Config['s3']>): string =>
  endpoint ?? `https://s3.${region}.amazonaws.com`;
