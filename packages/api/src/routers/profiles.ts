import { createProfile } from '@postshelf/application';
import { type Profile, sliceOf } from '@postshelf/domain';
import * as v from 'valibot';
import { pageOf } from '../schemas/common.ts';
import { newProfile, profile, profileQuery } from '../schemas/profiles.ts';
import { baseUrl } from '../service.ts';
import { pageEnvelope, readPage } from './page.ts';
import { router, workspaceProcedure } from './trpc.ts';

const tags = ['Profiles'];
const IN_WORKSPACE = '/workspaces/{workspace}/profiles';

const show = ({ id, name, network }: Profile) => ({ id, name, network });

export const profiles = router({
  list: workspaceProcedure('analytics:read')
    .meta({
      openapi: { method: 'GET', path: IN_WORKSPACE, summary: 'List profiles', tags },
      status: 200,
      extension: true,
    })
    .input(profileQuery)
    .output(pageOf(profile))
    .query(async ({ ctx, input }) => {
      const rows = await ctx.service.ports.profiles.list(ctx.workspace.id, sliceOf(readPage(input)));
      const path = `${baseUrl(ctx.service)}/workspaces/${ctx.workspace.id}/profiles`;
      return pageEnvelope(path, input, rows, show);
    }),

  create: workspaceProcedure('analytics:write')
    .meta({
      openapi: { method: 'POST', path: IN_WORKSPACE, summary: 'Create profile', tags },
      status: 201,
      extension: true,
    })
    .input(newProfile)
    .output(v.object({ data: profile, message: v.string() }))
    .mutation(async ({ ctx, input }) => {
      const { name, network } = input;
      const created = await createProfile(ctx.service.ports, ctx.workspace, { name, network });
      return { data: show(created), message: 'The profile was created.' };
    }),
});
