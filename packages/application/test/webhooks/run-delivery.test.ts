import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import {
  type Attempt,
  type Delivery,
  limitWork,
  MAX_FAILING,
  MAX_WEBHOOKS,
  SCOPES,
  type Uuid,
  type Webhook,
} from '@postshelf/domain';
import { addWorkspace, sampleToken } from '@postshelf/testing/contracts/samples';
import { until } from '@postshelf/testing/waiting';
import {
  changeWebhook,
  createWebhook,
  deliveryHandler,
  FairShares,
  redeliver,
  rotateWebhookSecret,
  testWebhook,
} from '../../src/index.ts';
import { callerByToken } from '../support/callers.ts';
import { databases } from '../support/databases.ts';
import { startRunner, type TestRunner } from '../support/jobs.ts';
import { nextTurn } from '../support/waiting.ts';
import { makeWorld, replacing, type World } from '../support/world.ts';

afterEach(databases.closeAll);

const RETRY_DELAYS = [1000, 5000];
const OK: Attempt = { ok: true, status: 204 };
const FAILED: Attempt = { ok: false, status: 500, error: 'status' };
const [HOUR, DAY] = [3_600_000, 86_400_000];
/** The default of WEBHOOK_RETRY_DELAYS in milliseconds. */
const USUAL_DELAYS = [5000, 300_000, ...[0.5, 2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR)];

let world: World;

beforeEach(async () => {
  world = await makeWorld();
});

const tokenFor = (workspaceId: Uuid) => callerByToken(sampleToken([workspaceId], { scopes: SCOPES }));

async function addWebhook(url: string, workspaceId?: Uuid): Promise<Webhook & { readonly secret: string }> {
  const workspace = workspaceId ? { id: workspaceId } : await addWorkspace(world);
  const found = (await world.workspaces.find(workspace.id)) ?? expect.unreachable();
  const created = await createWebhook(world, tokenFor(found.id), found, { url, types: null });
  return { ...created.webhook, secret: created.secret };
}

const start = (ports: World = world, retryDelays = RETRY_DELAYS): TestRunner =>
  startRunner(ports, [deliveryHandler(ports, { retryDelays, random: () => 0 })]);

const outcomes = (ports: World = world): Promise<readonly string[]> => start(ports).runAll();

const stateOf = async ({ id }: Delivery) => (await world.deliveries.find(id)) ?? expect.unreachable();
const webhookOf = async ({ id }: Webhook) => (await world.webhooks.find(id)) ?? expect.unreachable();

describe('a delivery', () => {
  test('is retried no earlier than the receiver asked, but within a day, and never earlier than the delay', async () => {
    for (const [retryAfter, delay] of [
      [60_000, 60_000],
      [10, 1000],
      [1000 * DAY, DAY],
    ] as const) {
      const webhook = await addWebhook('https://busy.test/');
      world.webhookSender.answer(webhook.url, { ok: false, status: 429, error: 'status', retryAfter });
      const delivery = await testWebhook(world, webhook);
      expect(await outcomes()).toEqual(['retry']);
      expect(await stateOf(delivery)).toMatchObject({ nextAttemptAt: world.clock.now() + delay });
    }
  });

  test('is retried after each delay with the same id, and then fails', async () => {
    const webhook = await addWebhook('https://a.test/');
    world.webhookSender.answer(webhook.url, FAILED);
    const delivery = await testWebhook(world, webhook);
    for (const delay of RETRY_DELAYS) {
      expect(await outcomes()).toEqual(['retry']);
      const nextAttemptAt = world.clock.now() + delay;
      expect(await stateOf(delivery)).toMatchObject({ status: 'pending', nextAttemptAt, lastStatus: 500 });
      world.clock.advance(delay - 1);
      expect(await outcomes()).toEqual([]);
      world.clock.advance(1);
    }
    expect(await outcomes()).toEqual(['failed']);
    const failed = { status: 'failed', attempts: 3, nextAttemptAt: null, lastError: 'status' } as const;
    expect(await stateOf(delivery)).toMatchObject(failed);
    world.clock.advance(DAY);
    expect(await outcomes()).toEqual([]);
    expect(new Set(world.webhookSender.sent.map(({ id }) => id))).toEqual(new Set([delivery.event.id]));
    world.webhookSender.answer(webhook.url, OK);
    await redeliver(world, delivery);
    expect(await outcomes()).toEqual(['delivered']);
    expect(world.webhookSender.sent.at(-1)?.id).toBe(delivery.event.id);
  });

  test('reaches a receiver that was down for a day, with the default delays', async () => {
    const webhook = await addWebhook('https://a.test/');
    world.webhookSender.answer(webhook.url, FAILED);
    const events = new Set<Uuid>();
    const pass = async (hours: number, add: boolean): Promise<void> => {
      for (let minute = 0; minute < hours * 60; minute += 30) {
        if (add && minute % 120 === 0) events.add((await testWebhook(world, webhook)).event.id);
        await start(world, USUAL_DELAYS).runAll();
        world.clock.advance(HOUR / 2);
      }
    };
    await pass(24, true);
    const refused = world.webhookSender.sent.length;
    world.webhookSender.answer(webhook.url, OK);
    await pass(24, false);
    const taken = world.webhookSender.sent.slice(refused).map(({ id }) => id);
    expect(taken).toHaveLength(12);
    expect(new Set(taken)).toEqual(events);
  });

  test('is signed with both secrets for a day after a rotation', async () => {
    const webhook = await addWebhook('https://a.test/');
    const { secret } = await rotateWebhookSecret(world, tokenFor(webhook.workspaceId), webhook);
    const signing = async () => {
      await testWebhook(world, webhook);
      await outcomes();
      return world.webhookSender.sent.at(-1)?.secrets;
    };
    expect(await signing()).toEqual([secret, webhook.secret]);
    world.clock.advance(DAY);
    expect(await signing()).toEqual([secret]);
  });

  test("fails without a request if its secret can't be read, and is retried after a rotation", async () => {
    const webhook = await addWebhook('https://a.test/');
    const delivery = await testWebhook(world, webhook);
    const changed = { ...world, webhookSecrets: replacing(world.webhookSecrets, { open: () => null }) };
    expect(await outcomes(changed)).toEqual(['retry']);
    expect(await stateOf(delivery)).toMatchObject({ attempts: 1, lastStatus: null, lastError: 'secret' });
    expect(world.webhookSender.sent).toEqual([]);
    const { secret } = await rotateWebhookSecret(world, tokenFor(webhook.workspaceId), webhook);
    const opening = replacing(world.webhookSecrets, {
      open: (id, sealed) => (world.webhookSecrets.open(id, sealed) === secret ? secret : null),
    });
    world.clock.advance(1000);
    expect(await outcomes({ ...world, webhookSecrets: opening })).toEqual(['delivered']);
    expect(world.webhookSender.sent.at(-1)?.secrets).toEqual([secret]);
  });

  test('is put back when the worker stops, without counting an attempt', async () => {
    const webhook = await addWebhook('https://a.test/');
    world.webhookSender.answer(webhook.url, 'silent', OK);
    const delivery = await testWebhook(world, webhook);
    const { runner, ends } = start();
    await runner.runDue();
    await until('it is sent', () => world.webhookSender.sent.length > 0);
    await runner.stop();
    expect(ends.map(({ outcome }) => outcome)).toEqual(['later']);
    expect(await stateOf(delivery)).toMatchObject({ status: 'pending', attempts: 0 });
    expect(await outcomes()).toEqual(['delivered']);
  });

  test('is retried a minute after each internal fault, without limit', async () => {
    const delivery = await testWebhook(world, await addWebhook('https://a.test/'));
    const send = async () => Promise.reject(new Error('A fault.'));
    const faulty = start({ ...world, webhookSender: replacing(world.webhookSender, { send }) });
    for (let faults = 1; faults <= 6; faults += 1) {
      expect(await faulty.runAll()).toEqual(['fault']);
      expect(faulty.ends.at(-1)).toMatchObject({ cause: new Error('A fault.') });
      world.clock.advance(59_999);
      expect(await outcomes()).toEqual([]);
      world.clock.advance(1);
    }
    expect(await stateOf(delivery)).toMatchObject({ status: 'pending', attempts: 0 });
    expect(await outcomes()).toEqual(['delivered']);
  });

  test('is never in flight together with another delivery of its webhook', async () => {
    const slow = await addWebhook('https://slow.test/');
    const quick = await addWebhook('https://quick.test/', slow.workspaceId);
    for (const webhook of [slow, quick]) for (const _ of [1, 2, 3]) await testWebhook(world, webhook);
    const [underWay, max] = [new Map<string, number>(), new Map<string, number>()];
    const webhookSender = replacing(world.webhookSender, {
      async send(message) {
        const { url } = message;
        underWay.set(url, (underWay.get(url) ?? 0) + 1);
        max.set(url, Math.max(max.get(url) ?? 0, underWay.get(url) ?? 0));
        for (const _ of [1, 2, 3]) await nextTurn();
        underWay.set(url, (underWay.get(url) ?? 0) - 1);
        return world.webhookSender.send(message);
      },
    });
    // Two runners act as two processes.
    const ports = { ...world, webhookSender };
    await Promise.all([start(ports).runAll(), start(ports).runAll()]);
    expect(max).toEqual(
      new Map([
        [slow.url, 1],
        [quick.url, 1],
      ]),
    );
    expect(world.webhookSender.sent).toHaveLength(6);
  });

  test('is sent after earlier deliveries of its webhook, in turn with deliveries of other webhooks', async () => {
    const [one, two] = [await addWebhook('https://a.test/'), await addWebhook('https://b.test/')];
    const ids: Uuid[] = [];
    for (const webhook of [one, one, two, two]) {
      ids.push((await testWebhook(world, webhook)).event.id);
      world.clock.advance(1);
    }
    // The process has a single slot for deliveries.
    const { figures, workspacesAtLimit } = world.shares;
    const shares = replacing(world.shares, {
      workspacesAtLimit: (kind) =>
        figures.call(world.shares, kind).inUse > 0 ? null : workspacesAtLimit.call(world.shares, kind),
    });
    expect(await outcomes({ ...world, shares })).toHaveLength(4);
    const sent = world.webhookSender.sent.map(({ id }) => id);
    expect(sent).toEqual([ids[0], ids[2], ids[1], ids[3]] as Uuid[]);
  });

  test('is sent a second later if its webhook’s job does not find it the first time', async () => {
    const webhook = await addWebhook('https://a.test/');
    const first = await testWebhook(world, webhook);
    world.clock.advance(1);
    const second = await testWebhook(world, webhook);
    world.webhookSender.answer(webhook.url, FAILED, OK);
    expect(await outcomes()).toEqual(['retry', 'delivered']);
    expect((await stateOf(second)).status).toBe('delivered');
    // `next` finds no delivery, as if another process was still handling it when this process looked for one.
    const deliveries = replacing(world.deliveries, { next: async () => null });
    world.clock.advance(RETRY_DELAYS[0] ?? 0);
    const { runner, heard } = start({ ...world, deliveries });
    void runner.runDue();
    expect((await heard(1)).at(0)).toBe('none');
    await runner.stop();
    world.clock.advance(1000);
    expect(await outcomes()).toEqual(['delivered']);
    expect((await stateOf(first)).status).toBe('delivered');
  });
});

describe('a webhook is disabled', () => {
  /** Adds a failing delivery every six hours for this time, until the webhook is disabled. */
  async function failFor(webhook: Webhook, time: number): Promise<void> {
    for (let passed = 0; passed < time; passed += 6 * HOUR) {
      if (!(await webhookOf(webhook)).enabled) return;
      await testWebhook(world, webhook);
      await outcomes();
      world.clock.advance(6 * HOUR);
    }
  }

  test('after five days with failures only, and enabling it starts a new period of five days', async () => {
    const webhook = await addWebhook('https://a.test/');
    world.webhookSender.answer(webhook.url, FAILED);
    await failFor(webhook, MAX_FAILING);
    expect(await webhookOf(webhook)).toMatchObject({ enabled: true });
    await failFor(webhook, HOUR);
    expect(await webhookOf(webhook)).toMatchObject({ enabled: false, disabledReason: 'failing' });
    await changeWebhook(world, tokenFor(webhook.workspaceId), webhook, { enabled: true });
    await failFor(webhook, MAX_FAILING);
    expect(await webhookOf(webhook)).toMatchObject({ enabled: true, disabledReason: null });
  });

  test('only if no delivery succeeded during those five days', async () => {
    const webhook = await addWebhook('https://a.test/');
    world.webhookSender.answer(webhook.url, FAILED);
    await failFor(webhook, MAX_FAILING);
    world.webhookSender.answer(webhook.url, OK, FAILED);
    await failFor(webhook, MAX_FAILING);
    expect(await webhookOf(webhook)).toMatchObject({ enabled: true });
  });
});

test('a workspace full of webhooks that never respond does not delay deliveries of another workspace', async () => {
  const shares = new FairShares(
    limitWork({
      uploads: 1,
      uploadsPerWorkspace: 1,
      imports: 1,
      importsPerWorkspace: 1,
      scans: 1,
      writes: 1,
    }),
  );
  const ports = { ...world, shares };
  const { id } = await addWorkspace(world);
  for (let number = 0; number < MAX_WEBHOOKS; number += 1) {
    const webhook = await addWebhook(`https://silent.test/${number}`, id);
    world.webhookSender.answer(webhook.url, 'silent');
    await testWebhook(world, webhook);
  }
  const { runner, ends } = start(ports);
  await runner.runDue();
  await until('eight are under way', () => world.webhookSender.sent.length === 8);
  // The clock isn't advanced, so none of the silent webhooks' attempts times out and gives its slot back.
  for (let number = 0; number < 20; number += 1) {
    const other = await addWebhook(`https://good.test/${number}`);
    const delivery = await testWebhook(world, other);
    await runner.runDue();
    await until('it is delivered', () => ends.length > number, 2000);
    expect((await stateOf(delivery)).status).toBe('delivered');
  }
  expect(ends.map(({ outcome }) => outcome)).toEqual(Array.from({ length: 20 }, () => 'delivered'));
  expect(world.webhookSender.sent).toHaveLength(28);
  expect(shares.figures('deliveries').inUse).toBe(8);
  await runner.stop();
  expect(shares.figures('deliveries').inUse).toBe(0);
});
