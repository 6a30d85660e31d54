import {
  changePerson,
  endSessionsOf,
  findPerson,
  type InvitedPerson,
  inviteAgain,
  invitePerson,
  listPeople,
  removePerson,
} from '@postshelf/application';
import { signInLink } from '@postshelf/domain';
import * as v from 'valibot';
import { baseUrl, type Service } from '../../service.ts';
import { dataAndMessageOf } from '../envelopes.ts';
import { given } from '../fields/values.ts';
import { inWorkspace, operation, within } from '../operation.ts';
import { pageEnvelope, pageOf, pageQuery, readPage } from '../pagination.ts';
import { invitedPerson, newPerson, person, personChange, showPerson } from './schema.ts';

const tag = 'People';
const IN_WORKSPACE = '/workspaces/{workspace}/people';
const ONE = '/people/{id}';

const onePerson = within('id', findPerson);

const statuses = { 403: 'The token lacks a scope: the operation’s own, or one that the person’s old or new role has.' };

const answerOf =
  ({ publicUrl }: Pick<Service, 'publicUrl'>, message: string) =>
  ({ person: item, code }: InvitedPerson) => ({
    data: { ...showPerson(item), invitation: signInLink(publicUrl, code) },
    message,
  });

export const people = {
  list: operation({
    method: 'GET',
    path: IN_WORKSPACE,
    summary: 'List people',
    description: 'Lists the people who may sign in to the workspace, newest first.',
    tag,
    scope: 'people:read',
    status: 200,
    extension: true,
    within: inWorkspace,
    input: v.object(pageQuery),
    output: pageOf(person, 'PersonPage'),
    async run({ service, within: workspace, input }) {
      const rows = await listPeople(service.ports, workspace, readPage(input));
      return pageEnvelope(`${baseUrl(service)}/workspaces/${workspace.id}/people`, input, rows, showPerson);
    },
  }),

  create: operation({
    method: 'POST',
    path: IN_WORKSPACE,
    summary: 'Invite a person',
    description:
      'The answer has a link that signs a browser in as this person. It works once, within 7 days. Inviting requires every scope of the role.',
    tag,
    scope: 'people:write',
    status: 201,
    extension: true,
    signs: true,
    statuses,
    within: inWorkspace,
    input: newPerson,
    output: dataAndMessageOf(invitedPerson, 'InvitedPerson'),
    async run({ service, caller, within: workspace, input, completes }) {
      const answer = answerOf(service, 'The person was invited.');
      return answer(await invitePerson(service.ports, caller, workspace, input, { complete: completes(answer) }));
    },
  }),

  update: operation({
    method: 'PATCH',
    path: ONE,
    summary: 'Change a person',
    description:
      'A new role applies from the next request on. A new email address ends the person’s sessions, their unused link, and their sign-in with the OpenID provider.',
    tag,
    scope: 'people:write',
    status: 200,
    extension: true,
    statuses,
    within: onePerson,
    input: personChange,
    output: dataAndMessageOf(person, 'ChangedPerson'),
    async run({ service, caller, within: found, input }) {
      const changed = await changePerson(service.ports, caller, found, given(input));
      return { data: showPerson(changed), message: 'The person was changed.' };
    },
  }),

  invite: operation({
    method: 'POST',
    path: `${ONE}/invite`,
    summary: 'Create a new link',
    description:
      'The link signs a browser in as this person. It works once, within 7 days. The old link, the person’s sessions and their sign-in with the OpenID provider end.',
    tag,
    scope: 'people:write',
    status: 201,
    extension: true,
    signs: true,
    statuses,
    within: onePerson,
    output: dataAndMessageOf(invitedPerson, 'PersonInvitedAgain'),
    async run({ service, caller, within: found, completes }) {
      const answer = answerOf(service, 'The link was created.');
      return answer(await inviteAgain(service.ports, caller, found, completes(answer)));
    },
  }),

  endSessions: operation({
    method: 'DELETE',
    path: `${ONE}/sessions`,
    summary: 'End a person’s sessions',
    description:
      'Ends the person’s sessions immediately, along with an unused link. The person has no access to this workspace until they sign in again.',
    tag,
    scope: 'people:write',
    status: 204,
    extension: true,
    statuses,
    within: onePerson,
    output: v.null(),
    async run({ service, caller, within: { id } }) {
      await endSessionsOf(service.ports, caller, id);
      return null;
    },
  }),

  delete: operation({
    method: 'DELETE',
    path: ONE,
    summary: 'Remove a person',
    description: 'The person’s sessions and link end immediately. What they uploaded is kept.',
    tag,
    scope: 'people:write',
    status: 204,
    extension: true,
    statuses,
    within: onePerson,
    output: v.null(),
    async run({ service, caller, within: { id } }) {
      await removePerson(service.ports, caller, id);
      return null;
    },
  }),
};
