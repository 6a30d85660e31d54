import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { EVENT_TYPES, ROTATION_OVERLAP, SCOPES, type Scope, type Webhook, type Workspace } from '@postshelf/domain';
import { addFolder, addWorkspace, newId, sampleToken } from '@postshelf/testing/contracts/samples';
import {
  type Caller,
  changeWebhook,
  createWebhook,
  deleteWebhook,
  fanOut,
  findDelivery,
  findWebhook,
  listDeliveries,
  listWebhooks,
  redeliver,
  rotateWebhookSecret,
  testWebhook,
} from '../../src/index.ts';
import { callerByToken } from '../support/callers.ts';
import { databases } from '../support/databases.ts';
import { refusalOf } from '../support/refusals.ts';
import { inhabitedWorld, type World } from '../support/world.ts';

afterEach(databases.closeAll);

const URL_OF = 'https://hooks.test/a?key=b';
const NOT_FOUND = { code: 'not_found' } as const;
const PAGE = { page: 1, perPage: 10 };

let world: World;
let workspace: Workspace;
let caller: Caller;

beforeEach(async () => {
  const inhabited = await inhabitedWorld();
  [world, workspace] = [inhabited, inhabited.workspace];
  caller = callerByToken(sampleToken([workspace.id], { scopes: SCOPES }));
});

const withScopes = (...scopes: readonly Scope[]): Caller => callerByToken(sampleToken([workspace.id], { scopes }));
const missing = (scope: Scope) => ({ code: 'missing_scope', scope }) as const;
const make = async (types: Webhook['types'] = null): Promise<Webhook> =>
  (await createWebhook(world, caller, workspace, { url: URL_OF, types })).webhook;

test('events create no deliveries while the disk of the database is low on space', async () => {
  const webhook = await make();
  await addFolder(world, workspace.id);
  let hasSpace = false;
  const ports = { ...world, databaseSpace: { has: async () => hasSpace } };
  const deliveries = async (): Promise<number> => {
    await fanOut(ports, ({ id }) => id, new AbortController().signal);
    return (await listDeliveries(world, webhook, PAGE)).total;
  };
  expect(await deliveries()).toBe(0);
  hasSpace = true;
  expect(await deliveries()).toBe(1);
});

describe('a new webhook', () => {
  test.each([
    ['media events, with media:read', ['media.active', 'media.deleted'], ['media:read'], null],
    [
      'media and folder events, without folders:read',
      ['media.active', 'folder.created'],
      ['media:read'],
      'folders:read',
    ],
    [
      'post events, without analytics:read',
      ['post.created'],
      ['media:read', 'folders:read', 'analytics:write'],
      'analytics:read',
    ],
    ['all events by default, with all read scopes', null, ['media:read', 'folders:read', 'analytics:read'], null],
    ['all events by default, without analytics:read', null, ['media:read', 'folders:read'], 'analytics:read'],
    ['all event types, without media:read', EVENT_TYPES, ['folders:read', 'analytics:read'], 'media:read'],
  ] as const)('requires the read scopes of its event types: %s', async (_, types, scopes, lacking) => {
    const creating = createWebhook(world, withScopes('webhooks:write', ...scopes), workspace, { url: URL_OF, types });
    if (lacking === null) expect((await creating).webhook.types).toEqual(types as Webhook['types']);
    else expect(await refusalOf(creating)).toEqual(missing(lacking));
    expect((await listWebhooks(world, workspace, PAGE)).total).toBe(lacking === null ? 1 : 0);
  });

  test('requires a publicly reachable URL', async () => {
    const creating = createWebhook(world, caller, workspace, { url: 'https://refused.test/', types: null });
    const errors = { url: ['The host is not publicly reachable.'] };
    expect(await refusalOf(creating)).toEqual({ code: 'invalid', errors });
  });
});

describe('changing a webhook', () => {
  test('requires the read scopes of the event types that it will have, even if these stay the same', async () => {
    const webhook = await make(['media.active', 'post.created']);
    const mediaOnly = withScopes('webhooks:write', 'media:read');
    for (const change of [{ url: 'https://mine.test/' }, { enabled: true }, { types: null }, {}]) {
      expect(await refusalOf(changeWebhook(world, mediaOnly, webhook, change))).toMatchObject({
        code: 'missing_scope',
      });
    }
    expect(await refusalOf(rotateWebhookSecret(world, mediaOnly, webhook))).toEqual(missing('analytics:read'));
    expect(await findWebhook(world, caller, webhook.id)).toEqual(webhook);
    const changed = await changeWebhook(world, mediaOnly, webhook, { types: ['media.active'] });
    expect(changed.types).toEqual(['media.active']);
  });

  test('requires a publicly reachable URL', async () => {
    const webhook = await make();
    const changing = changeWebhook(world, caller, webhook, { url: 'https://refused.test/' });
    expect(await refusalOf(changing)).toMatchObject({ code: 'invalid', errors: { url: [expect.any(String)] } });
  });

  test('keeps the previous secret for a day after a rotation', async () => {
    const { webhook, secret } = await createWebhook(world, caller, workspace, { url: URL_OF, types: null });
    const rotated = await rotateWebhookSecret(world, caller, webhook);
    expect(rotated.secret).not.toBe(secret);
    await testWebhook(world, webhook);
    const now = world.clock.now();
    const due = await world.deliveries.next(webhook.id, now);
    expect(due?.secrets.previousUntil).toBe(now + ROTATION_OVERLAP);
    const { current, previous } = due?.secrets ?? expect.unreachable();
    expect(world.webhookSecrets.open(webhook.id, current)).toBe(rotated.secret);
    expect(previous && world.webhookSecrets.open(webhook.id, previous)).toBe(secret);
  });
});

test('a webhook and its deliveries are not found from another workspace', async () => {
  const webhook = await make();
  const delivery = await testWebhook(world, webhook);
  const foreign = callerByToken(sampleToken([(await addWorkspace(world)).id]));
  for (const id of [webhook.id, newId(), 'x'])
    expect(await refusalOf(findWebhook(world, foreign, id))).toEqual(NOT_FOUND);
  for (const id of [delivery.id, newId(), 'x'])
    expect(await refusalOf(findDelivery(world, foreign, id))).toEqual(NOT_FOUND);
  expect(await findDelivery(world, caller, delivery.id)).toEqual(delivery);
});

test('a deleted webhook is not found by any use case', async () => {
  const webhook = await make();
  const delivery = await testWebhook(world, webhook);
  await deleteWebhook(world, webhook);
  const uses = [
    () => deleteWebhook(world, webhook),
    () => findWebhook(world, caller, webhook.id),
    () => changeWebhook(world, caller, webhook, {}),
    () => rotateWebhookSecret(world, caller, webhook),
    () => testWebhook(world, webhook),
    () => redeliver(world, delivery),
    () => findDelivery(world, caller, delivery.id),
  ];
  for (const use of uses) expect(await refusalOf(use())).toEqual(NOT_FOUND);
});

describe('a test delivery', () => {
  test('is refused while the webhook is disabled, as is a redelivery', async () => {
    const webhook = await make();
    const delivery = await testWebhook(world, webhook);
    const disabled = await changeWebhook(world, caller, webhook, { enabled: false });
    const refused = { code: 'invalid', errors: { webhook: ['The webhook is disabled.'] } } as const;
    expect(await refusalOf(testWebhook(world, disabled))).toEqual(refused);
    expect(await refusalOf(redeliver(world, delivery))).toEqual(refused);
  });
});
