import { LINK_ACCESS, LINK_LIFE, MAX_SIGNED_ITEMS } from '@postshelf/domain';
import * as v from 'valibot';
import { documented } from '../fields/documented.ts';
import { mediaIds } from '../media/batch.ts';
import { preview } from '../media/include.ts';
import { mediaContent } from '../media/schema.ts';

/** A workspace's setting. */
export const linkAccess = documented(v.picklist(LINK_ACCESS), {
  description: '`public`: anyone with the link gets the file. `signed`: only with a signed link, which expires.',
});

const expires_in = v.pipe(
  documented(v.number(), {
    description: 'Seconds for which the links are valid.',
    type: 'integer',
    minimum: LINK_LIFE.min,
    maximum: LINK_LIFE.max,
    examples: [3600],
  }),
  v.integer('must be a whole number.'),
  v.minValue(LINK_LIFE.min, `must be at least ${LINK_LIFE.min}.`),
  v.maxValue(LINK_LIFE.max, `must not be greater than ${LINK_LIFE.max}.`),
);

export const linkRequest = documented(v.object({ expires_in }), { title: 'LinkRequest' });

export const linksRequest = documented(
  v.object({
    ids: mediaIds(
      MAX_SIGNED_ITEMS,
      'Media items, each once. Those that aren’t in the workspace are left out of the answer.',
    ),
    expires_in,
  }),
  { title: 'LinksRequest' },
);

const signed = {
  link: documented(v.string(), { description: 'Of the file, with a signature.', format: 'uri' }),
  expires_at: documented(v.string(), { format: 'date-time' }),
};

export const signedLink = documented(v.object(signed), { title: 'SignedLink' });

export const signedLinks = documented(
  v.object({
    id: documented(v.string(), { format: 'uuid' }),
    link: signed.link,
    thumbnail: documented(v.nullable(mediaContent), { description: 'As in the item, its `link` with a signature.' }),
    previews: documented(v.array(preview), { description: 'As in `details`, with signatures.' }),
    expires_at: signed.expires_at,
  }),
  { title: 'SignedLinks' },
);
