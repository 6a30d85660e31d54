import * as v from 'valibot';
import { documented } from '../fields/documented.ts';

const count = documented(v.number(), { type: 'integer', minimum: 0 });
const most = (of: string) =>
  documented(v.nullable(count), { description: `The most ${of} that the workspace may hold; null: any number.` });

export const usage = documented(
  v.object({
    bytes: documented(count, { description: 'Of `active` media, without covers and previews.' }),
    items: count,
    images: count,
    videos: count,
    max_bytes: most('bytes'),
    max_items: most('items'),
  }),
  {
    title: 'UsageResource',
    examples: [
      { bytes: 1_200_000_000, items: 340, images: 310, videos: 30, max_bytes: 5_000_000_000, max_items: null },
    ],
  },
);
