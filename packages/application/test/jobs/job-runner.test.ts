import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { JOB_RULES, type Job, type JobKind, limitWork, type Uuid, type Workspace } from '@postshelf/domain';
import { addWorkspace, sampleVideo } from '@postshelf/testing/contracts/samples';
import { FairShares, type JobEnd, type JobHandler, type JobRunner, scheduleCheck } from '../../src/index.ts';
import { done, fault, type JobContext, later, oneByOne } from '../../src/jobs/job-handler.ts';
import { databases } from '../support/databases.ts';
import { addImport } from '../support/imports.ts';
import { claimJobs, countJobs, startRunner, type TestRunner, type TestRunnerOptions } from '../support/jobs.ts';
import { addImage } from '../support/objects.ts';
import { thrownBy } from '../support/refusals.ts';
import { until } from '../support/waiting.ts';
import { inhabitedWorld, replacing, type World } from '../support/world.ts';

afterEach(databases.closeAll);

/** Milliseconds of a lease that is renewed within the test. */
const SHORT = 60;

let world: World;
let workspace: Workspace;

beforeEach(async () => {
  ({ workspace, ...world } = await inhabitedWorld());
});

type Run = (job: Job, context: JobContext) => Promise<JobEnd>;

/** Returns a handler for imports that runs the test's own function. */
const handlerOf = (run: Run, giveUp?: JobHandler<'import'>['giveUp']): JobHandler<'import'> => ({
  kind: 'import',
  run: oneByOne(run),
  ...(giveUp && { giveUp }),
});

/** Ends a job in the way that a feature's transaction does. */
const complete: Run = async (job, { owner }) => {
  await world.jobs.complete(job, owner);
  return done('done');
};

interface Sizes {
  readonly slots?: number;
  readonly slotsPerWorkspace?: number;
}

const sharesOf = ({ slots = 10, slotsPerWorkspace = slots }: Sizes): FairShares =>
  new FairShares(
    limitWork({
      uploads: 1,
      uploadsPerWorkspace: 1,
      imports: slots,
      importsPerWorkspace: slotsPerWorkspace,
      scans: 1,
      writes: 1,
    }),
  );

/** Starts a runner with slots of its own, as a process does. */
function start(run: Run, { slots, slotsPerWorkspace, ...options }: TestRunnerOptions & Sizes = {}): TestRunner {
  const shares = sharesOf({ ...(slots && { slots }), ...(slotsPerWorkspace && { slotsPerWorkspace }) });
  return startRunner({ ...world, shares }, [handlerOf(run)], options);
}

/** Adds this many jobs, each due a millisecond after the previous one. */
async function addJobs(count: number, place: Pick<Workspace, 'id'> = workspace): Promise<readonly Uuid[]> {
  const ids: Uuid[] = [];
  for (let number = 0; number < count; number += 1) {
    ids.push((await addImport(world, place)).id);
    world.clock.advance(1);
  }
  return ids;
}

/** Returns work that starts, and then waits until the test continues it. */
function heldWork() {
  const begun: Uuid[] = [];
  const held = new Map<Uuid, () => void>();
  const run: Run = async (job, context) => {
    begun.push(job.subjectId);
    await new Promise<void>((resolve) => held.set(job.subjectId, resolve));
    return complete(job, context);
  };
  const release = (id?: Uuid): void => {
    for (const [key, resolve] of held) if (id === undefined || id === key) resolve();
  };
  return { run, begun, release };
}

/** Returns work that ends when its signal is aborted, with the result that the test gives. */
function endlessWork(end: () => JobEnd = () => later(0)) {
  const { promise: begun, resolve: begin } = Promise.withResolvers<JobContext>();
  const run: Run = async (_, context) => {
    const aborted = new Promise<void>((resolve) => context.signal.addEventListener('abort', () => resolve()));
    begin(context);
    await aborted;
    return end();
  };
  return { run, begun };
}

/** Reads the due job by claiming it and putting it back unchanged; undefined if no job is due. */
async function peek(): Promise<Job<'import'> | undefined> {
  const [job] = await claimJobs(world, 'import', 'looks');
  if (job) {
    const next = { dueAt: world.clock.now(), attempts: job.attempts, claims: job.claims - 1, reason: null };
    await world.jobs.release(job, 'looks', next);
  }
  return job && { ...job, claims: job.claims - 1 };
}

const failures = async (kind: JobKind = 'import'): Promise<number | undefined> =>
  (await world.jobs.figures()).get(kind)?.failed;

describe('due jobs', () => {
  test('run in slots, and a freed slot is used immediately', async () => {
    const ids = await addJobs(4);
    const shares = sharesOf({ slots: 2 });
    const { run, begun, release } = heldWork();
    const { runner, heard } = startRunner({ ...world, shares }, [handlerOf(run)]);
    await runner.runDue();
    await until(() => begun.length === 2);
    await runner.runDue();
    expect(begun).toEqual(ids.slice(0, 2));
    expect(shares.figures('imports').inUse).toBe(2);
    release(ids[1]);
    await until(() => begun.length === 3);
    expect(begun[2]).toBe(ids[2] as Uuid);
    release();
    await until(() => begun.length === 4);
    release();
    expect(await heard(4)).toEqual(['done', 'done', 'done', 'done']);
    expect(shares.figures('imports').inUse).toBe(0);
    expect(await countJobs(world, 'import')).toBe(0);
  });

  test('are started in turn by workspace, and leave one slot for a workspace that holds none', async () => {
    const [second, third, newcomer] = [await addWorkspace(world), await addWorkspace(world), await addWorkspace(world)];
    const own = await addJobs(3);
    const [others, last] = [await addJobs(3, second), await addJobs(1, third)];
    const { run, begun, release } = heldWork();
    const { runner, ends } = start(run, { slots: 4, slotsPerWorkspace: 2 });
    await runner.runDue();
    await until(() => begun.length === 3);
    expect(begun).toEqual([own[0], others[0], last[0]] as Uuid[]);
    // One slot is free, but not for a workspace that already holds one.
    await runner.runDue();
    expect(begun).toHaveLength(3);
    const [early] = await addJobs(1, newcomer);
    await runner.runDue();
    await until(() => begun.length === 4);
    expect(begun[3]).toBe(early as Uuid);
    await until(() => {
      release();
      return ends.length >= 8;
    });
    expect(ends.map(({ outcome }) => outcome)).toEqual(Array(8).fill('done'));
  });

  test('are limited per workspace across all processes', async () => {
    await addJobs(3);
    const { run, begun, release } = heldWork();
    const [one, two] = [start(run, { perWorkspace: 2 }), start(run, { perWorkspace: 2 })];
    await Promise.all([one.runner.runDue(), two.runner.runDue()]);
    await until(() => begun.length === 2);
    await Promise.all([one.runner.runDue(), two.runner.runDue()]);
    expect(begun).toHaveLength(2);
    release();
    await until(() => begun.length === 3);
    release();
    await until(() => one.ends.length + two.ends.length === 3);
  });

  test('are not claimed for the same slot by two concurrent calls', async () => {
    await addJobs(3);
    const { run, begun, release } = heldWork();
    const { runner, ends } = start(run, { slots: 1 });
    await Promise.all([runner.runDue(), runner.runDue()]);
    await until(() => begun.length === 1);
    expect(ends).toEqual([]);
    await until(() => {
      release();
      return ends.length >= 3;
    });
    expect(ends.map(({ outcome }) => outcome)).toEqual(['done', 'done', 'done']);
    expect(new Set(begun).size).toBe(3);
  });

  test('are put back for a second if their slot was taken meanwhile', async () => {
    await addJobs(1);
    const shares = sharesOf({ slots: 1 });
    const taken: (() => void)[] = [];
    const jobs = replacing(world.jobs, {
      async claim(request) {
        const claimed = await world.jobs.claim(request);
        taken.push(shares.tryTake('imports', workspace.id) ?? expect.unreachable());
        return claimed;
      },
    });
    const { runner, ends, runAll } = startRunner({ ...world, shares, jobs }, [handlerOf(complete)]);
    await runner.runDue();
    expect(ends).toMatchObject([{ outcome: 'later' }]);
    for (const releaseSlot of taken) releaseSlot();
    world.clock.advance(999);
    expect(await start(complete).runAll()).toEqual([]);
    world.clock.advance(1);
    expect(await peek()).toMatchObject({ attempts: 0, claims: 0 });
    expect(await start(complete).runAll()).toEqual(['done']);
    await runAll();
  });

  test('wait as long as claiming is not allowed', async () => {
    await addJobs(1);
    let may = false;
    const { runAll } = start(complete, { mayClaim: async () => may });
    expect(await runAll()).toEqual([]);
    may = true;
    expect(await runAll()).toEqual(['done']);
  });

  test('of a kind without a handler are left to other processes', async () => {
    await addImage(world, workspace.id);
    expect(await start(complete).runAll()).toEqual([]);
    expect(await countJobs(world, 'preview')).toBe(1);
  });

  test('of a kind without slots run one at a time', async () => {
    const videos = [sampleVideo(workspace.id), sampleVideo((await addWorkspace(world)).id)];
    for (const video of videos) await world.media.insert([video], [video.id]);
    const { run, begun, release } = heldWork();
    const handler: JobHandler<'cover'> = { kind: 'cover', run: oneByOne(run) };
    const { runner, heard } = startRunner(world, [handler]);
    world.clock.advance(1000 * 60 * 60 * 24 * 365 * 100);
    await runner.runDue();
    await until(() => begun.length === 1);
    await runner.runDue();
    expect(begun).toHaveLength(1);
    release();
    await until(() => begun.length === 2);
    release();
    expect(await heard(2)).toEqual(['done', 'done']);
  });

  test('of the library belong to no workspace', async () => {
    await scheduleCheck(world);
    const handler: JobHandler<'check'> = { kind: 'check', run: oneByOne(complete) };
    const { runAll, ends } = startRunner(world, [handler]);
    expect(await runAll()).toEqual(['done']);
    expect(ends[0]?.job?.workspaceId).toBeNull();
  });

  test('are given to a handler in batches of one workspace', async () => {
    const { id } = await addWorkspace(world);
    for (let number = 0; number < 10; number += 1) await addImage(world, workspace.id);
    await addImage(world, id);
    const batches: (readonly Job<'preview'>[])[] = [];
    const handler: JobHandler<'preview'> = {
      kind: 'preview',
      async run(jobs, { owner }) {
        batches.push(jobs);
        for (const job of jobs) await world.jobs.complete(job, owner);
        return jobs.map(() => done('done'));
      },
    };
    const { runAll } = startRunner(world, [handler]);
    expect(await runAll()).toHaveLength(11);
    expect(batches.map(({ length }) => length).toSorted()).toEqual([1, 2, 8]);
    for (const jobs of batches) expect(new Set(jobs.map(({ workspaceId }) => workspaceId)).size).toBe(1);
  });

  test('wait until the process is quiet, but no longer than the patience of their kind', async () => {
    await addJobs(1);
    const impatient = (patience: number) => start(complete, { isQuiet: () => false, rules: { patience } });
    world.clock.advance(59_998);
    expect(await impatient(60_000).runAll()).toEqual([]);
    world.clock.advance(1);
    expect(await impatient(60_000).runAll()).toEqual(['done']);
    await addJobs(1);
    world.clock.advance(60_000_000);
    expect(await impatient(Number.POSITIVE_INFINITY).runAll()).toEqual([]);
    expect(await start(complete, { rules: { patience: Number.POSITIVE_INFINITY } }).runAll()).toEqual(['done']);
  });
});

describe('a job', () => {
  test('is reported when it has ended', async () => {
    const [id] = await addJobs(1);
    const cause = new Error('a reason');
    const { runAll, ends } = start(async (job, { owner }) => {
      await world.jobs.complete(job, owner);
      return done('a word', cause);
    });
    expect(await runAll()).toEqual(['a word']);
    expect(ends).toMatchObject([{ job: { subjectId: id, claims: 1 }, outcome: 'a word', cause }]);
  });

  test('may be put back without counting this start', async () => {
    await addJobs(1);
    expect(await start(async () => ({ next: 'again', outcome: 'word', after: 5000 })).runAll()).toEqual(['word']);
    world.clock.advance(4999);
    expect(await peek()).toBeUndefined();
    world.clock.advance(1);
    expect(await peek()).toMatchObject({ attempts: 0, claims: 0 });
  });

  test('may be put back with a new number of attempts, counting this start', async () => {
    await addJobs(1);
    const end = { next: 'again', outcome: 'word', after: 0, attempts: 7, isStarted: true } as const;
    let looks = 0;
    const mayClaim = async () => ++looks === 1;
    expect(await start(async () => end, { mayClaim, slots: 1 }).runAll()).toEqual(['word']);
    expect(await peek()).toMatchObject({ attempts: 7, claims: 1 });
  });

  test('is retried after faults with the delays of its kind, and then given up by its handler', async () => {
    const [id] = await addJobs(1);
    const given: Job[] = [];
    const handler = handlerOf(
      () => Promise.reject(new Error('broken')),
      async (job, context) => {
        given.push(job);
        await world.jobs.complete(job, context.owner);
        return done('given up');
      },
    );
    const { runAll, ends } = startRunner(world, [handler], { rules: { faultDelays: [1000, 7000] } });
    for (const delay of [1000, 7000]) {
      expect(await runAll()).toEqual(['fault']);
      expect(ends.at(-1)).toMatchObject({ cause: new Error('broken') });
      world.clock.advance(delay - 1);
      expect(await runAll()).toEqual([]);
      world.clock.advance(1);
    }
    expect(await runAll()).toEqual(['given up']);
    expect(ends.at(-1)).toMatchObject({ cause: new Error('broken') });
    expect(given).toMatchObject([{ subjectId: id, claims: 3 }]);
    expect(await countJobs(world, 'import')).toBe(0);
  });

  test('is kept as failed after its last retry if its handler has no giveUp', async () => {
    await addJobs(1);
    const broken = () => Promise.reject(new Error('no answer from https://user@host.example/secret'));
    const { runAll } = start(broken, { rules: { faultDelays: [1000] } });
    const reasons: string[] = [];
    expect(await runAll()).toEqual(['fault']);
    world.clock.advance(1000);
    const jobs = replacing(world.jobs, {
      fail(key, owner, reason) {
        reasons.push(reason);
        return world.jobs.fail(key, owner, reason);
      },
    });
    const second = startRunner({ ...world, jobs }, [handlerOf(broken)], { rules: { faultDelays: [1000] } });
    expect(await second.runAll()).toEqual(['failed']);
    expect(reasons).toEqual(['no answer from https://host.example/…']);
    expect(await failures()).toBe(1);
    world.clock.advance(JOB_RULES.import.leaseTime * 1000);
    expect(await runAll()).toEqual([]);
  });

  test('of a kind without delays is retried every minute without limit', async () => {
    await addJobs(1);
    const { runAll } = start(() => Promise.reject(new Error('broken')), { rules: { faultDelays: [] } });
    for (let times = 0; times < 20; times += 1) {
      expect(await runAll()).toEqual(['fault']);
      world.clock.advance(60_000);
    }
    expect(await start(complete, { rules: { faultDelays: [] } }).runAll()).toEqual(['done']);
  });

  test('that has killed its process too often is given up before it starts', async () => {
    const [id] = await addJobs(1);
    for (let kills = 0; kills < 3; kills += 1) {
      expect(await claimJobs(world, 'import', `${kills}`)).toHaveLength(1);
      world.clock.advance(JOB_RULES.import.leaseTime);
    }
    const given: Uuid[] = [];
    const handler = handlerOf(
      () => expect.unreachable(),
      async (job, context) => {
        given.push(job.subjectId);
        await world.jobs.complete(job, context.owner);
        return done('given up');
      },
    );
    const { runAll } = startRunner(world, [handler], { rules: { faultDelays: [1000, 1000] } });
    expect(await runAll()).toEqual(['given up']);
    expect(given).toEqual([id] as Uuid[]);
  });

  test("that is given up doesn't affect the others in its batch", async () => {
    const old = await addImage(world, workspace.id);
    for (let kills = 0; kills < 3; kills += 1) {
      expect(await claimJobs(world, 'preview', `${kills}`)).toHaveLength(1);
      world.clock.advance(JOB_RULES.preview.leaseTime);
    }
    const other = await addImage(world, workspace.id);
    const given: Uuid[] = [];
    const handler: JobHandler<'preview'> = {
      kind: 'preview',
      async run(jobs, { owner }) {
        given.push(...jobs.map(({ subjectId }) => subjectId));
        for (const job of jobs) await world.jobs.complete(job, owner);
        return jobs.map(() => done('done'));
      },
    };
    const { runAll, ends } = startRunner(world, [handler], { rules: { faultDelays: [1000, 1000] } });
    expect((await runAll()).toSorted()).toEqual(['done', 'failed']);
    expect(given).toEqual([other.id]);
    expect(ends.find(({ outcome }) => outcome === 'failed')?.job?.subjectId).toBe(old.id);
    expect(await failures('preview')).toBe(1);
  });

  test('that fails doesn’t affect the others in its batch', async () => {
    const [bad, good] = [await addImage(world, workspace.id), await addImage(world, workspace.id)];
    const handler: JobHandler<'preview'> = {
      kind: 'preview',
      run: oneByOne(async (job, context) =>
        job.subjectId === bad.id ? fault(new Error('broken')) : complete(job, context),
      ),
    };
    const { runAll, ends } = startRunner(world, [handler]);
    expect((await runAll()).toSorted()).toEqual(['done', 'fault']);
    expect(ends.find(({ outcome }) => outcome === 'done')?.job?.subjectId).toBe(good.id);
    world.clock.advance(JOB_RULES.preview.faultDelays[0] ?? 0);
    expect(await claimJobs(world, 'preview', 'looks')).toMatchObject([{ subjectId: bad.id, claims: 2 }]);
  });

  test('without an outcome ends with an error, and is claimed again after its lease expires', async () => {
    const images = [await addImage(world, workspace.id), await addImage(world, workspace.id)];
    const handler: JobHandler<'preview'> = {
      kind: 'preview',
      async run([first], { owner }) {
        if (first) await world.jobs.complete(first, owner);
        return [done('done')];
      },
    };
    const { runAll, ends } = startRunner(world, [handler]);
    expect(await runAll()).toEqual(['done', 'error']);
    expect(String(ends[1]?.cause)).toContain('The handler of preview did not return the outcome of job 1.');
    world.clock.advance(JOB_RULES.preview.leaseTime);
    expect(await runAll()).toEqual(['done']);
    expect(images).toHaveLength(2);
  });
});

describe('a job lease', () => {
  test('is renewed only while a handler works', async () => {
    await addJobs(1);
    let renewals = 0;
    const jobs = replacing(world.jobs, {
      async renew(...lease) {
        const held = await world.jobs.renew(...lease);
        renewals += 1;
        return held;
      },
    });
    const { run, release } = heldWork();
    const { runner, heard } = startRunner({ ...world, jobs }, [handlerOf(run)], { rules: { leaseTime: SHORT } });
    await runner.runDue();
    for (let passed = 0; passed < 3; passed += 1) {
      world.clock.advance(SHORT - 1);
      const before = renewals;
      // Two renewals are awaited, because the first may have started before the clock was advanced.
      await until(() => renewals >= before + 2);
      expect(await claimJobs(world, 'import', 'another')).toEqual([]);
    }
    release();
    expect(await heard(1)).toEqual(['done']);
    const after = renewals;
    await Bun.sleep(SHORT);
    expect(renewals).toBe(after);
  });

  test.each<[string, (id: Uuid) => Promise<unknown>]>([
    ['because its item is deleted', (id) => world.media.delete(id)],
    [
      'to another process',
      () => {
        world.clock.advance(SHORT);
        return claimJobs(world, 'import', 'another');
      },
    ],
  ])("that is lost %s aborts the signal, and the handler's outcome has no effect", async (_, lose) => {
    const [id = expect.unreachable()] = await addJobs(1);
    const { run, begun } = endlessWork(() => ({ next: 'again', outcome: 'lost', after: 0, attempts: 9 }));
    const { runner, heard } = start(run, { rules: { leaseTime: SHORT } });
    await runner.runDue();
    const { signal, renew } = await begun;
    expect(signal.aborted).toBe(false);
    await lose(id);
    expect(await heard(1)).toEqual(['lost']);
    expect(signal.aborted).toBe(true);
    expect(await renew()).toBe(false);
    world.clock.advance(JOB_RULES.import.leaseTime);
    if (await world.media.find(id)) expect(await peek()).toMatchObject({ attempts: 0, claims: 2 });
    else expect(await peek()).toBeUndefined();
  });

  test("is renewed at a handler's request, unless it expires before the database answers", async () => {
    await addJobs(1);
    let delay = 0;
    const jobs = replacing(world.jobs, {
      async renew(...lease) {
        const held = await world.jobs.renew(...lease);
        world.clock.advance(delay);
        return held;
      },
    });
    const answers: boolean[] = [];
    const run: Run = async (job, context) => {
      answers.push(await context.renew());
      delay = JOB_RULES.import.leaseTime;
      answers.push(await context.renew());
      return complete(job, context);
    };
    await startRunner({ ...world, jobs }, [handlerOf(run)]).runAll();
    expect(answers).toEqual([true, false]);
  });

  test('survives a renewal that fails', async () => {
    await addJobs(1);
    let renewals = 0;
    const jobs = replacing(world.jobs, {
      renew: (...lease) =>
        ++renewals === 1 ? Promise.reject(new Error('connection lost')) : world.jobs.renew(...lease),
    });
    const { run, release } = heldWork();
    const { runner, heard } = startRunner({ ...world, jobs }, [handlerOf(run)], { rules: { leaseTime: SHORT } });
    await runner.runDue();
    await until(() => renewals >= 3);
    release();
    expect(await heard(1)).toEqual(['done']);
  });

  test('of a batch is lost only with its last job', async () => {
    const images = [await addImage(world, workspace.id), await addImage(world, workspace.id)];
    const [first, second] = images.map(({ id }) => id) as [Uuid, Uuid];
    const { promise: begun, resolve: begin } = Promise.withResolvers<JobContext>();
    const handler: JobHandler<'preview'> = {
      kind: 'preview',
      async run(jobs, context) {
        begin(context);
        await new Promise<void>((resolve) => context.signal.addEventListener('abort', () => resolve()));
        return jobs.map(() => later(0));
      },
    };
    const { runner, heard } = startRunner(world, [handler], { rules: { leaseTime: SHORT } });
    await runner.runDue();
    const { signal, renew } = await begun;
    await world.media.delete(first);
    expect(await renew()).toBe(true);
    expect(signal.aborted).toBe(false);
    await world.media.delete(second);
    expect(await heard(2)).toEqual(['later', 'later']);
  });
});

describe('stopping a job runner', () => {
  test.each<[string, () => JobEnd]>([
    ['puts it back', () => later(0)],
    [
      'throws',
      () => {
        throw new Error('aborted');
      },
    ],
  ])('aborts the signal, and a job whose handler %s is due immediately, without counting the start', async (_, end) => {
    await addJobs(1);
    const { run, begun } = endlessWork(end);
    const { runner, ends } = start(run);
    await runner.runDue();
    await begun;
    await runner.stop();
    expect(ends.map(({ outcome }) => outcome)).toEqual(['later']);
    expect(await peek()).toMatchObject({ attempts: 0, claims: 0 });
  });

  test("waits for work that can't be interrupted", async () => {
    await addJobs(1);
    const { run, begun, release } = heldWork();
    const { runner, ends } = start(run);
    await runner.runDue();
    await until(() => begun.length === 1);
    let isStopped = false;
    const stopping = runner.stop().then(() => {
      isStopped = true;
    });
    await Bun.sleep(5);
    expect(isStopped).toBe(false);
    release();
    await stopping;
    expect(ends.map(({ outcome }) => outcome)).toEqual(['done']);
  });

  test('puts back jobs that were just being claimed', async () => {
    await addJobs(1);
    const [claimed, mayAnswer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const jobs = replacing(world.jobs, {
      async claim(request) {
        const answer = await world.jobs.claim(request);
        claimed.resolve();
        await mayAnswer.promise;
        return answer;
      },
    });
    const shares = sharesOf({});
    const { runner, ends } = startRunner({ ...world, jobs, shares }, [handlerOf(() => expect.unreachable())]);
    void runner.runDue();
    await claimed.promise;
    const stopping = runner.stop();
    mayAnswer.resolve();
    await stopping;
    expect(ends.map(({ outcome }) => outcome)).toEqual(['later']);
    expect(await peek()).toMatchObject({ attempts: 0, claims: 0 });
    expect(shares.figures('imports').inUse).toBe(0);
  });

  test('prevents new work, and may be repeated', async () => {
    await addJobs(1);
    const { runner, runAll } = start(complete);
    await runner.stop();
    expect(await runAll()).toEqual([]);
    expect(runner.reserve('import', workspace.id)).toBeNull();
    await runner.stop();
  });
});

describe('work that a request hands over', () => {
  /**
   * Adds a job, as a request does that has reserved a slot and holds the job's lease, and hands it over to the runner.
   */
  async function handOver(runner: JobRunner, run: Run): Promise<Uuid> {
    const releaseSlot = runner.reserve('import', workspace.id) ?? expect.unreachable();
    const lease = runner.leaseFor('import');
    const item = await addImport(world, workspace, { start: { lease } });
    runner.adopt(jobOf(item.id), releaseSlot, run);
    return item.id;
  }

  const jobOf = (subjectId: Uuid): Job<'import'> => ({
    kind: 'import',
    subjectId,
    workspaceId: workspace.id,
    payload: { url: 'https://files.example/', terms: { sha256: null, onDuplicate: 'keep' }, requestId: null },
    addedAt: world.clock.now(),
    attempts: 0,
    claims: 1,
  });

  test('continues in the reserved slot, under a lease that is renewed', async () => {
    const shares = sharesOf({ slots: 1 });
    const { run, begun, release } = heldWork();
    const { runner, heard } = startRunner({ ...world, shares }, [handlerOf(() => expect.unreachable())], {
      rules: { leaseTime: SHORT },
    });
    const id = await handOver(runner, run);
    expect(runner.reserve('import', workspace.id)).toBeNull();
    await until(() => begun.length === 1);
    world.clock.advance(SHORT - 1);
    await Bun.sleep(SHORT);
    world.clock.advance(SHORT - 1);
    expect(await claimJobs(world, 'import', 'another')).toEqual([]);
    release();
    expect(await heard(1)).toEqual(['done']);
    expect(begun).toEqual([id]);
    expect(shares.figures('imports').inUse).toBe(0);
  });

  test('is started again by the handler after a fault', async () => {
    const { runner, heard, runAll } = start(complete);
    await handOver(runner, () => Promise.reject(new Error('broken')));
    expect(await heard(1)).toEqual(['fault']);
    expect(await runAll()).toEqual(['fault']);
    world.clock.advance(JOB_RULES.import.faultDelays[0] ?? 0);
    expect(await runAll()).toEqual(['done']);
  });

  test('is put back when the process stops', async () => {
    const { run, begun } = endlessWork();
    const { runner } = start(() => expect.unreachable());
    const id = await handOver(runner, run);
    await begun;
    await runner.stop();
    expect(await peek()).toMatchObject({ subjectId: id, claims: 0 });
  });

  test('gets no slot if its kind has none', () => {
    expect(start(complete).runner.reserve('cover', workspace.id)).toBeNull();
  });
});

test('a job that its own process claims again continues, and is not started twice', async () => {
  await addJobs(1);
  const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
  let starts = 0;
  const { runner } = start(async (job, context) => {
    starts += 1;
    await mayEnd;
    return complete(job, context);
  });
  await runner.runDue();
  // The clock advances as if the machine had slept.
  world.clock.advance(2 * JOB_RULES.import.leaseTime);
  await runner.runDue();
  expect(starts).toBe(1);
  end();
  await until(async () => (await countJobs(world, 'import')) === 0);
  expect(starts).toBe(1);
});

test('a job that becomes due again while it runs is started again immediately afterwards', async () => {
  await addJobs(1);
  let starts = 0;
  const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
  const { runner } = start(async (job, context) => {
    starts += 1;
    if (starts > 1) return complete(job, context);
    // The delivery handler, too, makes a webhook's job due again before it ends.
    const next = { dueAt: world.clock.now(), attempts: 0, claims: 0 };
    await world.jobs.release({ kind: 'import', subjectId: job.subjectId }, context.owner, next);
    await mayEnd;
    return done('delivered');
  });
  await runner.runDue();
  await runner.runDue();
  expect(starts).toBe(1);
  end();
  await until(async () => (await countJobs(world, 'import')) === 0);
  expect(starts).toBe(2);
});

test('a retried job keeps the reason for its fault, without URLs', async () => {
  await addJobs(1);
  const reasons: unknown[] = [];
  const jobs = replacing(world.jobs, {
    release(key, owner, next) {
      reasons.push(next.reason);
      return world.jobs.release(key, owner, next);
    },
  });
  const run: Run = () => Promise.reject(new Error('no answer from https://user@host.example/secret'));
  await startRunner({ ...world, jobs }, [handlerOf(run)]).runAll();
  expect(reasons).toEqual(['no answer from https://host.example/…']);
});

describe('a database fault', () => {
  const lost = new Error('connection lost');

  test('while finding due jobs is thrown to the caller, and work continues afterwards', async () => {
    await addJobs(1);
    let fails = true;
    const jobs = replacing(world.jobs, { due: (now) => (fails ? Promise.reject(lost) : world.jobs.due(now)) });
    const { runner, runAll } = startRunner({ ...world, jobs }, [handlerOf(complete)]);
    expect(await thrownBy(runner.runDue())).toBe(lost);
    fails = false;
    expect(await runAll()).toEqual(['done']);
  });

  test('while claiming a job is reported, and work continues afterwards', async () => {
    await addJobs(1);
    let fails = true;
    const jobs = replacing(world.jobs, {
      claim: (request) => (fails ? Promise.reject(lost) : world.jobs.claim(request)),
    });
    const { runAll, ends } = startRunner({ ...world, jobs }, [handlerOf(complete)]);
    expect(await runAll()).toEqual(['error']);
    expect(ends).toEqual([{ job: null, outcome: 'error', cause: lost }]);
    fails = false;
    expect(await runAll()).toEqual(['done']);
  });

  test('while checking whether jobs may be claimed is reported, and work continues afterwards', async () => {
    await addJobs(1);
    let fails = true;
    const { runAll } = start(complete, { mayClaim: () => (fails ? Promise.reject(lost) : Promise.resolve(true)) });
    expect(await runAll()).toEqual(['error']);
    fails = false;
    expect(await runAll()).toEqual(['done']);
  });

  test('while putting a job back is reported and frees its slot, and the job is due after its lease', async () => {
    await addJobs(1);
    const shares = sharesOf({ slots: 1 });
    let fails = true;
    const jobs = replacing(world.jobs, {
      release: (...next) => (fails ? Promise.reject(lost) : world.jobs.release(...next)),
    });
    const run: Run = (job, context) => (fails ? Promise.reject(new Error('broken')) : complete(job, context));
    const { runAll, ends } = startRunner({ ...world, jobs, shares }, [handlerOf(run)]);
    expect(await runAll()).toEqual(['error']);
    expect(ends).toEqual([{ job: null, outcome: 'error', cause: lost }]);
    expect(shares.figures('imports').inUse).toBe(0);
    fails = false;
    world.clock.advance(JOB_RULES.import.leaseTime - 1);
    expect(await runAll()).toEqual([]);
    world.clock.advance(1);
    expect(await runAll()).toEqual(['done']);
  });
});
