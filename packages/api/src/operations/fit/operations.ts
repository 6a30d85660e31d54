import { requireEntry, startFit } from '@postshelf/application';
import { FIT_MODES, findTarget, invalid, type MediaWithCover, selectedInvalid, TARGET_NAMES } from '@postshelf/domain';
import * as v from 'valibot';
import { dataOf } from '../envelopes.ts';
import { documented } from '../fields/documented.ts';
import { oneMedia } from '../media/operations.ts';
import { mediaContent } from '../media/schema.ts';
import { showMedia } from '../media/show.ts';
import { operation } from '../operation.ts';

const DESCRIPTION =
  'Makes a new item beside this one, in its folder, that is within the limits of a target: of a shape that the target takes, scaled, converted and compressed as far as need be. It is `processing` until it is `active`, or `failed` with the reason. The original stays as it is; `details.source` of the new item is its id. Films are never cut, nor are animations stopped.';

const fitRequest = documented(
  v.object({
    target: documented(v.picklist(TARGET_NAMES), {
      description: 'The name of a target, as `GET /networks` has them.',
      examples: ['instagram.feed'],
    }),
    how: v.optional(
      documented(v.picklist(FIT_MODES), {
        description:
          'Where the target doesn’t take the shape of the picture: `pad` puts bars around it, white beside images and black beside videos, `crop` cuts off what stands out, on both sides alike.',
      }),
      'pad',
    ),
  }),
  { title: 'FitRequest', description: 'What an item is to fit.' },
);

export const fit = operation({
  method: 'POST',
  path: '/media_contents/{id}/fit',
  summary: 'Make a media item fit a network',
  description: DESCRIPTION,
  tag: 'Media',
  scope: 'media:write',
  status: 202,
  extension: true,
  statuses: {
    202: 'Accepted; the new item is `processing`: poll it.',
    422: 'On `target`: a name that is none, or the item can’t be made to fit, for the reason that is told: it is too long for example, or the service has no ffmpeg. On `media_content`: the item isn’t `active`.',
    503: 'The service is busy, or too many files of the workspace wait to be made.',
  },
  within: oneMedia,
  input: fitRequest,
  output: dataOf(v.array(mediaContent), 'FittedMedia'),
  async run({ service, caller, within: { item }, input: { target, how }, completes }) {
    const answer = (media: MediaWithCover) => ({ data: [showMedia(service, media)] });
    const found = findTarget(target);
    if (!found) throw invalid('target', selectedInvalid('target'));
    const { actor } = requireEntry(caller, item.workspaceId);
    return answer(await startFit(service.ports, item, { target: found, how, createdBy: actor }, completes(answer)));
  },
});
