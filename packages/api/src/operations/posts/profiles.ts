import { createProfile, deleteProfile, findProfile, updateProfile } from '@postshelf/application';
import { MAX_NETWORK_LENGTH, MAX_PROFILE_NAME_LENGTH, notFound, type Profile, sliceOf } from '@postshelf/domain';
import * as v from 'valibot';
import { baseUrl } from '../../service.ts';
import { dataAndMessageOf, dataOf } from '../envelopes.ts';
import { documented } from '../fields/documented.ts';
import { given, nameOf } from '../fields/values.ts';
import { inWorkspace, operation, within } from '../operation.ts';
import { pageEnvelope, pageOf, pageQuery, readPage } from '../pagination.ts';

const tag = 'Profiles';
const IN_WORKSPACE = '/workspaces/{workspace}/profiles';
const ONE = '/profiles/{id}';

const oneProfile = within('id', findProfile);

const fields = {
  name: nameOf(MAX_PROFILE_NAME_LENGTH, { examples: ['Beach club'] }),
  network: nameOf(MAX_NETWORK_LENGTH, { description: 'Your name for the network.', examples: ['instagram'] }),
};

const newProfile = documented(v.object(fields), { title: 'NewProfile' });

const profileChange = documented(v.partial(v.object(fields)), {
  title: 'ProfileChange',
  description: 'Absent fields stay as they are.',
});

const profileQuery = v.object(pageQuery);

const profile = documented(
  v.object({ id: documented(v.string(), { format: 'uuid' }), name: v.string(), network: v.string() }),
  {
    title: 'ProfileResource',
    description: 'An account on a network, whose posts are compared with each other.',
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
    tool: 'profiles_list',
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
    description: 'Creates a profile for an account on a network. The posts of the account belong to the profile.',
    tag,
    scope: 'analytics:write',
    status: 201,
    extension: true,
    within: inWorkspace,
    input: newProfile,
    output: dataAndMessageOf(profile, 'CreatedProfile'),
    versioned: true,
    async run({ service, within: workspace, input: { name, network }, completes }) {
      const answer = (created: Profile) => ({ data: show(created), message: 'The profile was created.' });
      return answer(await createProfile(service.ports, workspace, { name, network }, completes(answer)));
    },
  }),

  get: operation({
    method: 'GET',
    path: ONE,
    summary: 'Show profile',
    description: 'Returns the profile.',
    tag,
    scope: 'analytics:read',
    status: 200,
    extension: true,
    within: oneProfile,
    output: dataOf(profile, 'ShownProfile'),
    versioned: true,
    run: async ({ within: found }) => ({ data: show(found), version: found.version }),
  }),

  update: operation({
    method: 'PATCH',
    path: ONE,
    summary: 'Update profile',
    description: 'Absent fields stay as they are. The profile’s posts are kept in any case.',
    tag,
    scope: 'analytics:write',
    status: 200,
    extension: true,
    within: oneProfile,
    input: profileChange,
    output: dataAndMessageOf(profile, 'UpdatedProfile'),
    versioned: true,
    async run({ service, within: { id }, input: { name, network }, expected }) {
      const updated = await updateProfile(service.ports, id, given({ name, network }), expected);
      if (!updated) throw notFound();
      return { data: show(updated), message: 'The profile was updated.', version: updated.version };
    },
  }),

  delete: operation({
    method: 'DELETE',
    path: ONE,
    summary: 'Delete profile',
    description:
      'A profile with posts is deleted only if `with_posts` is true; otherwise the answer is 422 on `profile`. Its posts disappear immediately, and are removed in the background.',
    tag,
    scope: 'analytics:write',
    status: 204,
    extension: true,
    within: oneProfile,
    input: v.object({
      with_posts: v.optional(
        v.pipe(
          documented(v.union([v.boolean(), v.picklist(['true', 'false'])]), {
            description: 'Whether the profile’s posts are deleted as well.',
            type: 'boolean',
          }),
          v.transform(String),
        ),
      ),
    }),
    output: v.null(),
    versioned: true,
    async run({ service, within: { id }, input: { with_posts: withPosts }, expected }) {
      if (!(await deleteProfile(service.ports, id, withPosts === 'true', expected))) throw notFound();
      return null;
    },
  }),
};
