import { expect } from 'bun:test';
import { at, keysOf, type Reply, stringAt } from '../../support/reply.ts';
import { uuid } from '../../support/shapes.ts';
import type { CallOptions, World } from '../../support/world.ts';

export const profiles = '/workspaces/{workspace}/profiles';
export const posts = '/workspaces/{workspace}/posts';

/** The metrics that a network reports for a post. */
export interface Metrics {
  readonly impressions: number;
  readonly likes: number;
  readonly comments: number;
  readonly shares: number;
  readonly saves: number;
  readonly clicks: number;
}

export interface PostResource {
  readonly id: string;
  readonly profile: string;
  readonly external_id: string | null;
  readonly published_at: string;
  readonly text: string | null;
  readonly media_content_ids: readonly string[];
  readonly metrics: Metrics;
}

export const metricNames = ['impressions', 'likes', 'comments', 'shares', 'saves', 'clicks'] as const;

export const noMetrics: Metrics = { impressions: 0, likes: 0, comments: 0, shares: 0, saves: 0, clicks: 0 };

const postKeys = ['external_id', 'id', 'media_content_ids', 'metrics', 'profile', 'published_at', 'text'];

function assertPost(value: unknown): asserts value is PostResource {
  expect(keysOf(value)).toEqual(postKeys);
  expect(stringAt(value, 'id')).toMatch(uuid);
  expect(stringAt(value, 'profile')).toMatch(uuid);
  expect(stringAt(value, 'published_at')).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  for (const key of ['external_id', 'text']) {
    const field = at(value, key);
    expect(field === null || typeof field === 'string').toBe(true);
  }
  expect(at(value, 'media_content_ids')).toBeArray();
  expect(keysOf(at(value, 'metrics'))).toEqual([...metricNames].sort());
  for (const name of metricNames) expect(at(value, 'metrics', name)).toBeInteger();
}

/** Checks that "all fields are always present", and that there are no others. */
export function post(value: unknown): PostResource {
  assertPost(value);
  return value;
}

/** The post in an answer `{data, message}`, which must have the given status. */
export function onePost(reply: Reply, status: 200 | 201): PostResource {
  expect({ status: reply.status, body: reply.text }).toEqual({ status, body: reply.text });
  expect(keysOf(reply.json)).toEqual(['data', 'message']);
  expect(stringAt(reply.json, 'message').length).toBeGreaterThan(0);
  return post(at(reply.json, 'data'));
}

/** Creates a profile, which must succeed. @returns its id */
export async function makeProfile(world: World, name = 'Shop', workspace = 'workspace', token = 'all') {
  const json = { name, network: 'instagram' };
  const reply = await world.call(`POST /workspaces/{${workspace}}/profiles`, { json, token });
  if (reply.status !== 201) throw new Error(`The profile was refused with ${reply.status}: ${reply.text}`);
  return stringAt(reply.json, 'data', 'id');
}

/**
 * Requests the creation of a post with these fields, and a default `profile` and `published_at`. The service may refuse
 * it.
 */
export function createPost(world: World, fields: object = {}, options: CallOptions = {}): Promise<Reply> {
  const json = { profile: '{profile}', published_at: '2026-01-02T03:04:05Z', ...fields };
  return world.call(`POST ${posts}`, { json, ...options });
}

/** Creates a post, which must succeed. */
export async function makePost(world: World, fields: object = {}, options: CallOptions = {}): Promise<PostResource> {
  return onePost(await createPost(world, fields, options), 201);
}

export async function showPost(world: World, id: string): Promise<PostResource> {
  const reply = await world.call(`GET /posts/${id}`);
  expect({ status: reply.status, body: reply.text }).toEqual({ status: 200, body: reply.text });
  expect(keysOf(reply.json)).toEqual(['data']);
  return post(at(reply.json, 'data'));
}

/** The posts on all pages of a list, in the order of the list. */
export async function listPosts(world: World, query = '', workspace = 'workspace', token = 'all') {
  const found: PostResource[] = [];
  for (let page = 1, last = 1; page <= last; page++) {
    const send = `GET /workspaces/{${workspace}}/posts?per_page=100&page=${page}${query === '' ? '' : `&${query}`}`;
    const reply = await world.call(send, { token });
    expect({ status: reply.status, body: reply.text }).toEqual({ status: 200, body: reply.text });
    last = Number(at(reply.json, 'meta', 'last_page'));
    for (const entry of Object(at(reply.json, 'data'))) found.push(post(entry));
  }
  return found;
}

/** The number of posts in the workspace. */
export async function postCount(world: World): Promise<number> {
  const reply = await world.call(`GET ${posts}?per_page=1`);
  return Number(at(reply.json, 'meta', 'total'));
}
