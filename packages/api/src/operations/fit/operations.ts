import { requireEntry, startFit } from '@postshelf/application';
import {
  FIT_MODES,
  findTarget,
  invalid,
  isPart,
  type MediaWithCover,
  selectedInvalid,
  TARGET_NAMES,
} from '@postshelf/domain';
import * as v from 'valibot';
import { dataOf } from '../envelopes.ts';
import { documented } from '../fields/documented.ts';
import { fraction, objectOf } from '../fields/values.ts';
import { oneMedia } from '../media/operations.ts';
import { mediaContent } from '../media/schema.ts';
import { showMedia } from '../media/show.ts';
import { operation } from '../operation.ts';

const DESCRIPTION =
  'Makes a new item in the same folder that meets the limits of a target: it has a shape that the target accepts, and is scaled, converted and compressed as needed. The new item is `processing` until it is `active`, or `failed` with the reason. The original isn’t changed; its id is `details.source` of the new item. A video that is about as long as the target allows is trimmed by at most a fifth of a second; otherwise videos keep their length. Animations stay animated.';

const crop = documented(
  v.pipe(
    objectOf({
      x: fraction('Left edge.'),
      y: fraction('Upper edge.'),
      width: fraction('Above 0.'),
      height: fraction('Above 0.'),
    }),
    v.check(isPart, 'must be a part of the image or video.'),
  ),
  {
    title: 'FitCrop',
    description:
      'The part of the image or video to keep, in fractions of its width and height as displayed; the whole image or video if omitted. `how` then applies to that part.',
    examples: [{ x: 0.25, y: 0, width: 0.5, height: 1 }],
  },
);

const fitRequest = documented(
  v.object({
    target: documented(v.picklist(TARGET_NAMES), {
      description: 'The name of a target from `GET /networks`.',
      examples: ['instagram.feed'],
    }),
    how: v.optional(
      documented(v.picklist(FIT_MODES), {
        description:
          'What to do if the target doesn’t accept the shape: “pad” adds bars, white for images and black for videos; “crop” crops around the item’s `focus`, or equally on both sides if it has none. If `crop` selects a part, “crop” crops around the middle of that part.',
      }),
      'pad',
    ),
    crop: v.optional(crop),
  }),
  { title: 'FitRequest', description: 'The target that the item has to fit, and how it is made to fit.' },
);

export const fit = operation({
  method: 'POST',
  path: '/media_contents/{id}/fit',
  summary: 'Make a media item fit a network',
  description: DESCRIPTION,
  tag: 'Media',
  tool: 'media_fit',
  scope: 'media:write',
  status: 202,
  extension: true,
  statuses: {
    202: 'Accepted; the new item is `processing`: poll it.',
    422: 'On `target`: the name is unknown, or the item can’t be made to fit for the given reason; for example, it is too long, or the service has no ffmpeg. On `media_content`: the item isn’t `active`.',
    503: 'The service is busy, or too many conversions are waiting in the workspace.',
  },
  within: oneMedia,
  input: fitRequest,
  output: dataOf(v.array(mediaContent), 'FittedMedia'),
  async run({ service, caller, within: { item }, input: { target, how, crop: part }, completes }) {
    const answer = (media: MediaWithCover) => ({ data: [showMedia(service, media)] });
    const found = findTarget(target);
    if (!found) throw invalid('target', selectedInvalid('target'));
    const { actor } = requireEntry(caller, item.workspaceId);
    return answer(
      await startFit(service.ports, item, { target: found, how, crop: part, createdBy: actor }, completes(answer)),
    );
  },
});
