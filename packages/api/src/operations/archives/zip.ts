import { createArchive, type SignedArchive } from '@postshelf/application';
import { MAX_ARCHIVE_ITEMS, parseUuid } from '@postshelf/domain';
import * as v from 'valibot';
import { dataOf } from '../envelopes.ts';
import { documented } from '../fields/documented.ts';
import { listOf, noneTwice, showTime, uuid } from '../fields/values.ts';
import { signedLink } from '../links/schema.ts';
import { inWorkspace, operation } from '../operation.ts';

const zipRequest = documented(
  v.object({
    ids: v.pipe(
      documented(listOf(uuid, MAX_ARCHIVE_ITEMS, 1), {
        description:
          'Ids of active media items of the workspace, each only once, in the order in which the ZIP file holds their files.',
      }),
      noneTwice(MAX_ARCHIVE_ITEMS, parseUuid),
    ),
  }),
  { title: 'ZipRequest' },
);

export const zip = operation({
  method: 'POST',
  path: '/workspaces/{workspace}/media_contents/zip',
  summary: 'Download many media items as a ZIP file',
  description:
    'Returns a link that works without a token for 10 minutes. `GET` on the link streams the files, uncompressed, in their folders. Items that are deleted in the meantime are left out; `Not included.txt` says how many, and names the files that could not be found.',
  tag: 'Media',
  scope: 'media:read',
  status: 201,
  extension: true,
  signs: true,
  statuses: {
    422: 'On `ids.N`: the item is not an active item of the workspace. On `ids`: the files have more than 20 GB together.',
  },
  within: inWorkspace,
  input: zipRequest,
  output: dataOf(signedLink, 'CreatedZipLink'),
  async run({ service, within: workspace, input: { ids }, completes }) {
    const answer = ({ path, expiresAt }: SignedArchive) => ({
      data: { link: `${service.publicUrl}/${path}`, expires_at: showTime(expiresAt) },
    });
    return answer(await createArchive(service.ports, workspace, ids, completes(answer)));
  },
});
