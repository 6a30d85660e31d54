import { parseUuid, type Uuid } from '@postshelf/domain';
import type { Command } from 'commander';
import { mediaInspectCommand } from '../inspect.ts';
import { showTime } from '../run.ts';
import type { Difference } from './difference.ts';
import type { Resource } from './output.ts';
import {
  resetSecretCommand,
  revokeCommand,
  signInLinkCommand,
  tokenColumns,
  tokenCreation,
  tokenRotation,
} from './tokens.ts';
import { deleteWorkspaceCommand, usageOf, workspaceColumns } from './workspaces.ts';

/** Commands that are named otherwise than their operations. */
export const NAMES: Readonly<Record<string, string>> = {
  'links.rotateKey': 'workspaces.rotateLinkKey',
  'people.create': 'people.invite',
  'people.delete': 'people.remove',
  'people.invite': 'people.inviteAgain',
  'tokens.delete': 'tokens.revoke',
};

/** Commands written by hand, by resource. */
export const ADDED: Readonly<Record<string, readonly (() => Command)[]>> = {
  workspaces: [deleteWorkspaceCommand],
  tokens: [revokeCommand, signInLinkCommand, resetSecretCommand],
  media: [mediaInspectCommand],
};

/** Finds what an answer shows. */
const find = async <T>(all: { find(id: Uuid): Promise<T | null> }, { id }: Resource): Promise<T | null> => {
  const uuid = parseUuid(String(id));
  return uuid && all.find(uuid);
};

/** The workspace of a profile, and the times and version that aren't in its answers. */
const profile: Difference = {
  columns: ['id', 'name', 'network', 'created_at'],
  async also({ profiles }, resource) {
    const found = await find(profiles, resource);
    // Otherwise it was deleted in the meantime.
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

/** The verdicts, with the sentences about their problems. */
const readiness: Difference = {
  columns: [
    'target',
    'verdict',
    ['PROBLEMS', ({ problems }) => (problems as readonly Resource[]).map(({ message }) => message).join(' ')],
  ],
};

const media: Difference = { columns: ['id', 'name', 'status', 'size', 'folder_id'] };

/** By the names of operations. */
export const DIFFERENCES: Readonly<Record<string, Difference>> = {
  'workspaces.list': { also: usageOf, columns: workspaceColumns },
  'workspaces.update': { aliases: ['change'] },
  'tokens.list': { columns: tokenColumns },
  'tokens.create': tokenCreation,
  'tokens.rotate': tokenRotation,
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
  'media.list': media,
  'media.importUrl': {
    ...media,
    described: {
      summary: 'Import a file by its URL',
      description:
        'An image is active immediately; a video, and an image above 50 MB, is processing until the service has fetched it.',
    },
  },
  'media.presign': { columns: ['id', 'name', 'upload_url'] },
  'readiness.item': readiness,
  'readiness.set': readiness,
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
