import type { PostLine } from '@postshelf/application';
import { normal, type PostDetails, type Random, type Uuid } from '@postshelf/domain';
import type { Scene } from './catalogue.ts';
import { between, pick } from './random.ts';

const HOUR = 60 * 60 * 1000;
const DAYS = 90;

export const PROFILES = [
  { name: 'Harbour Bistro', network: 'instagram', perDay: 2.4, engagement: 340 },
  { name: 'harbourbistro', network: 'tiktok', perDay: 1.6, engagement: 520 },
  { name: 'Harbour Bistro Lisbon', network: 'facebook', perDay: 1.7, engagement: 130 },
  { name: 'Harbour Hospitality', network: 'linkedin', perDay: 1, engagement: 60 },
] as const;

const TEXTS: Readonly<Record<Scene, readonly string[]>> = {
  harbour: [
    'First light over the harbour. We open at eight.',
    'Who is coming to the terrace tonight?',
    'The regatta comes past our windows on Saturday, from ten.',
  ],
  hills: ['A walk first, then lunch. The path begins behind the chapel.', 'Where our honey comes from.'],
  night: [
    'Jazz on Thursday. Doors at seven, the kitchen stays open.',
    'The rooftop is open again, every evening until one.',
  ],
  table: [
    'New on the board today: roast carrots, brown butter, hazelnuts.',
    'A table by the window has come free for Saturday.',
    'Behind the pass with the evening team.',
    'Sunday, slow. Brunch until three.',
  ],
  citrus: ['The lemons are in. So is the lemonade.', 'What should we cook with blood oranges?'],
  tiles: [
    'Every tile in our hallway is painted by hand. Here is one row of them.',
    'Which of the four patterns is yours?',
  ],
  leaves: ['From the yard to the plate: twelve steps.', 'The olive trees are in their ninth year.'],
  poster: ['Two years today. Thank you for every plate you sent back empty.', 'The poster is out. Take one home.'],
};

/** An hour, within the last 90 days, in which the demo may publish a post. */
interface Slot {
  readonly start: number;
  readonly isWeekend: boolean;
  readonly hour: number;
}

export interface PostPlan {
  readonly now: number;
  readonly timezone: string;
  readonly profiles: readonly { readonly id: Uuid; readonly kind: (typeof PROFILES)[number] }[];
  readonly images: readonly DemoMedia[];
  readonly videos: readonly DemoMedia[];
}

export interface DemoMedia {
  readonly id: Uuid;
  readonly scene: Scene;
}

/** Yields 90 days of posts. Engagement is highest in the morning, after work and, on weekends, before lunch. */
export function* makePosts({ now, timezone, profiles, images, videos }: PostPlan, random: Random): Generator<PostLine> {
  const slots = slotsBefore(now, timezone);
  const weights = slots.map((slot) => habit(slot));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let number = 0;
  for (const { id: profileId, kind } of profiles) {
    for (let post = 0; post < Math.round(kind.perDay * DAYS); post++) {
      const slot = pickByWeight(slots, weights, random() * total);
      if (!slot) continue;
      const publishedAt = slot.start + Math.floor(random() * 12) * 5 * 60_000;
      const media = kind.network === 'tiktok' && videos.length > 0 ? videos : images;
      const shown = pick(media, random);
      const texts = TEXTS[shown?.scene ?? 'table'];
      const growth = 1 + (0.25 * (publishedAt - now + DAYS * 24 * HOUR)) / (DAYS * 24 * HOUR);
      const engagement = kind.engagement * (interest(slot) / 100) * growth * Math.exp(0.35 * normal(random));
      number += 1;
      yield {
        number,
        post: {
          profileId,
          externalId: `demo-${profileId}-${post}`,
          publishedAt,
          text: pick(texts, random) ?? null,
          mediaIds: shown && random() < 0.95 ? [shown.id] : [],
          metrics: metricsOf(engagement, random),
        },
      };
    }
  }
}

function slotsBefore(now: number, timezone: string): readonly Slot[] {
  const clock = new Intl.DateTimeFormat('en-GB', {
    timeZone: timezone,
    weekday: 'short',
    hour: '2-digit',
    hourCycle: 'h23',
  });
  const last = Math.floor(now / HOUR) - 1;
  return Array.from({ length: DAYS * 24 - 1 }, (_, back) => {
    const start = (last - back) * HOUR;
    const parts = clock.formatToParts(start);
    const partOf = (type: string): string => parts.find((part) => part.type === type)?.value ?? '';
    return { start, isWeekend: /^S/.test(partOf('weekday')), hour: Number(partOf('hour')) };
  });
}

const bell = (hour: number, peak: number, width: number): number => Math.exp(-((hour - peak) ** 2) / width);

/** Returns the expected engagement of a post in that hour; about 100 on average. */
const interest = ({ isWeekend, hour }: Slot): number =>
  78 +
  92 * bell(hour, 18.5, 9) * (isWeekend ? 0.35 : 1) +
  38 * bell(hour, 8, 4) * (isWeekend ? 0 : 1) +
  80 * bell(hour, 11, 7) * (isWeekend ? 1 : 0.15) -
  48 * bell(hour, 3, 14);

/** Returns how likely a post is in a slot, relative to other slots. */
const habit = ({ isWeekend, hour }: Slot): number =>
  0.06 +
  bell(hour, 9, 6) +
  bell(hour, 13, 8) +
  1.3 * bell(hour, 18, 8) * (isWeekend ? 0.7 : 1) +
  0.25 * bell(hour, 22, 5);

function pickByWeight(slots: readonly Slot[], weights: readonly number[], at: number): Slot | undefined {
  let left = at;
  return slots.find((_, index) => {
    left -= weights[index] ?? 0;
    return left < 0;
  });
}

function metricsOf(engagement: number, random: Random): NonNullable<PostDetails['metrics']> {
  const share = (part: number): number => Math.round(engagement * part * between(random, 0.7, 1.3));
  const likes = share(0.8);
  const [comments, shares, saves, clicks] = [share(0.07), share(0.06), share(0.07), share(0.12)];
  return {
    impressions: Math.round((likes + comments) * between(random, 12, 24)),
    likes,
    comments,
    shares,
    saves,
    clicks,
  };
}
