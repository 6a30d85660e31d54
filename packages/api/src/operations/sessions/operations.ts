import { endSession, listSessions } from '@postshelf/application';
import { notFound } from '@postshelf/domain';
import * as v from 'valibot';
import { baseUrl } from '../../service.ts';
import { sessionCookie } from '../../session-cookie.ts';
import { documented } from '../fields/documented.ts';
import { operation, within } from '../operation.ts';
import { pageEnvelope, pageOf, pageQuery, readPage } from '../pagination.ts';
import { session, showSession } from './schema.ts';

const tag = 'Sessions';

/** In a path, this id refers to the session that makes the request. */
const CURRENT = 'current';

const id = documented(v.string(), {
  description:
    'The id of a session of the same token or person, or `current` for the request’s own session. The answer is 404 if the id is malformed or unknown, or the session has ended.',
  examples: [CURRENT],
});

export const sessions = {
  list: operation({
    method: 'GET',
    path: '/sessions',
    summary: 'List sessions',
    description: 'Lists the browsers that are signed in with the same token or as the same person, newest first.',
    tag,
    scope: null,
    status: 200,
    extension: true,
    input: v.object(pageQuery),
    output: pageOf(session, 'SessionPage'),
    async run({ service, caller, input }) {
      const rows = await listSessions(service.ports, caller.who, readPage(input));
      return pageEnvelope(`${baseUrl(service)}/sessions`, input, rows, (each) => showSession(each, caller.who.session));
    },
  }),

  delete: operation({
    method: 'DELETE',
    path: '/sessions/{id}',
    summary: 'End a session',
    description:
      'Ends the session immediately. Ending the current session signs the browser out and removes its cookie.',
    tag,
    scope: null,
    status: 204,
    extension: true,
    within: within('id', async (_ports, _caller, given) => given, id),
    output: v.null(),
    async run({ service, facts, caller, reply, within: given }) {
      const current = caller.who.session?.id;
      const ended = given === CURRENT ? current : given;
      if (ended === undefined) throw notFound();
      await endSession(service.ports, caller.who, ended);
      if (ended === current) reply.setCookie(sessionCookie(service, facts.request, '', 0));
      return null;
    },
  }),
};
