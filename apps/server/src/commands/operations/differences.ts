import { firstCodePoints, parseUuid, type Uuid } from '@postshelf/domain';
import { type Command, Option } from 'commander';
import { mediaInspectCommand } from '../inspect.ts';
import { showTime, table } from '../print.ts';
import { CommandError } from '../run.ts';
import type { Difference } from './difference.ts';
import { linesOf, type Resource } from './output.ts';
import {
  resetSecretCommand,
  revokeCommand,
  signInLinkCommand,
  tokenColumns,
  tokenCreation,
  tokenRotation,
} from './tokens.ts';
import { deleteWorkspaceCommand, usageOf, workspaceColumns } from './workspaces.ts';

/** Commands whose names differ from those of their operations. */
export const NAMES: Readonly<Record<string, string>> = {
  'links.rotateKey': 'workspaces.rotateLinkKey',
  'people.create': 'people.invite',
  'people.delete': 'people.remove',
  'people.invite': 'people.inviteAgain',
  // `readiness set` would sound as if it set something.
  'readiness.item': 'readiness.checkItem',
  'readiness.set': 'readiness.checkSet',
  'tokens.delete': 'tokens.revoke',
};

/** The commands of each resource that are written by hand instead of being made from an operation. */
export const ADDED: Readonly<Record<string, readonly (() => Command)[]>> = {
  workspaces: [deleteWorkspaceCommand],
  tokens: [revokeCommand, signInLinkCommand, resetSecretCommand],
  media: [mediaInspectCommand],
};

/** Reads an answer's resource from the database, by its id; null if the resource no longer exists. */
const find = async <T>(all: { find(id: Uuid): Promise<T | null> }, { id }: Resource): Promise<T | null> => {
  const uuid = parseUuid(String(id));
  return uuid && all.find(uuid);
};

/**
 * Adds fields that a profile in the API's answers doesn't have: its workspace, its version, and the times of its
 * creation and last update.
 */
const profile: Difference = {
  columns: ['id', 'name', 'network', 'created_at'],
  async also({ profiles }, resource) {
    const found = await find(profiles, resource);
    // If the profile isn't found, it was deleted in the meantime.
    if (!found) return {};
    const { workspaceId, version, createdAt, updatedAt } = found;
    return { workspace: workspaceId, version, created_at: showTime(createdAt), updated_at: showTime(updatedAt) };
  },
};

const webhook: Difference = {
  async also({ webhooks }, resource) {
    const found = await find(webhooks, resource);
    return found ? { workspace: found.workspaceId } : {};
  },
};

/** Prints each verdict with the sentences about the problems. */
const readiness: Difference = {
  columns: [
    'target',
    'verdict',
    ['PROBLEMS', ({ problems }) => (problems as readonly Resource[]).map(({ message }) => message).join(' ')],
  ],
};

const media: Difference = { columns: ['id', 'name', 'status', 'size', 'folder_id'] };

const people: Difference = { columns: ['id', 'name', 'email', 'role', 'status'] };

/** Returns the beginning of a post's text, long enough to recognise the post. */
const beginningOf = (text: unknown): string => {
  const all = String(text ?? '');
  return all.length > MAX_SHOWN ? `${firstCodePoints(all, MAX_SHOWN)}…` : all;
};

const MAX_SHOWN = 60;

/** Returns the lines for the rules of all targets. The name of each rule begins with the name of its target. */
function ruleLines(answer: unknown): readonly string[] {
  const { data } = answer as { readonly data: readonly { readonly rules: readonly Resource[] }[] };
  const rules = data.flatMap((target) => target.rules);
  return linesOf({ data: rules }, ['rule', 'limit', 'unit', 'severity', 'checked_on']);
}

/**
 * Returns a table of the heatmap, rounded to whole numbers, and lines about the period and the posts on which it is
 * based.
 */
function heatmapLines(answer: unknown): readonly string[] {
  const { data, meta } = answer as {
    readonly data: { readonly heatmap: Readonly<Record<string, readonly number[]>> };
    readonly meta: Resource;
  };
  const rows = Object.entries(data.heatmap).map(([day, hours]) => [day, ...hours.map((value) => value.toFixed())]);
  const heads = ['DAY', ...Array.from({ length: 24 }, (_, hour) => String(hour))];
  const { from, to, timezone, posts, evidence } = meta;
  return [...table(heads, rows), ...linesOf({ data: { from, to, timezone, posts, evidence } })];
}

/** The differences between commands and their operations, by the name of the operation. */
export const DIFFERENCES: Readonly<Record<string, Difference>> = {
  'workspaces.list': { also: usageOf, columns: workspaceColumns },
  'workspaces.update': { aliases: ['change'] },
  'tokens.list': {
    columns: tokenColumns,
    described: { description: 'Lists all tokens, including operator, revoked and expired ones, newest first.' },
  },
  'tokens.create': tokenCreation,
  'tokens.rotate': tokenRotation,
  'people.list': people,
  'people.delete': { aliases: ['delete'] },
  'profiles.list': profile,
  'profiles.create': profile,
  'profiles.get': profile,
  'profiles.update': profile,
  'webhooks.list': webhook,
  'webhooks.create': webhook,
  'webhooks.get': webhook,
  'webhooks.update': webhook,
  'webhooks.deliveries': {
    columns: ['id', 'event.type', 'status', 'attempts', 'next_attempt_at', 'last_status', 'last_error'],
  },
  'media.get': { described: { summary: 'Show a media item' } },
  'media.list': media,
  'media.importUrl': {
    ...media,
    described: {
      summary: 'Import a file by its URL',
      description:
        'An image is active immediately; a video, or an image above 50 MB, is processing until the service has fetched it.',
    },
  },
  'media.presign': { columns: ['id', 'name', 'upload_url'] },
  'links.check': { columns: ['target', 'ok', 'status', 'content_type', 'content_length', 'message'] },
  'posts.list': { columns: ['id', 'profile', 'published_at', ['TEXT', ({ text }) => beginningOf(text)]] },
  'profiles.delete': {
    described: {
      description:
        'A profile with posts is deleted only if `with_posts` is given. Its posts disappear immediately, and are removed in the background.',
    },
  },
  'analytics.bestTimes': { lines: heatmapLines },
  'analytics.slots': { columns: ['at', 'day', 'score', 'low', 'high', 'kind', 'reason'] },
  'networks.list': { lines: ruleLines },
  'audit.list': {
    columns: ['at', 'action', 'subject', 'workspace', 'token', 'person', 'address'],
    described: {
      description:
        'Lists requests and commands that changed something in the last 90 days, newest first. Entries must match all filters given.',
    },
  },
  'readiness.item': readiness,
  'readiness.set': readiness,
  'trash.empty': {
    options: [new Option('--yes', 'empty the trash; without this option nothing is deleted')],
    async instead(_, { yes }) {
      if (yes !== true) throw new CommandError('Everything in the trash would be deleted permanently: pass --yes.');
      return false;
    },
  },
  'trash.list': { columns: ['id', 'name', 'size', 'folder_id', 'deleted_at'] },
  'jobs.list': {
    columns: [
      'id',
      'state',
      'workspace',
      'added_at',
      'due_at',
      ['TRIES', ({ attempts, starts }) => String(Number(attempts) + Number(starts))],
      'reason',
    ],
  },
  'jobs.retry': { lines: (_, id) => [`${id} is tried as soon as a service runs.`] },
  'jobs.cancel': {
    value: (_, id) => ({ id, cancelled: true }),
    lines: (_, id) => [`${id} has been cancelled.`],
  },
};
