import { LINK_ACCESS, LINK_LIFE, MAX_SIGNED_ITEMS } from '@postshelf/domain';
import * as v from 'valibot';
import { documented } from '../fields/documented.ts';
import { integer } from '../fields/values.ts';
import { mediaIds } from '../media/batch.ts';
import { preview } from '../media/include.ts';
import { mediaContent } from '../media/schema.ts';
import { targetNames } from '../readiness/schema.ts';

/** The workspace's setting that determines who can get the files. */
export const linkAccess = documented(v.picklist(LINK_ACCESS), {
  description: '`public`: anyone with the link gets the file. `signed`: the link needs a signature, which expires.',
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
      'Ids of media items, each only once. Items that aren’t in the workspace are left out of the answer.',
    ),
    expires_in,
  }),
  { title: 'LinksRequest' },
);

const signed = {
  link: documented(v.string(), { description: 'The link of the file, with a signature.', format: 'uri' }),
  expires_at: documented(v.string(), { format: 'date-time' }),
};

export const signedLink = documented(v.object(signed), { title: 'SignedLink' });

export const signedLinks = documented(
  v.object({
    id: documented(v.string(), { format: 'uuid' }),
    link: signed.link,
    thumbnail: documented(v.nullable(mediaContent), { description: 'The item’s `thumbnail`, with a signed `link`.' }),
    previews: documented(v.array(preview), { description: 'The `previews` from `details`, with signed links.' }),
    expires_at: signed.expires_at,
  }),
  { title: 'SignedLinks' },
);

export const checkRequest = documented(v.object({ targets: targetNames }), {
  title: 'FetchCheckRequest',
  description: 'Which networks to check the link for.',
});

const text = (description: string) => documented(v.nullable(v.string()), { description });

export const checkedLink = documented(
  v.object({
    target: documented(v.string(), { examples: ['instagram.reel'] }),
    ok: documented(v.boolean(), {
      description: 'Whether the network can fetch the file, as far as this server can tell.',
    }),
    status: documented(v.nullable(integer()), {
      description: 'HTTP status of the last answer; null if there was none.',
    }),
    redirects: documented(v.array(v.string()), {
      description: 'The addresses that the link redirects to, in order, without their queries.',
    }),
    content_type: text('The media type that the answer states; null if it states none.'),
    content_length: documented(v.nullable(integer()), {
      description: 'The length of the file in bytes that the answer states; null if it states none.',
    }),
    seconds: documented(v.number(), { description: 'Seconds until the part that the crawler reads had arrived.' }),
    robots: documented(v.picklist(['allowed', 'disallowed', 'none', 'unknown']), {
      description:
        'What `robots.txt` at the host of the link says to this crawler. `none`: there is no such file, so everything is allowed. `unknown`: it could not be read.',
    }),
    message: documented(v.string(), { description: 'The result, as a sentence for people.' }),
  }),
  { title: 'FetchCheck', description: 'The result of fetching a link as a network’s crawler does.' },
);
