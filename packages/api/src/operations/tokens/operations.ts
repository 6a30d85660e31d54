import { workspacesOf } from '@postshelf/application';
import { ROLES } from '@postshelf/domain';
import * as v from 'valibot';
import { dataOf } from '../envelopes.ts';
import { documented } from '../fields/documented.ts';
import { showTime } from '../fields/values.ts';
import { linkAccess } from '../links/schema.ts';
import { operation } from '../operation.ts';

const uuid = documented(v.string(), { format: 'uuid' });

const caller = documented(
  v.object({
    token: documented(
      v.nullable(
        v.object({
          id: uuid,
          name: v.string(),
          scopes: v.array(v.string()),
          expires_at: documented(v.string(), { format: 'date-time' }),
        }),
      ),
      { description: 'null for people.' },
    ),
    person: documented(v.nullable(v.object({ name: v.string() })), { description: 'null for tokens.' }),
    workspaces: v.array(
      v.object({
        id: uuid,
        name: v.string(),
        timezone: documented(v.string(), { description: 'An IANA name.', examples: ['Europe/Berlin'] }),
        links: linkAccess,
        scopes: documented(v.array(v.string()), { description: 'What the caller may do in the workspace.' }),
        person: documented(v.nullable(uuid), {
          description: 'The id of the person who is signed in; null for tokens.',
        }),
        role: documented(v.nullable(v.picklist(ROLES)), { description: 'null for tokens.' }),
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
        person: null,
        workspaces: [
          {
            id: '019f5b0e-1a30-7c52-8f4e-3b6d9c0a7e15',
            name: 'My workspace',
            timezone: 'UTC',
            links: 'public',
            scopes: ['media:read', 'media:write'],
            person: null,
            role: null,
          },
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
    description:
      'Returns the request’s token, or the token or person of its session, and the workspaces that the caller has access to.',
    tag: 'Tokens',
    tool: 'me_get',
    scope: null,
    status: 200,
    extension: true,
    output: dataOf(caller, 'ShownCaller'),
    async run({ service, caller }) {
      const { token, people } = caller.who;
      const workspaces = await workspacesOf(
        service.ports,
        token?.workspaceIds ?? people.map((each) => each.workspaceId),
      );
      return {
        data: {
          token: token && {
            id: token.id,
            name: token.name,
            scopes: [...token.scopes],
            expires_at: showTime(token.expiresAt),
          },
          person: people[0] ? { name: people[0].name } : null,
          workspaces: workspaces.map(({ id, name, timezone, links }) => {
            const person = people.find(({ workspaceId }) => workspaceId === id);
            const scopes = [...(caller.entryOf(id)?.scopes ?? [])];
            return { id, name, timezone, links, scopes, person: person?.id ?? null, role: person?.role ?? null };
          }),
        },
      };
    },
  }),
};
