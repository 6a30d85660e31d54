import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { counts, importAll } from '../posts/support/imports.ts';
import { makeProfile } from '../posts/support/posts.ts';
import { sized } from '../support/long.ts';
import { stringAt } from '../support/reply.ts';
import { World } from '../support/world.ts';
import { bestTimes, expectHeatmap } from './support/best-times.ts';
import { type Told, told } from './support/oracle.ts';
import { Random } from './support/random.ts';
import { lineOf, randomInstant, randomMetrics, temperaments } from './support/random-posts.ts';
import { clockChanges, localTime } from './support/temporal.ts';
import { dayWindow, type Forms, randomWindow, type Window } from './support/windows.ts';

setDefaultTimeout(120_000);

// What the clocks of every zone show is tested in packages/domain/test/best-times against Temporal.
const postsPerProfile = sized(100, 400);
const windowsPerZone = sized(6, 30);

/** Row: a zone, a stretch of its history, how many times its clocks change in it, and how windows may be said. */
type Row = readonly [zone: string, from: string, to: string, changes: number, forms?: Forms];

const ordinary: readonly Row[] = [
  ['America/New_York', '2024-10-01', '2025-12-01', 3],
  // By half an hour.
  ['Australia/Lord_Howe', '2025-01-01', '2026-01-01', 2],
  // Clocks go back at one past midnight, in the middle of a quarter of an hour, and repeat most of the day before.
  ['America/St_Johns', '2010-01-01', '2011-01-01', 2, 'no dates'],
];

const others: readonly Row[] = [
  // Clocks change at midnight, backwards into the day before.
  ['America/Sao_Paulo', '2018-01-01', '2019-03-01', 3],
  // A day that wasn't.
  ['Pacific/Apia', '2011-09-01', '2012-05-01', 3],
  // 44 minutes and 30 seconds behind UTC.
  ['Africa/Monrovia', '1971-06-01', '1972-06-01', 1],
  ['UTC', '2025-01-01', '2026-01-01', 0],
  ['Europe/Berlin', '2025-01-01', '2026-01-01', 2],
  ['America/St_Johns', '2025-01-01', '2026-01-01', 2],
  ['Asia/Kathmandu', '2025-01-01', '2026-01-01', 0],
  ['Pacific/Chatham', '2025-01-01', '2026-01-01', 2],
  ['Africa/Casablanca', '2025-01-01', '2026-01-01', 2],
  ['Africa/Cairo', '2025-01-01', '2026-01-01', 2],
];

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.close());

for (const [index, [zone, since, until, changes, forms]] of [...ordinary, ...sized([], others)].entries()) {
  describe(`${zone}, ${since} to ${until}: each post counts at the offset in force at its instant`, () => {
    const [from, to] = [Date.parse(since), Date.parse(until)];
    const random = new Random(index + 1);
    const profiles: string[] = [];
    const posts: Told[] = [];

    // A workspace of its own for each zone.
    beforeAll(async () => {
      const workspace = await world.command(['workspace', 'create', '--name', zone, '--timezone', zone]);
      world.ids.workspace = stringAt(workspace, 'id');
      await world.token('all', '{workspace}');
      const lines: string[] = [];
      for (const temperament of temperaments) {
        const profile = await makeProfile(world, temperament);
        profiles.push(profile);
        for (let nth = 0; nth < postsPerProfile; nth++) {
          const at = randomInstant(random, zone, from, to);
          const metrics = randomMetrics(random, temperament);
          lines.push(lineOf(random, { profile, external_id: `${nth}`, at, metrics }));
          posts.push(told(zone, profile, at, metrics));
        }
      }
      const answer = await importAll(world, lines.join('\n'));
      expect(counts(answer)).toMatchObject({ lines: lines.length, created: lines.length });
    });

    /** Of the workspace and of a profile, in one window. */
    async function expectWindow({ from, to, holds }: Window, profile = random.pick(profiles)): Promise<void> {
      const inWindow = posts.filter(holds);
      const whole = await bestTimes(world, { workspace: '{workspace}', from, to });
      expect(whole.timezone).toBe(zone);
      expectHeatmap(whole, inWindow);
      const own = inWindow.filter((post) => post.profile === profile);
      expectHeatmap(await bestTimes(world, { profile, from, to }), own);
    }

    test('all posts', async () => {
      expect(clockChanges(zone, from, to)).toHaveLength(changes);
      const all = { from: '1970-01-01T00:00:00Z', to: '2030-01-01T00:00:00Z', holds: () => true };
      for (const profile of profiles) await expectWindow(all, profile);
    });

    test(`${windowsPerZone} windows in any form`, async () => {
      for (let nth = 0; nth < windowsPerZone; nth++) {
        const window = randomWindow(random, zone, from, to, forms);
        await expectWindow(window).catch((error) => {
          throw new Error(`${window.from} to ${window.to}: ${error instanceof Error ? error.message : error}`);
        });
      }
    });

    if (forms !== 'no dates') {
      test('each day on which clocks change, whole', async () => {
        for (const change of clockChanges(zone, from, to)) {
          for (const day of [change - 86_400_000, change - 1, change, change + 86_400_000]) {
            const { date } = localTime(zone, day);
            await expectWindow(dayWindow(date, date));
          }
        }
      });
    }
  });
}
