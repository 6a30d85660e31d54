import type { JobKind } from '../jobs/job.ts';
import type { JobFigures } from '../jobs/job-queue.ts';
import type { Library } from '../library/library-repository.ts';
import { inMegabytes } from '../text.ts';
import type { ObjectCheck } from '../verify/object-checks.ts';
import { DUE_WORK, type LongestDue } from './due-work.ts';

/** Sentences for operators. `remedy` says what to do; null if all is well or `found` already says it. */
export interface Finding {
  readonly verdict: 'ok' | 'warning' | 'problem';
  readonly found: string;
  readonly remedy: string | null;
}

export const ok = (found: string): Finding => ({ verdict: 'ok', found, remedy: null });
export const warning = (found: string, remedy: string): Finding => ({ verdict: 'warning', found, remedy });
export const problem = (found: string, remedy: string | null): Finding => ({ verdict: 'problem', found, remedy });

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Maximum difference between clocks in milliseconds; leases are only slightly longer than this. */
const MAX_SKEW = MINUTE;

/**
 * Milliseconds after which work is overdue. Garbage collection runs every hour, so a shorter wait is no sign of
 * trouble.
 */
const OVERDUE_AFTER = 2 * HOUR;

const BACKUP_AFTER = 2 * DAY;

/** The service checks all objects once a week, which may take days. */
const VERIFY_AFTER = 14 * DAY;

/** Free share of inodes below which a disk gets a warning. */
const FEW_INODES = 0.05;

/** The mode bits of the group and of others. None of them is set in a file that only its owner can access. */
const OTHERS = 0o077;

export interface SettingFacts {
  readonly errors: readonly string[];
  /** Settings that have no effect or are likely mistakes. */
  readonly doubts: readonly string[];
  readonly differing: readonly string[];
}

export function judgeSettings({ errors, doubts, differing }: SettingFacts): Finding {
  if (errors.length > 0) return problem(errors.join('; '), 'Correct them (docs/operating/settings.md).');
  if (doubts.length > 0) return warning(doubts.join('; '), 'Correct or remove them.');
  return ok(differing.length === 0 ? 'all at their defaults' : `set: ${differing.join(', ')}`);
}

export interface SecretFacts {
  /** null if the secret isn't in a file. */
  readonly file: { readonly path: string; readonly mode: number } | null;
  readonly length: number | null;
  /**
   * Says why the secret doesn't belong to the library, and what to do; null if the secret belongs to the library, or if
   * that isn't known.
   */
  readonly mismatch: string | null;
}

export function judgeSecret({ file, length, mismatch }: SecretFacts): Finding {
  if (mismatch !== null) return problem(mismatch, null);
  if (length === null) return ok('none yet: the first start makes it');
  if (file === null) return ok(`given by JWT_SECRET, ${length} characters`);
  const mode = (file.mode & 0o777).toString(8).padStart(4, '0');
  if ((file.mode & OTHERS) === 0) return ok(`made, ${length} characters, in ${file.path} (${mode})`);
  return problem(
    `${file.path} has mode ${mode}, so other users of this machine can sign tokens`,
    `Run "chmod 600 ${file.path}". If strangers use this machine, also run "postshelf token reset-secret --yes".`,
  );
}

/** @param sources `ahead` is how far each clock is ahead of this machine's, in milliseconds */
export function judgeClock(sources: readonly { readonly name: string; readonly ahead: number }[]): Finding {
  const wrong = sources.filter(({ ahead }) => Math.abs(ahead) > MAX_SKEW);
  const describe = (each: typeof sources) =>
    each.map(({ name, ahead }) => `${span(Math.abs(ahead))} ${ahead < 0 ? 'ahead of' : 'behind'} ${name}`).join(', ');
  if (wrong.length > 0)
    return problem(
      `this machine's clock is ${describe(wrong)}`,
      'Synchronize the clocks of all machines (timedatectl).',
    );
  if (sources.length === 0) return ok('nothing to compare it with: database and media are on this machine');
  return ok(`agrees with ${sources.map(({ name }) => name).join(' and ')}`);
}

export interface DiskFacts {
  readonly path: string;
  readonly free: number;
  readonly inodes: number;
  readonly freeInodes: number;
}

/** @param reserve bytes that must stay free */
export function judgeDisk(disks: readonly DiskFacts[], reserve: number): Finding {
  const remedy = 'Free space there, make the disk larger, or lower MIN_FREE_DISK_MB.';
  const describe = (each: readonly DiskFacts[]) =>
    `${each.map(({ path, free }) => `${inMegabytes(free)} free at ${path}`).join(', ')}; the reserve is ${inMegabytes(reserve)}`;
  const full = disks.filter(({ free }) => free < reserve);
  if (full.length > 0) return problem(`${describe(full)}: uploads are refused`, remedy);
  const low = disks.filter(({ free }) => free < 2 * reserve);
  return low.length > 0 ? warning(describe(low), remedy) : ok(describe(disks));
}

/** Judges the free inodes. Some file systems have no fixed number of them and report 0. */
export function judgeInodes(disks: readonly DiskFacts[]): Finding {
  const limited = disks.filter(({ inodes }) => inodes > 0);
  const describe = (each: readonly DiskFacts[]) =>
    each.map(({ path, inodes, freeInodes }) => `${freeInodes} of ${inodes} free at ${path}`).join(', ');
  if (limited.length === 0) return ok('not limited');
  const low = limited.filter(({ inodes, freeInodes }) => freeInodes < inodes * FEW_INODES);
  if (low.length === 0) return ok(describe(limited));
  const remedy = 'Remove files there, or recreate the file system with more inodes (df -i).';
  return (low.every(({ freeInodes }) => freeInodes > 1000) ? warning : problem)(describe(low), remedy);
}

export interface FfmpegFacts {
  /** The value of FFMPEG_PATH. */
  readonly configured: string | null;
  readonly found: { readonly path: string; readonly version: string } | null;
  readonly missing: readonly string[];
}

export function judgeFfmpeg({ configured, found, missing }: FfmpegFacts): Finding {
  const without = 'videos have no cover, and files cannot be fitted to networks';
  if (found === null && configured !== null)
    return problem(`FFMPEG_PATH ${configured} is missing or does not run: ${without}`, 'Correct FFMPEG_PATH.');
  if (found === null) return warning(`not found: ${without}`, 'Install ffmpeg, or set FFMPEG_PATH.');
  const named = `${found.path}, version ${found.version}`;
  if (missing.length === 0) return ok(named);
  return warning(`${named}, lacks ${missing.join(', ')}`, 'Install a complete build of ffmpeg.');
}

export interface BucketFacts {
  /** The rules that `storage setup` would apply. `reason` says why a rule can't be read or applied. */
  readonly rules: readonly { readonly name: string; readonly isMissing: boolean; readonly reason: string | null }[];
  /** Phrases about rules that destroy media or make them unreadable. */
  readonly harmful: readonly string[];
  /** The status of an anonymous request for an object at S3_PUBLIC_URL; null if none was sent. */
  readonly publicStatus: number | null;
}

export function judgeBucket({ rules, harmful, publicStatus }: BucketFacts): Finding {
  if (harmful.length > 0)
    return problem(
      harmful.join('; '),
      'Remove the rule from the lifecycle rules of the bucket, or limit it to a prefix without media.',
    );
  if (publicStatus !== null && publicStatus !== 200)
    return problem(
      `S3_PUBLIC_URL answers anonymous requests with ${publicStatus} instead of a stored file, so links are broken`,
      'Allow public reads of the objects (s3:GetObject), or unset S3_PUBLIC_URL.',
    );
  const missing = rules.filter(({ isMissing }) => isMissing).map(({ name }) => name);
  if (missing.length > 0)
    return warning(`lacks its rule for ${missing.join(' and ')}`, 'Run "postshelf storage setup".');
  const unseen = rules.flatMap(({ name, reason }) => (reason === null ? [] : [`${name} not checked: ${reason}`]));
  const links = publicStatus === null ? [] : ['objects are publicly readable at S3_PUBLIC_URL'];
  return ok(['no rule is known to be missing', ...unseen, ...links].join('; '));
}

export interface ProxyFacts {
  /** The value of PUBLIC_URL. */
  readonly url: string;
  /** Results of requests without a token: whether this service answered, and the status of `/metrics`. */
  readonly isOurs: boolean;
  readonly metrics: number;
  /**
   * The status of the response to a request that has the headers of the largest upload but doesn't send its body. null
   * if no response arrives while the body isn't sent, as behind a proxy that buffers whole requests.
   */
  readonly upload: number | null;
  readonly isLocal: boolean;
  /** Whether requests to `url` reach the service without a proxy. */
  readonly isDirect: boolean;
}

export function judgeProxy({ url, isOurs, metrics, upload, isLocal, isDirect }: ProxyFacts): Finding {
  if (!isOurs) return problem(`what answers at ${url} is not Postshelf`, 'Correct PUBLIC_URL or the proxy.');
  if (metrics === 200 && !isDirect)
    return problem(
      `${url}/metrics is publicly accessible`,
      'Let the proxy refuse /metrics, /health and /ready (docs/deploy/nginx.conf), or set METRICS_TOKEN.',
    );
  if (upload === 413)
    return problem(
      `${url} refuses large uploads with 413`,
      'Raise the limit of the proxy (nginx: client_max_body_size 2200m).',
    );
  if (upload === null)
    return warning(
      `${url} buffers whole uploads before passing them on`,
      'Turn off request buffering (nginx: proxy_request_buffering off).',
    );
  if (!isLocal && url.startsWith('http:'))
    return warning(`${url} is not encrypted: tokens can be read in transit`, 'Serve it over https (docs/deploy.md).');
  return ok(`${url} reaches this service and accepts large uploads${isDirect ? '' : '; /metrics is not open'}`);
}

export interface LinkFinding {
  /** `image` or `video`. */
  readonly kind: string;
  readonly network: string;
  readonly ok: boolean;
  /** Whether the request got no answer. Requests from other machines may still be answered. */
  readonly isUnreachable: boolean;
  readonly message: string;
}

/** @param links results of fetching one item of each kind as networks do */
export function judgeLinks(links: readonly LinkFinding[]): Finding {
  const kinds = [...new Set(links.map(({ kind }) => kind))].join(' and ');
  const failed = links.filter((link) => !link.ok);
  if (links.length === 0) return ok('there are no media to fetch yet');
  const [first] = failed;
  if (!first) return ok(`networks' crawlers can fetch media here (${kinds})`);
  const others = failed.length > 1 ? ` (and ${failed.length - 1} more)` : '';
  const text = `${first.kind}: ${first.message.replace(/\.$/, '')}${others}`;
  if (first.isUnreachable) return warning(text, 'Try the link from outside, or correct PUBLIC_URL.');
  return problem(
    text,
    'See "How links are served" in docs/operating/bucket.md, and check what the proxy does with /files.',
  );
}

/** @param isKnown false if other tools make the backups */
export function judgeBackup(library: Library | null, isKnown: boolean, now: number): Finding {
  if (!isKnown) return ok('unknown: PostgreSQL is backed up with its own tools');
  const remedy = 'Run "postshelf backup" every day, from a timer (docs/operating/backups.md).';
  const at = library?.backedUpAt ?? null;
  if (at === null) return warning('never made', remedy);
  const text = `last made ${span(now - at)} ago`;
  return now - at > BACKUP_AFTER ? warning(text, remedy) : ok(text);
}

export function judgeVerify(library: Library | null, check: ObjectCheck, now: number): Finding {
  const verified = library?.verifiedAt ?? 0;
  const checked = check.finishedAt ?? 0;
  if (check.lastMissing > 0 && checked > verified)
    return problem(
      `${check.lastMissing} objects were missing or damaged ${span(now - checked)} ago`,
      'Run "postshelf verify". If it finds such objects, run it again with --repair-from and a backup.',
    );
  const remedy = 'Run "postshelf verify", and leave CHECK_OBJECTS_PER_SECOND above 0.';
  const at = Math.max(verified, checked);
  if (at === 0) return warning('the objects were never checked', remedy);
  const text = `all objects were present ${span(now - at)} ago`;
  return now - at > VERIFY_AFTER ? warning(text, remedy) : ok(text);
}

/** Judges whether work is overdue. @param isAtWork whether any service uses the database */
export function judgeDueWork(
  oldest: LongestDue,
  jobs: ReadonlyMap<JobKind, JobFigures>,
  isAtWork: boolean,
  now: number,
): Finding {
  const since: readonly (readonly [string, number | null])[] = [
    ...DUE_WORK.map((work) => [work, oldest[work]] as const),
    ...[...jobs].map(([kind, { longestDue }]) => [`jobs of kind ${kind}`, longestDue] as const),
  ];
  const overdue = since.flatMap(([work, dueAt]) =>
    dueAt !== null && now - dueAt > OVERDUE_AFTER ? [`${work} for ${span(now - dueAt)}`] : [],
  );
  const found = [...jobs].flatMap(([kind, figures]) => describeJobs(kind, figures, now));
  const all = found.length === 0 ? 'no jobs' : found.join('; ');
  if (overdue.length === 0) {
    const failed = [...jobs].filter(([, figures]) => figures.failed > 0);
    if (failed.length === 0) return ok(`nothing is overdue: ${all}`);
    return warning(all, 'Run "postshelf jobs list" to see why, and "postshelf jobs retry" to retry them.');
  }
  const text = `overdue: ${overdue.join(', ')}; ${all}`;
  if (!isAtWork) return warning(`${text}; no service is running`, 'Start "postshelf serve" or "postshelf worker".');
  return problem(
    `${text}, although a service is running`,
    'If every "postshelf serve" has --no-worker, run a "postshelf worker"; otherwise see the log for what fails.',
  );
}

/** Returns text such as `import: 3 waiting (2 tried before, the oldest for 5 minutes), 1 running`. */
function describeJobs(kind: JobKind, { waiting, running, retried, failed, oldest }: JobFigures, now: number): string[] {
  if (waiting + running + failed === 0) return [];
  const age = oldest === null ? '' : ` (${retried} tried before, the oldest for ${span(now - oldest)})`;
  return [`${kind}: ${waiting} waiting${age}, ${running} running${failed > 0 ? `, ${failed} failed` : ''}`];
}

const UNITS = [
  [DAY, 'day'],
  [HOUR, 'hour'],
  [MINUTE, 'minute'],
] as const;

function span(milliseconds: number): string {
  const [size, name] = UNITS.find(([unit]) => milliseconds >= 2 * unit) ?? [1000, 'second'];
  const count = Math.max(0, Math.floor(milliseconds / size));
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}
