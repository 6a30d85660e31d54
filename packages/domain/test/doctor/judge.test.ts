import { describe, expect, test } from 'bun:test';
import {
  DUE_WORK,
  type Finding,
  type JobFigures,
  type JobKind,
  judgeBackup,
  judgeBucket,
  judgeClock,
  judgeDisk,
  judgeDueWork,
  judgeFfmpeg,
  judgeInodes,
  judgeProxy,
  judgeSecret,
  judgeSettings,
  judgeVerify,
  type Library,
  type LongestDue,
  type ObjectCheck,
} from '@postshelf/domain';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NOW = Date.UTC(2026, 0, 2);
const MB = 1024 * 1024;

const disk = (free: number, freeInodes = 100_000, inodes = 100_000) => ({ path: '/d', free, inodes, freeInodes });
const library = (times: Partial<Library>) => ({ backedUpAt: null, verifiedAt: null, ...times }) as Library;
const check = (times: Partial<ObjectCheck>) => ({ finishedAt: null, lastMissing: 0, ...times }) as ObjectCheck;
const due = (times: Partial<LongestDue>): LongestDue => ({ ...NOTHING_DUE, ...times });
const NO_JOBS: JobFigures = { waiting: 0, running: 0, retried: 0, failed: 0, oldest: null, longestDue: null };
const queued = (figures: Partial<JobFigures>): ReadonlyMap<JobKind, JobFigures> =>
  new Map([['import', { ...NO_JOBS, ...figures }]]);
const NOTHING_DUE = Object.fromEntries(DUE_WORK.map((work) => [work, null])) as LongestDue;

const url = 'https://media.example.com';
const well = { url, isOurs: true, metrics: 404, upload: 401, isLocal: false, isDirect: false };
const proxy = (facts: Partial<Parameters<typeof judgeProxy>[0]>) => judgeProxy({ ...well, ...facts });
const file = (mode: number) => ({ file: { path: '/d/jwt-secret', mode }, length: 64, mismatch: null });
const ffmpeg = { path: '/usr/bin/ffmpeg', version: '7' };
const noRules = { rules: [], harmful: [], publicStatus: null };
const rule = (isMissing: boolean, reason: string | null = null) => ({ name: 'cors', isMissing, reason });
const clock = (ahead: number) => judgeClock([{ name: "the store's", ahead }]);

const CASES: Readonly<Record<string, readonly (readonly [string, Finding, Finding['verdict'], string?])[]>> = {
  settings: [
    ['passes default settings', judgeSettings({ errors: [], doubts: [], differing: [] }), 'ok'],
    [
      'reports an invalid setting',
      judgeSettings({ errors: ['PORT: no'], doubts: ['x'], differing: [] }),
      'problem',
      'PORT: no',
    ],
    [
      'warns of a doubtful setting',
      judgeSettings({ errors: [], doubts: ['DB_URL'], differing: ['PORT'] }),
      'warning',
      'DB_URL',
    ],
  ],
  secret: [
    ['passes if there is no secret yet', judgeSecret({ file: null, length: null, mismatch: null }), 'ok'],
    ['passes a configured secret', judgeSecret({ file: null, length: 40, mismatch: null }), 'ok', '40 characters'],
    ['passes a file that only its owner can read', judgeSecret(file(0o100600)), 'ok', '0600'],
    ['reports a file that its group can read', judgeSecret(file(0o100640)), 'problem', '0640'],
    [
      'reports the secret of another library',
      judgeSecret({ ...file(0o100600), mismatch: 'not that of the library' }),
      'problem',
    ],
  ],
  clock: [
    ['passes without a clock to compare with', judgeClock([]), 'ok'],
    ['passes a difference of one minute', clock(MINUTE), 'ok'],
    ['reports a clock that is further ahead', clock(-5 * MINUTE), 'problem', "5 minutes ahead of the store's"],
    ['reports a clock that is further behind', clock(MINUTE + 1), 'problem', "60 seconds behind the store's"],
  ],
  disk: [
    ['passes plenty of free space', judgeDisk([disk(2048 * MB)], 1024 * MB), 'ok', '2,048 MB'],
    ['warns below twice the reserve', judgeDisk([disk(2048 * MB - 1)], 1024 * MB), 'warning'],
    [
      'reports one of two disks below the reserve',
      judgeDisk([disk(9e9), disk(1024 * MB - 1)], 1024 * MB),
      'problem',
      '1,023.9 MB',
    ],
    ['passes any free space without a reserve', judgeDisk([disk(1)], 0), 'ok'],
  ],
  inodes: [
    ['passes plenty of free inodes', judgeInodes([disk(1, 5_000)]), 'ok'],
    ['passes a file system without an inode limit', judgeInodes([disk(1, 0, 0)]), 'ok', 'not limited'],
    ['warns if few inodes are free', judgeInodes([disk(1, 4_999)]), 'warning', '4999 of 100000'],
    ['reports hardly any free inodes', judgeInodes([disk(1, 999)]), 'problem'],
  ],
  ffmpeg: [
    ['passes a complete ffmpeg', judgeFfmpeg({ configured: null, found: ffmpeg, missing: [] }), 'ok', 'version 7'],
    ['warns if there is no ffmpeg', judgeFfmpeg({ configured: null, found: null, missing: [] }), 'warning'],
    [
      'reports a missing file at FFMPEG_PATH',
      judgeFfmpeg({ configured: '/no', found: null, missing: [] }),
      'problem',
      '/no',
    ],
    [
      'warns if ffmpeg lacks a codec',
      judgeFfmpeg({ configured: null, found: ffmpeg, missing: ['encoder aac'] }),
      'warning',
      'aac',
    ],
  ],
  bucket: [
    [
      'passes a public bucket with all rules',
      judgeBucket({ ...noRules, rules: [rule(false)], publicStatus: 200 }),
      'ok',
      'publicly readable',
    ],
    ['warns of a missing rule', judgeBucket({ ...noRules, rules: [rule(true)] }), 'warning', 'cors'],
    ["passes a rule that can't be read", judgeBucket({ ...noRules, rules: [rule(false, 'denied')] }), 'ok', 'denied'],
    [
      'reports a rule that deletes media',
      judgeBucket({ ...noRules, harmful: ['the rule old deletes media by their age'] }),
      'problem',
      'the rule old deletes media',
    ],
    ["reports a bucket that isn't public", judgeBucket({ ...noRules, publicStatus: 403 }), 'problem', '403'],
  ],
  proxy: [
    ['passes a proxy that is set up as documented', proxy({}), 'ok', '/metrics is not open'],
    ['reports a proxy in front of another program', proxy({ isOurs: false, metrics: 200 }), 'problem', 'not Postshelf'],
    ['reports publicly accessible metrics', proxy({ metrics: 200 }), 'problem', '/metrics is publicly accessible'],
    [
      'passes a direct connection on the same machine',
      proxy({ url: 'http://127.0.0.1:3000', metrics: 200, isLocal: true, isDirect: true }),
      'ok',
    ],
    ['reports a small upload limit', proxy({ upload: 413 }), 'problem', '413'],
    ['warns of a proxy that buffers uploads', proxy({ upload: null }), 'warning'],
    ['warns of a proxy without TLS', proxy({ url: 'http://media.example.com' }), 'warning', 'not encrypted'],
  ],
  backup: [
    ['warns if there has never been a backup', judgeBackup(library({}), true, NOW), 'warning', 'never'],
    ['passes a backup of yesterday', judgeBackup(library({ backedUpAt: NOW - DAY }), true, NOW), 'ok', '24 hours ago'],
    ['warns of an old backup', judgeBackup(library({ backedUpAt: NOW - 3 * DAY }), true, NOW), 'warning', '3 days ago'],
    ['passes if other tools make the backups', judgeBackup(null, false, NOW), 'ok'],
  ],
  verify: [
    ['warns if nothing has ever been verified', judgeVerify(null, check({}), NOW), 'warning', 'never'],
    ['passes a verification by the command', judgeVerify(library({ verifiedAt: NOW - DAY }), check({}), NOW), 'ok'],
    [
      'passes a verification by the service',
      judgeVerify(library({}), check({ finishedAt: NOW - 8 * DAY }), NOW),
      'ok',
      '8 days ago',
    ],
    ['warns of an old verification', judgeVerify(null, check({ finishedAt: NOW - 15 * DAY }), NOW), 'warning'],
    [
      'reports missing objects',
      judgeVerify(null, check({ finishedAt: NOW - 1, lastMissing: 3 }), NOW),
      'problem',
      '3 objects',
    ],
    [
      'passes missing objects that have been repaired since',
      judgeVerify(library({ verifiedAt: NOW }), check({ finishedAt: NOW - 1, lastMissing: 3 }), NOW),
      'ok',
    ],
  ],
  jobs: [
    ['passes an empty queue', judgeDueWork(due({}), queued({}), true, NOW), 'ok', 'nothing is overdue: no jobs'],
    [
      'passes work that has been due for two hours',
      judgeDueWork(due({ deletions: NOW - 2 * HOUR }), queued({ waiting: 2, longestDue: NOW - 2 * HOUR }), true, NOW),
      'ok',
      'import: 2 waiting, 0 running',
    ],
    [
      'counts retried jobs',
      judgeDueWork(due({}), queued({ waiting: 3, running: 1, retried: 2, oldest: NOW - 5 * 60_000 }), true, NOW),
      'ok',
      'import: 3 waiting (2 tried before, the oldest for 5 minutes), 1 running',
    ],
    [
      'reports work that has been due for three hours',
      judgeDueWork(due({}), queued({ waiting: 1, longestDue: NOW - 3 * HOUR }), true, NOW),
      'problem',
      'overdue: jobs of kind import for 3 hours; import: 1 waiting, 0 running, although a service is running',
    ],
    [
      'warns of overdue work if no service is running',
      judgeDueWork(due({ 'unconfirmed uploads': NOW - 3 * HOUR }), queued({}), false, NOW),
      'warning',
      'overdue: unconfirmed uploads for 3 hours; no jobs; no service is running',
    ],
    [
      'warns of failed jobs',
      judgeDueWork(due({}), queued({ waiting: 1, failed: 2 }), true, NOW),
      'warning',
      'import: 1 waiting, 0 running, 2 failed',
    ],
  ],
};

describe.each(Object.entries(CASES))("the doctor's %s check", (_, cases) => {
  test.each(cases)('%s', (_, { verdict, found, remedy }, expected, text = '') => {
    expect({ verdict, found }).toEqual({ verdict: expected, found: expect.stringContaining(text) });
    if (verdict === 'warning') expect(remedy).not.toBeNull();
    if (verdict === 'ok') expect(remedy).toBeNull();
  });
});
