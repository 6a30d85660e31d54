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
const noRules = { rules: [], publicStatus: null };
const rule = (isMissing: boolean, reason: string | null = null) => ({ name: 'cors', isMissing, reason });
const clock = (ahead: number) => judgeClock([{ name: "the store's", ahead }]);

const CASES: Readonly<Record<string, readonly (readonly [string, Finding, Finding['verdict'], string?])[]>> = {
  settings: [
    ['at their defaults', judgeSettings({ errors: [], doubts: [], differing: [] }), 'ok'],
    ['an invalid one', judgeSettings({ errors: ['PORT: no'], doubts: ['x'], differing: [] }), 'problem', 'PORT: no'],
    ['a doubt', judgeSettings({ errors: [], doubts: ['DB_URL'], differing: ['PORT'] }), 'warning', 'DB_URL'],
  ],
  secret: [
    ['none yet', judgeSecret({ file: null, length: null, mismatch: null }), 'ok'],
    ['given', judgeSecret({ file: null, length: 40, mismatch: null }), 'ok', '40 characters'],
    ['for its owner alone', judgeSecret(file(0o100600)), 'ok', '0600'],
    ['for the group', judgeSecret(file(0o100640)), 'problem', '0640'],
    ["another library's", judgeSecret({ ...file(0o100600), mismatch: 'not that of the library' }), 'problem'],
  ],
  clock: [
    ['nothing to compare with', judgeClock([]), 'ok'],
    ['a minute', clock(MINUTE), 'ok'],
    ['more, ahead', clock(-5 * MINUTE), 'problem', "5 minutes ahead of the store's"],
    ['more, behind', clock(MINUTE + 1), 'problem', "60 seconds behind the store's"],
  ],
  disk: [
    ['plenty', judgeDisk([disk(2048 * MB)], 1024 * MB), 'ok', '2048 MB'],
    ['less than twice the reserve', judgeDisk([disk(2048 * MB - 1)], 1024 * MB), 'warning'],
    ['less than the reserve, one of two', judgeDisk([disk(9e9), disk(1024 * MB - 1)], 1024 * MB), 'problem', '1023 MB'],
    ['no reserve', judgeDisk([disk(1)], 0), 'ok'],
  ],
  inodes: [
    ['plenty', judgeInodes([disk(1, 5_000)]), 'ok'],
    ['not limited', judgeInodes([disk(1, 0, 0)]), 'ok', 'not limited'],
    ['few', judgeInodes([disk(1, 4_999)]), 'warning', '4999 of 100000'],
    ['hardly any', judgeInodes([disk(1, 999)]), 'problem'],
  ],
  ffmpeg: [
    ['complete', judgeFfmpeg({ configured: null, found: ffmpeg, missing: [] }), 'ok', 'version 7'],
    ['none', judgeFfmpeg({ configured: null, found: null, missing: [] }), 'warning'],
    ['none at FFMPEG_PATH', judgeFfmpeg({ configured: '/no', found: null, missing: [] }), 'problem', '/no'],
    ['lacking a codec', judgeFfmpeg({ configured: null, found: ffmpeg, missing: ['encoder aac'] }), 'warning', 'aac'],
  ],
  bucket: [
    ['complete', judgeBucket({ rules: [rule(false)], publicStatus: 200 }), 'ok', 'publicly readable'],
    ['a missing rule', judgeBucket({ ...noRules, rules: [rule(true)] }), 'warning', 'cors'],
    ['a rule that cannot be seen', judgeBucket({ ...noRules, rules: [rule(false, 'denied')] }), 'ok', 'denied'],
    ['not public', judgeBucket({ ...noRules, publicStatus: 403 }), 'problem', '403'],
  ],
  proxy: [
    ['as documented', proxy({}), 'ok', '/metrics is not open'],
    ['to something else', proxy({ isOurs: false, metrics: 200 }), 'problem', 'not Postshelf'],
    ['open metrics', proxy({ metrics: 200 }), 'problem', '/metrics is publicly accessible'],
    [
      'none, on this machine',
      proxy({ url: 'http://127.0.0.1:3000', metrics: 200, isLocal: true, isDirect: true }),
      'ok',
    ],
    ['a small limit', proxy({ upload: 413 }), 'problem', '413'],
    ['that buffers', proxy({ upload: null }), 'warning'],
    ['without TLS', proxy({ url: 'http://media.example.com' }), 'warning', 'not encrypted'],
  ],
  backup: [
    ['never', judgeBackup(library({}), true, NOW), 'warning', 'never'],
    ['yesterday', judgeBackup(library({ backedUpAt: NOW - DAY }), true, NOW), 'ok', '24 hours ago'],
    ['long ago', judgeBackup(library({ backedUpAt: NOW - 3 * DAY }), true, NOW), 'warning', '3 days ago'],
    ['by other tools', judgeBackup(null, false, NOW), 'ok'],
  ],
  verify: [
    ['never', judgeVerify(null, check({}), NOW), 'warning', 'never'],
    ['by the command', judgeVerify(library({ verifiedAt: NOW - DAY }), check({}), NOW), 'ok'],
    ['by the service', judgeVerify(library({}), check({ finishedAt: NOW - 8 * DAY }), NOW), 'ok', '8 days ago'],
    ['long ago', judgeVerify(null, check({ finishedAt: NOW - 15 * DAY }), NOW), 'warning'],
    ['missing objects', judgeVerify(null, check({ finishedAt: NOW - 1, lastMissing: 3 }), NOW), 'problem', '3 objects'],
    [
      'missing objects, repaired since',
      judgeVerify(library({ verifiedAt: NOW }), check({ finishedAt: NOW - 1, lastMissing: 3 }), NOW),
      'ok',
    ],
  ],
  jobs: [
    ['none', judgeDueWork(due({}), queued({}), true, NOW), 'ok', 'nothing is overdue: no jobs'],
    [
      'due for two hours',
      judgeDueWork(due({ deletions: NOW - 2 * HOUR }), queued({ waiting: 2, longestDue: NOW - 2 * HOUR }), true, NOW),
      'ok',
      'import: 2 waiting, 0 running',
    ],
    [
      'tried before',
      judgeDueWork(due({}), queued({ waiting: 3, running: 1, retried: 2, oldest: NOW - 5 * 60_000 }), true, NOW),
      'ok',
      'import: 3 waiting (2 tried before, the oldest for 5 minutes), 1 running',
    ],
    [
      'longer',
      judgeDueWork(due({}), queued({ waiting: 1, longestDue: NOW - 3 * HOUR }), true, NOW),
      'problem',
      'overdue: jobs of kind import for 3 hours; import: 1 waiting, 0 running, although a service is running',
    ],
    [
      'longer, and nothing runs',
      judgeDueWork(due({ 'unconfirmed uploads': NOW - 3 * HOUR }), queued({}), false, NOW),
      'warning',
      'overdue: unconfirmed uploads for 3 hours; no jobs; no service is running',
    ],
    [
      'given up',
      judgeDueWork(due({}), queued({ waiting: 1, failed: 2 }), true, NOW),
      'warning',
      'import: 1 waiting, 0 running, 2 failed',
    ],
  ],
};

describe.each(Object.entries(CASES))('%s', (_, cases) => {
  test.each(cases)('%s', (_, { verdict, found, remedy }, expected, text = '') => {
    expect({ verdict, found }).toEqual({ verdict: expected, found: expect.stringContaining(text) });
    if (verdict === 'warning') expect(remedy).not.toBeNull();
    if (verdict === 'ok') expect(remedy).toBeNull();
  });
});
