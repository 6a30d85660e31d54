import { createProfile } from '@postshelf/application';
import { MAX_NETWORK_LENGTH, MAX_PROFILE_NAME_LENGTH, type Profile, sliceOf } from '@postshelf/domain';
import * as v from 'valibot';
import { baseUrl } from '../../service.ts';
import { dataAndMessageOf } from '../envelopes.ts';
import { documented } from '../fields/documented.ts';
import { nameOf } from '../fields/values.ts';
import { inWorkspace, operation } from '../operation.ts';
import { pageEnvelope, pageOf, pageQuery, readPage } from '../pagination.ts';

const tag = 'Profiles';
const IN_WORKSPACE = '/workspaces/{workspace}/profiles';

const newProfile = documented(
  v.object({
    name: nameOf(MAX_PROFILE_NAME_LENGTH, { examples: ['Beach club'] }),
    network: nameOf(MAX_NETWORK_LENGTH, { description: 'What you call the network.', examples: ['instagram'] }),
  }),
  { title: 'NewProfile' },
);

const profileQuery = v.object(pageQuery);

const profile = documented(
  v.object({ id: documented(v.string(), { format: 'uuid' }), name: v.string(), network: v.string() }),
  {
    title: 'ProfileResource',
    description: 'An account on a network, whose posts are measured against each other.',
    examples: [{ id: '019f5b0e-7a10-7c55-8a31-4b7e9d2f6c80', name: 'Beach club', network: 'instagram' }],
  },
);

const show = ({ id, name, network }: Profile) => ({ id, name, network });

export const profiles = {
  list: operation({
    method: 'GET',
    path: IN_WORKSPACE,
    summary: 'List profiles',
    description: 'Most recently updated first.',
    tag,
    scope: 'analytics:read',
    status: 200,
    extension: true,
    within: inWorkspace,
    input: profileQuery,
    output: pageOf(profile, 'ProfilePage'),
    async run({ service, facts, within: workspace, input }) {
      const rows = await service.ports.profiles.list(workspace.id, sliceOf(readPage(input)), facts.signal);
      return pageEnvelope(`${baseUrl(service)}/workspaces/${workspace.id}/profiles`, input, rows, show);
    },
  }),

  create: operation({
    method: 'POST',
    path: IN_WORKSPACE,
    summary: 'Create profile',
    description: 'An account on a network, for its posts to belong to.',
    tag,
    scope: 'analytics:write',
    status: 201,
    extension: true,
    within: inWorkspace,
    input: newProfile,
    output: dataAndMessageOf(profile, 'CreatedProfile'),
    async run({ service, within: workspace, input: { name, network }, completes }) {
      const answer = (created: Profile) => ({ data: show(created), message: 'The profile was created.' });
      return answer(await createProfile(service.ports, workspace, { name, network }, completes(answer)));
    },
  }),
};
