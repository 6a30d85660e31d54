import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { countUninspected } from '@postshelf/application';
import type { WorkKind } from '@postshelf/domain';
import { type Composition, compose, type SecretUse } from '../../compose/compose.ts';
import { loadMetricsToken } from '../../compose/host/secret-file.ts';
import { findWeaknesses } from '../../compose/host/weaknesses.ts';
import { type Config, ConfigError, givenSettings, readConfig } from '../../config/config.ts';
import { type Place, requireListenable } from '../../http/listen.ts';
import { type OperatorAccess, operatorAccess } from '../../http/operator-access.ts';
import { createLog, type Log, type Logger } from '../../telemetry/log/log.ts';
import { watchMemory } from '../../telemetry/memory-watch.ts';
import { Metrics } from '../../telemetry/metrics.ts';
import { openFileLimit, warnOfFewFiles } from '../../telemetry/open-files.ts';
import { rememberCount } from '../../telemetry/read-figures.ts';
import { describeSettings, warnOfAddress } from '../../telemetry/setting-report.ts';
import type { Tracing } from '../../telemetry/telemetry.ts';
import { startTracing } from '../../telemetry/tracing/start.ts';
import { build, versionText } from '../../telemetry/version.ts';
import { openFence, type RunningFence } from '../../worker/fence.ts';

export interface StartedService extends Log {
  readonly config: Config;
  readonly tracing: Tracing;
  readonly composition: Composition;
  readonly hasAccess: OperatorAccess;
  readonly fence: RunningFence;
  /** Opens the metrics. @param kinds the kinds of expensive work that the process does */
  openMetrics(kinds: readonly WorkKind[]): Metrics;
}

/**
 * Starts a service.
 *
 * @param placeOf returns where the service will listen; null if nowhere
 * @param isTried whether a person is trying out the service at a terminal. If so, the service logs only warnings,
 *   unless `LOG_LEVEL` is set
 */
export async function startService(
  use: SecretUse,
  placeOf: (config: Config) => Place | null,
  isTried = false,
): Promise<StartedService> {
  const config = readConfig();
  const isQuiet = isTried && givenSettings().environment.LOG_LEVEL === undefined;
  const opened = createLog(isQuiet ? { ...config, logLevel: 'warn' } : config);
  const { log, droppedLines } = opened;
  logProgram(log, config);
  const place = placeOf(config);
  if (place !== null) await requireListenable(place);
  const sayLibrary = watchStart(config);
  const tracing = await startTracing(config.tracing, log);
  const composed = await compose(config, use);
  const hasAccess = operatorAccess(config, await metricsTokenOf(config, log));
  await sayLibrary(log, composed);
  await requireSignable(composed);
  logStorage(log, composed);
  const composition = { ...composed, ports: tracing.ports(composed.ports) };
  const { ports, store, database } = composition;
  const fence = await openFence(ports, database, log);
  const openMetrics = (kinds: readonly WorkKind[]): Metrics =>
    new Metrics({
      work: new Map(kinds.map((kind) => [kind, () => ports.shares.figures(kind)])),
      jobs: () => ports.jobs.figures(),
      deliveries: () => ports.deliveries.depth(),
      oldestDeletion: async () => (await ports.deletions.list(1))[0]?.deletedAt ?? null,
      objectCheck: () => ports.objectChecks.find(),
      library: () => ports.library.find(),
      uninspected: rememberCount(() => countUninspected(ports)),
      freeDisk: async () => (await store.freeSpace?.free()) ?? null,
      droppedLines,
      isReadOnly: () => fence.readOnly() !== null,
      pool: database.pool,
      onError: (figure, err) => log.warn({ err, figure }, 'a metric could not be read'),
    });
  watchMemory();
  return { ...opened, config, tracing, composition, fence, openMetrics, hasAccess };
}

/** Refuses a public bucket if a workspace has signed links, because its files would be public. @throws ConfigError */
async function requireSignable({ ports }: Composition): Promise<void> {
  if (!ports.isPublic) return;
  const signed = (await ports.workspaces.list()).find(({ links }) => links === 'signed');
  if (signed)
    throw new ConfigError(
      `S3_PUBLIC_URL: workspace ${signed.id} has signed links, which a public bucket does not check; unset it, or run: postshelf workspace update ${signed.id} --links public`,
    );
}

/** Logs the program and its settings. This happens before anything is opened, because opening may fail. */
function logProgram(log: Logger, config: Config): void {
  log.info({ ...build(), pid: process.pid }, `postshelf ${versionText()}`);
  const { differing, mistaken, idle } = describeSettings();
  log.info({ settings: differing }, 'settings that differ from their defaults');
  const fewFiles = warnOfFewFiles(openFileLimit());
  if (fewFiles !== null) log.warn(fewFiles);
  for (const { name, nearest } of mistaken) {
    log.warn({ setting: name }, `${name} is not a setting; did you mean ${nearest}?`);
  }
  if (idle.length > 0)
    log.warn({ settings: idle }, `${idle.join(', ')}: no effect without S3_BUCKET; media are kept in DATA_DIR`);
  const unreachable = warnOfAddress(config);
  if (unreachable !== null) log.warn(unreachable);
}

/**
 * Returns the token in the data directory with which metrics are read if no token is configured. Returns null if one is
 * configured, or if the data directory can't be written to.
 */
async function metricsTokenOf({ metricsToken, dataDir }: Config, log: Logger): Promise<string | null> {
  if (metricsToken !== null) return null;
  return loadMetricsToken(dataDir).catch((err: unknown) => {
    log.warn({ err }, 'no token for /metrics could be made: set METRICS_TOKEN');
    return null;
  });
}

const pathsOfStart = ({ dataDir, database, jwtSecret, metricsToken, s3 }: Config): ReadonlyMap<string, string> =>
  new Map([
    ['data directory', dataDir],
    ...(database.kind === 'sqlite' ? ([['database', database.file]] as const) : []),
    ...(jwtSecret === null ? ([['token secret', join(dataDir, 'jwt-secret')]] as const) : []),
    ...(metricsToken === null ? ([['metrics token', join(dataDir, 'metrics-token')]] as const) : []),
    ...(s3 === null ? ([['media folder', join(dataDir, 'media')]] as const) : []),
  ]);

/**
 * Records which files of the library don't exist yet. Must be called before {@link compose}, which creates them.
 *
 * @returns a function that logs which library was opened, where it is stored, and which parts of it are new
 */
function watchStart(config: Config): (log: Logger, composition: Composition) => Promise<void> {
  const absent = [...pathsOfStart(config)].filter(([, path]) => !existsSync(path));
  return async (log, { ports, database, migrated }) => {
    const { kind } = config.database;
    const workspaces = await ports.workspaces.list();
    const library = await ports.library.find();
    const made = absent.filter(([, path]) => existsSync(path));
    log.info(
      {
        library: { id: library?.id ?? null, workspaces: workspaces.length },
        // The scheme is left out, because the log redacts URLs.
        database: { kind, place: database.rows.place.replace(/^postgres:\/\//, '') },
        storage: storageOf(config),
        made: Object.fromEntries(made),
        migrated,
      },
      `library ${library?.id ?? '(new)'}, workspaces: ${workspaces.length}`,
    );
  };
}

const storageOf = ({ s3, dataDir }: Config) =>
  s3 === null
    ? { kind: 'files', place: join(dataDir, 'media') }
    : { kind: 's3', place: s3.bucket, endpoint: s3.endpoint ?? `AWS, ${s3.region}` };

/** Logs the state of the storage. An unreachable storage doesn't prevent a start, because it may become reachable. */
function logStorage(log: Logger, { store, ownership, ports }: Composition): void {
  if (store.outOfReach !== null)
    log.warn({ err: store.outOfReach }, 'the storage is out of reach; /ready answers 503 until it works');
  if (ownership === null) return;
  const { library, isMarkedNow } = ownership;
  const fields = { library: library.id, ...ports.locations };
  if (isMarkedNow) log.info(fields, 'the storage is marked as the media of this library');
}

/**
 * Milliseconds between the start and the checks of the machine, so that the checks don't take processor time from the
 * first requests.
 */
const LOG_DELAY = 2000;

/**
 * Logs what this machine provides and what it lacks, shortly after the start, because the checks run external programs.
 */
export function logMachineSoon(
  log: Logger,
  config: Pick<Config, 'dataDir' | 's3' | 'ffmpegPath'>,
  composition: Composition,
): void {
  setTimeout(() => {
    logCovers(log, config, composition);
    logWeaknesses(log, config, composition);
  }, LOG_DELAY).unref();
}

function logWeaknesses(log: Logger, { dataDir, s3 }: Pick<Config, 'dataDir' | 's3'>, { store }: Composition): void {
  // An unreachable storage can't be checked, and a log line about it was already written.
  const root = s3 === null && store.outOfReach === null ? join(dataDir, 'media') : null;
  findWeaknesses(root).then(
    (weaker) => {
      if (weaker.length > 0) log.warn({ weaker }, `this machine lacks protections: ${weaker.join('; ')}`);
    },
    (err: unknown) => log.error({ err }, 'checking the protections of this machine failed'),
  );
}

function logCovers(
  log: Logger,
  { ffmpegPath }: Pick<Config, 'ffmpegPath'>,
  { ffmpeg }: Pick<Composition, 'ffmpeg'>,
): void {
  const without = 'videos will have no cover, and files cannot be fitted to networks';
  ffmpeg().then(
    (found) => {
      if (found) log.info({ ffmpeg: found }, 'ffmpeg makes video covers and fitted files');
      else if (ffmpegPath !== null)
        log.warn(`FFMPEG_PATH ${ffmpegPath} is missing or does not run: ${without}. Correct FFMPEG_PATH, and restart.`);
      else log.warn(`ffmpeg was not found: ${without}. Install it or set FFMPEG_PATH, and restart.`);
    },
    (err: unknown) => log.error({ err }, 'looking for ffmpeg failed'),
  );
}
