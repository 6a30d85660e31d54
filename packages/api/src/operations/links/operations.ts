import {
  checkLinkOf,
  findSignable,
  rotateLinkKey,
  type SigningLinks,
  signingLinks,
  workspacesOf,
} from '@postshelf/application';
import { type MediaWithCover, notFound, TARGET_NAMES } from '@postshelf/domain';
import * as v from 'valibot';
import type { Service } from '../../service.ts';
import { dataOf } from '../envelopes.ts';
import { showTime } from '../fields/values.ts';
import { showPreviews } from '../media/include.ts';
import { oneMedia } from '../media/operations.ts';
import { showMedia } from '../media/show.ts';
import { inWorkspace, operation } from '../operation.ts';
import { checkedLink, checkRequest, linkRequest, linksRequest, signedLink, signedLinks } from './schema.ts';

const tag = 'Links';

const showExpiry = ({ expires }: SigningLinks) => ({ expires_at: showTime(expires * 1000) });

function showSigned(service: Pick<Service, 'mediaBase'>, media: MediaWithCover, { sign }: SigningLinks) {
  const signed = (shown: { readonly link: string; readonly full_name: string }) => ({
    link: sign(shown.link, `files/${shown.full_name}`),
  });
  const shown = showMedia(service, media);
  return { ...signed(shown), thumbnail: shown.thumbnail && { ...shown.thumbnail, ...signed(shown.thumbnail) } };
}

export const links = {
  create: operation({
    method: 'POST',
    path: '/media_contents/{id}/links',
    summary: 'Sign the link of a media item',
    description:
      'Returns the item’s `link` with a signature. Anyone who has the signed link can fetch the file until the link expires. Nothing is stored. This also works in workspaces with public links.',
    tag,
    scope: 'media:read',
    status: 201,
    extension: true,
    signs: true,
    onlyReads: true,
    within: oneMedia,
    input: linkRequest,
    output: dataOf(signedLink, 'CreatedLink'),
    async run({ service, within: media, input: { expires_in } }) {
      const [workspace] = await workspacesOf(service.ports, [media.item.workspaceId]);
      if (!workspace) throw notFound();
      const signing = signingLinks(service.ports, workspace, expires_in);
      return { data: { link: showSigned(service, media, signing).link, ...showExpiry(signing) } };
    },
  }),

  createMany: operation({
    method: 'POST',
    path: '/workspaces/{workspace}/links',
    summary: 'Sign the links of several media items',
    description: 'Returns signed links to the files, covers and previews of up to 100 items. Nothing is stored.',
    tag,
    scope: 'media:read',
    status: 200,
    extension: true,
    signs: true,
    onlyReads: true,
    within: inWorkspace,
    input: linksRequest,
    output: dataOf(v.array(signedLinks), 'CreatedLinks'),
    async run({ service, within: workspace, input: { ids, expires_in } }) {
      const signing = signingLinks(service.ports, workspace, expires_in);
      const { items, previews } = await findSignable(service.ports, workspace, ids);
      const data = items.map((media) => ({
        id: media.item.id,
        ...showSigned(service, media, signing),
        previews: showPreviews(service, media, previews, signing.sign).previews,
        ...showExpiry(signing),
      }));
      return { data };
    },
  }),

  check: operation({
    method: 'POST',
    path: '/media_contents/{id}/fetch_check',
    summary: 'Check whether networks can fetch a media item',
    description:
      'Fetches the item’s own link from this server, as the crawler of each target does, and reports the result. The check reads at most 1 MB in at most 10 seconds, and never requests addresses outside the library. A link that cannot be reached from here may still be reachable for the network.',
    tag,
    scope: 'media:read',
    status: 200,
    extension: true,
    signs: true,
    onlyReads: true,
    statuses: {
      422: 'On `targets`: a name is unknown. On `media_content`: the item isn’t `active`.',
      503: 'Too many link checks are waiting; each workspace runs one at a time.',
    },
    within: oneMedia,
    input: checkRequest,
    output: dataOf(v.array(checkedLink), 'FetchCheckList'),
    async run({ service, facts, within: { item }, input }) {
      const targets = [...new Set(input.targets ?? TARGET_NAMES)];
      const found = await checkLinkOf(service.ports, service.mediaBase, item, targets, facts.signal);
      return {
        data: found.map(({ target, ok, message, fetched }) => ({
          target,
          ok,
          status: fetched.status,
          redirects: [...fetched.redirects],
          content_type: fetched.contentType,
          content_length: fetched.contentLength,
          seconds: fetched.seconds,
          robots: fetched.robots,
          message,
        })),
      };
    },
  }),

  rotateKey: operation({
    method: 'POST',
    path: '/workspaces/{workspace}/rotate_link_key',
    summary: 'Revoke all signed links',
    description:
      'Every link of the workspace that has been signed so far is refused from now on. Links signed afterwards work.',
    tag,
    scope: 'media:write',
    status: 204,
    extension: true,
    within: inWorkspace,
    output: v.null(),
    async run({ service, within: workspace, completes }) {
      await rotateLinkKey(
        service.ports,
        workspace,
        completes(() => null),
      );
      return null;
    },
  }),
};
