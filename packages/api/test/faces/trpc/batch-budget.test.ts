import { afterAll, describe, expect, test } from 'bun:test';
import { MAX_POST_TEXT_LENGTH, Refusal } from '@postshelf/domain';
import { addPost, addProfile } from '@postshelf/testing/contracts/posts/samples';
import { outcomeOf, thrownBy } from '@postshelf/testing/outcomes';
import { BatchBudget, bytesOf } from '../../../src/faces/trpc/batch-budget.ts';
import { databases } from '../../support/databases.ts';
import { startApi } from '../../support/service.ts';

afterAll(databases.closeAll);

const TOO_LARGE = { problem: { code: 'too_large' } };
const budgetOf = (limits: { readonly rows: number; readonly bytes: number }) =>
  new BatchBudget(() => undefined, limits);
const turnOfOthers = () => new Promise((resolve) => setImmediate(resolve));
const page = (rows: number) => ({ data: Array.from({ length: rows }, () => 1) });

describe('the budget of a batch', () => {
  test('counts each list item, and each response that is no list, as a row, and rejects a response over the budget', async () => {
    const budget = budgetOf({ rows: 4, bytes: 1000 });
    expect(await budget.read(async () => page(2))).toEqual(page(2));
    expect(await budget.read(async () => ({ data: { id: 1 } }))).toEqual({ data: { id: 1 } });
    expect(await thrownBy(budget.read(async () => page(2)))).toMatchObject(TOO_LARGE);
  });

  test('counts the bytes of responses in UTF-8', async () => {
    const budget = budgetOf({ rows: 10, bytes: 12 });
    expect(await budget.read(async () => '€€')).toBe('€€');
    expect(await budget.read(async () => 'ab')).toBe('ab');
    expect(await thrownBy(budget.read(async () => '€'))).toMatchObject(TOO_LARGE);
  });

  test('lets no call start when it is exhausted', async () => {
    const budget = budgetOf({ rows: 1, bytes: 1000 });
    await budget.read(async () => page(1));
    const begun: string[] = [];
    const call = async () => begun.push('begun');
    expect(await thrownBy(budget.read(call))).toMatchObject(TOO_LARGE);
    expect(begun).toEqual([]);
  });

  test('lets no call start after a response exceeded it', async () => {
    const budget = budgetOf({ rows: 4, bytes: 1000 });
    expect(await thrownBy(budget.read(async () => page(5)))).toMatchObject(TOO_LARGE);
    const begun: string[] = [];
    expect(await thrownBy(budget.read(async () => begun.push('begun')))).toMatchObject(TOO_LARGE);
    expect(begun).toEqual([]);
  });

  test('counts responses of mutations but never rejects them', async () => {
    const budget = budgetOf({ rows: 2, bytes: 1000 });
    expect(await budget.write(async () => page(9))).toEqual(page(9));
    expect(await thrownBy(budget.read(async () => page(1)))).toMatchObject(TOO_LARGE);
  });

  test('lets no mutation start when it is exhausted', async () => {
    const budget = budgetOf({ rows: 1, bytes: 1000 });
    await budget.write(async () => page(1));
    const begun: string[] = [];
    expect(await thrownBy(budget.write(async () => begun.push('begun')))).toMatchObject(TOO_LARGE);
    expect(begun).toEqual([]);
  });

  test('counts refusals and reserves memory for them', async () => {
    const held: number[] = [];
    const budget = new BatchBudget((bytes) => void held.push(bytes), { rows: 10, bytes: 100 });
    const refusal = new Refusal({ code: 'forbidden', message: 'x'.repeat(200) });
    expect(await thrownBy(budget.write(() => Promise.reject(refusal)))).toBe(refusal);
    expect(held).toEqual([200 + '{"message":""}'.length]);
    expect(await thrownBy(budget.read(async () => 1))).toMatchObject(TOO_LARGE);
  });

  test('runs calls one after another, even if one fails', async () => {
    const budget = budgetOf({ rows: 100, bytes: 1000 });
    const gates = Array.from({ length: 3 }, () => Promise.withResolvers<unknown>());
    const begun: number[] = [];
    const calls = gates.map(({ promise }, index) => {
      const call = () => {
        begun.push(index);
        return promise;
      };
      return index === 1 ? budget.write(call) : budget.read(call);
    });
    await turnOfOthers();
    expect(begun).toEqual([0]);
    gates[0]?.reject(new Error('This one fails.'));
    expect(await outcomeOf(calls[0])).toThrow('This one fails.');
    await turnOfOthers();
    expect(begun).toEqual([0, 1]);
    gates[1]?.resolve(1);
    await calls[1];
    await turnOfOthers();
    expect(begun).toEqual([0, 1, 2]);
    gates[2]?.resolve(2);
    expect(await calls[2]).toBe(2);
  });
});

describe('the byte count of a response', () => {
  test.each([
    undefined,
    null,
    'a "€"',
    {},
    { data: [] },
    { data: {} },
    { data: [null] },
    { data: [1, { text: '🌞\n' }], meta: { total: 2 }, links: { first: '€' } },
  ])('equals the length of its JSON: %j', async (answer) =>
    expect(await bytesOf(answer)).toBe(Buffer.byteLength(JSON.stringify(answer ?? null))),
  );

  test('is computed in several turns of the event loop for a long list', async () => {
    const costly = {
      toJSON() {
        const began = performance.now();
        while (performance.now() - began < 6);
        return 1;
      },
    };
    let turnsOfOthers = 0;
    let isCounted = false;
    const others = () => {
      turnsOfOthers += 1;
      if (!isCounted) setImmediate(others);
    };
    setImmediate(others);
    expect(await bytesOf({ data: Array(5).fill(costly) })).toBe(Buffer.byteLength('{"data":[1,1,1,1,1]}'));
    isCounted = true;
    expect(turnsOfOthers).toBeGreaterThanOrEqual(4);
  });
});

const batchOf = (procedure: string, inputs: readonly object[]): string =>
  `/trpc/${inputs.map(() => procedure).join(',')}?batch=1&input=${encodeURIComponent(JSON.stringify({ ...inputs }))}`;

describe.each([
  ['in one response', {}],
  ['streamed as lines', { 'trpc-accept': 'application/jsonl' }],
])('a batch of fifty lists of long posts, %s,', (_, headers) => {
  test('stays within its budget, and returns the results of the calls that fit', async () => {
    const { ports, workspace, send, reported } = await startApi();
    const profile = await addProfile(ports, workspace.id);
    for (let n = 0; n < 100; n++) await addPost(ports, profile, { text: '"'.repeat(MAX_POST_TEXT_LENGTH) });
    const input = { workspace: workspace.id, per_page: 100 };
    const response = await send('GET', batchOf('posts.list', Array(50).fill(input)), undefined, headers);
    const body = await response.text();
    expect(body.length).toBeLessThan(9_100_000);
    expect(body.length).toBeGreaterThan(8_000_000);
    expect(body).toContain('PAYLOAD_TOO_LARGE');
    expect(body.match(/"cut_texts"/g)?.length).toBe(4);
    expect(reported).toEqual([]);
  });
});

test('fifty pages of the default size fit into one batch', async () => {
  const { ports, workspace, send } = await startApi();
  const profile = await addProfile(ports, workspace.id);
  for (let n = 0; n < 30; n++) await addPost(ports, profile);
  const response = await send('GET', batchOf('posts.list', Array(50).fill({ workspace: workspace.id })));
  expect(response.status).toBe(200);
  const answers: unknown = await response.json();
  expect(answers).toHaveLength(50);
  expect(answers).toEqual(Array(50).fill({ result: { data: expect.objectContaining({ data: expect.any(Array) }) } }));
});

test('a batch of fifty mutations runs no further calls once its budget is used up', async () => {
  const { ports, workspace, send } = await startApi();
  const profile = await addProfile(ports, workspace.id);
  const { id } = await addPost(ports, profile, { text: '😀'.repeat(MAX_POST_TEXT_LENGTH) });
  const calls = Array.from({ length: 50 }, (_, nth) => [nth, { id, likes: nth + 1 }]);
  const path = `/trpc/${calls.map(() => 'posts.updateMetrics').join(',')}?batch=1`;
  const response = await send('POST', path, { json: Object.fromEntries(calls) });
  const answers = (await response.json()) as readonly { readonly error?: { readonly data: unknown } }[];
  const made = answers.filter(({ error }) => !error).length;
  expect(made).toBe(36);
  expect(answers.at(-1)?.error?.data).toMatchObject({ httpStatus: 413 });
  expect((await ports.posts.find(id))?.metrics.likes).toBe(made);
});
