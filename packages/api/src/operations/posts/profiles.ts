import { createProfile } from '@postshelf/application';
import { type Profile, sliceOf } from '@postshelf/domain';
import { dataAndMessageOf, pageOf } from '../fields/common.ts';
import { newProfile, profile, profileQuery } from './profiles-schema.ts';
import { baseUrl } from '../../service.ts';
import { pageEnvelope, readPage } from '../page.ts';
import { router, workspaceProcedure } from '../../faces/trpc/router.ts';

const tags = ['Profiles'];
const IN_WORKSPACE = '/workspaces/{workspace}/profiles';

const show = ({ id, name, network }: Profile) => ({ id, name, network });

export const profiles = router({
  list: workspaceProcedure('analytics:read')
    .meta({
      openapi: {
        method: 'GET',
        path: IN_WORKSPACE,
        summary: 'List profiles',
        description: 'Most recently updated first.',
        tags,
      },
      status: 200,
      extension: true,
    })
    .input(profileQuery)
    .output(pageOf(profile, 'ProfilePage'))
    .query(async ({ ctx, input }) => {
      const rows = await ctx.service.ports.profiles.list(ctx.workspace.id, sliceOf(readPage(input)));
      const path = `${baseUrl(ctx.service)}/workspaces/${ctx.workspace.id}/profiles`;
      return pageEnvelope(path, input, rows, show);
    }),

  create: workspaceProcedure('analytics:write')
    .meta({
      openapi: {
        method: 'POST',
        path: IN_WORKSPACE,
        summary: 'Create profile',
        description: 'An account on a network, for its posts to belong to.',
        tags,
      },
      status: 201,
      extension: true,
    })
    .input(newProfile)
    .output(dataAndMessageOf(profile, 'CreatedProfile'))
    .mutation(async ({ ctx, input }) => {
      const { name, network } = input;
      const created = await createProfile(ctx.service.ports, ctx.workspace, { name, network });
      return { data: show(created), message: 'The profile was created.' };
    }),
});
