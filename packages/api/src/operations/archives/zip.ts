import { createArchive, type SignedArchive } from '@postshelf/application';
import { MAX_ARCHIVE_ITEMS, parseUuid } from '@postshelf/domain';
import * as v from 'valibot';
import { dataOf } from '../envelopes.ts';
import { documented } from '../fields/documented.ts';
import { listOf, noneTwice, showTime, uuid } from '../fields/values.ts';
import { signedLink } from '../links/schema.ts';
import { inWorkspace, operation } from '../operation.ts';

/** Parses an id. Returns null for a value that isn't an id, which the schema of the list refuses. */
const parseId = (value: unknown) => (typeof value === 'string' ? parseUuid(value) : null);

const zipRequest = documented(
  v.object({
    ids: v.pipe(
      documented(listOf(uuid, MAX_ARCHIVE_ITEMS, 1), {
        description: 'Active media items of the workspace, each once, in the order of their files.',
      }),
      noneTwice(MAX_ARCHIVE_ITEMS, parseId),
    ),
  }),
  { title: 'ZipRequest' },
);

export const zip = operation({
  method: 'POST',
  path: '/workspaces/{workspace}/media_contents/zip',
  summary: 'Download many media items as a ZIP file',
  description:
    'Answers with a link that is good for 10 minutes, without a token. `GET` of it streams the files, uncompressed, in their folders. Items that are deleted meanwhile are left out, and `Not included.txt` says so.',
  tag: 'Media',
  scope: 'media:read',
  status: 201,
  extension: true,
  signs: true,
  statuses: {
    422: 'On `ids.N`: not an active item of the workspace. On `ids`: the files have more than 20 GB.',
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
