import { workspacesOf } from '@postshelf/application';
import * as v from 'valibot';
import { dataOf } from '../envelopes.ts';
import { documented } from '../fields/documented.ts';
import { linkAccess } from '../links/schema.ts';
import { operation } from '../operation.ts';

const uuid = documented(v.string(), { format: 'uuid' });

const caller = documented(
  v.object({
    token: v.object({
      id: uuid,
      name: v.string(),
      scopes: v.array(v.string()),
      expires_at: documented(v.string(), { format: 'date-time' }),
    }),
    workspaces: v.array(
      v.object({
        id: uuid,
        name: v.string(),
        timezone: documented(v.string(), { description: 'An IANA name.', examples: ['Europe/Berlin'] }),
        links: linkAccess,
      }),
    ),
  }),
  {
    title: 'Caller',
    examples: [
      {
        token: {
          id: '019f5b0e-2f41-7b83-9d10-5c7e8a6b4d22',
          name: 'first run',
          scopes: ['media:read', 'media:write'],
          expires_at: '2027-02-19T18:30:00.000Z',
        },
        workspaces: [
          { id: '019f5b0e-1a30-7c52-8f4e-3b6d9c0a7e15', name: 'My workspace', timezone: 'UTC', links: 'public' },
        ],
      },
    ],
  },
);

export const me = {
  get: operation({
    method: 'GET',
    path: '/me',
    summary: 'Show the caller',
    description: 'The token that asks, or that the session which asks is of, and the workspaces that it enters.',
    tag: 'Tokens',
    scope: null,
    status: 200,
    extension: true,
    output: dataOf(caller, 'ShownCaller'),
    async run({ service, caller }) {
      const { id, name, scopes, expiresAt, workspaceIds } = caller.token;
      const workspaces = await workspacesOf(service.ports, workspaceIds);
      return {
        data: {
          token: { id, name, scopes: [...scopes], expires_at: new Date(expiresAt).toISOString() },
          workspaces: workspaces.map((workspace) => ({
            id: workspace.id,
            name: workspace.name,
            timezone: workspace.timezone,
            links: workspace.links,
          })),
        },
      };
    },
  }),
};
