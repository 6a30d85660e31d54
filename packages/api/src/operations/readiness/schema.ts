import {
  findTarget,
  type Limits,
  MAX_CHECKED_MEDIA,
  type Quantity,
  type Readiness,
  readOverride,
  TARGET_NAMES,
  TARGETS,
  type Target,
} from '@postshelf/domain';
import * as v from 'valibot';
import { dataOf } from '../envelopes.ts';
import { documented } from '../fields/documented.ts';
import { published_at } from '../fields/published-at.ts';
import { includeOf, listOf, namesIn, uuid } from '../fields/values.ts';

/** Maximum number of overrides. It is higher than the number of limits in all rules. */
const MAX_OVERRIDES = 500;

/** Optional parts of an answer about readiness (docs/api.md, "Ready to publish?"). */
const include = v.optional(
  includeOf(['link'], '`link`: also check where the links lead, and whether they stay valid.'),
);

export const readinessQuery = v.object({
  targets: v.optional(
    namesIn((name): name is string => findTarget(name) !== undefined, 'must name targets of GET /networks.', {
      description: 'Names of targets from `GET /networks`, separated by commas; all targets if omitted.',
      examples: ['instagram.reel,x.post'],
    }),
  ),
  include,
});

/** Names of targets in a body. */
export const targetNames = v.optional(
  v.nullable(
    documented(listOf(v.picklist(TARGET_NAMES), 100, 1), { description: 'Names of targets; all targets if omitted.' }),
  ),
);

/** Returns the named targets, each only once, in the given order. Returns all targets if no names are given. */
export const targetsNamed = (names: readonly string[] | null | undefined): readonly Target[] =>
  names ? [...new Set(names)].flatMap((name) => findTarget(name) ?? []) : TARGETS;

const anyOverrides = v.record(v.string(), v.number());

const tooMany = v.pipe(
  v.unknown(),
  v.check(() => false, `must not have more than ${MAX_OVERRIDES} entries.`),
) as unknown as typeof anyOverrides;

const isTooMuch = (input: unknown): boolean =>
  typeof input === 'object' && input !== null && Object.keys(input).length > MAX_OVERRIDES;

/** Overrides of limits. Each invalid override is reported under its rule's id. */
const overrides = v.pipe(
  documented(
    v.lazy((input) => (isTooMuch(input) ? tooMany : anyOverrides)),
    {
      description:
        'Limits that replace those of the rules, for accounts and servers with different limits. Keys are names of rules that end in `min` or `max`; values are above 0, in the unit of the rule. An aspect ratio is one number, width divided by height.',
      examples: [{ 'tiktok.post.video.duration.max': 180 }],
    },
  ),
  v.rawCheck(({ dataset, addIssue }) => {
    const given: unknown = dataset.value;
    if (typeof given !== 'object' || given === null || isTooMuch(given)) return;
    for (const [id, value] of Object.entries(given)) {
      const read = readOverride(id, value);
      // A value that isn't a number has already been refused.
      if ((typeof read === 'object' && 'n' in read) || (read !== 'unknown' && typeof value !== 'number')) continue;
      const message = read === 'unknown' ? 'is not a known limit.' : read.problem;
      addIssue({ message, path: [{ type: 'object', origin: 'value', input: { ...given }, key: id, value }] });
    }
  }),
  v.transform((given): Limits => {
    const entries = Object.entries(given).map(([id, value]) => [id, readOverride(id, value) as Quantity] as const);
    return new Map(entries);
  }),
);

export const readinessRequest = documented(
  v.object({
    targets: targetNames,
    media_content_ids: documented(listOf(uuid, MAX_CHECKED_MEDIA, 1), {
      description: 'The media of one post, in order: `active` items of the workspace.',
    }),
    overrides: v.optional(v.nullable(overrides)),
    published_at: v.optional(v.nullable(published_at)),
    profile: v.optional(
      v.nullable(
        documented(uuid, {
          description:
            'The profile that publishes: with `published_at`, its posts in the busiest 24 hours around that time are counted against the limits of its network.',
        }),
      ),
    ),
    include,
  }),
  { title: 'ReadinessRequest' },
);

const shownTypes = [v.number(), v.string(), v.boolean(), v.array(v.string())] as const;
const shown = v.union(shownTypes);
/** A value or null. The union isn't nested, because client generators would create another type for a nested one. */
const shownOrNull = v.union([...shownTypes, v.null()]);
const severity = documented(v.picklist(['error', 'warning']), {
  description:
    '`error`: the network refuses it. `warning`: the network fixes it or merely recommends otherwise, sources disagree, or the value isn’t known.',
});
const unit = documented(v.nullable(v.string()), {
  description: 'The unit of the limit; null if the limit isn’t a number.',
});

const problem = documented(
  v.object({
    rule: documented(v.string(), {
      description: '`target[.image|.gif|.video].measure[.min|.max]`, `target.link.measure`, or `target.posts_per_day`.',
      examples: ['instagram.reel.video.duration.max'],
    }),
    severity,
    media_content_id: documented(v.nullable(documented(v.string(), { format: 'uuid' })), {
      description: 'The item with the problem; null if the set as a whole has it.',
    }),
    limit: documented(shown, { description: 'What the network accepts.' }),
    actual: documented(shownOrNull, { description: 'What the network would get; null if that isn’t known.' }),
    unit,
    message: documented(v.string(), { description: 'The problem, in words for users.' }),
    remedy: documented(v.string(), { description: 'How a user can fix it.' }),
  }),
  { title: 'ReadinessProblem' },
);

const documentedProblems = v.array(problem);
const anyProblems = v.array(v.unknown()) as unknown as typeof documentedProblems;

/**
 * The problems in an answer. They aren't validated one by one, because an answer about a hundred items has thousands.
 * The compiler checks their types, and tests compare answers with the document.
 */
const problems = v.lazy((answer) => (Array.isArray(answer) ? anyProblems : documentedProblems));

export const readiness = documented(
  v.object({
    target: documented(v.string(), { examples: ['instagram.reel'] }),
    verdict: documented(v.picklist(['ready', 'warning', 'not_ready']), {
      description: '`not_ready` if there is an error, `warning` if there are only warnings.',
    }),
    problems,
  }),
  { title: 'Readiness', description: 'Whether media are ready to be published on a target.' },
);

export const readinessList = dataOf(v.array(readiness), 'ReadinessList');

export const networkList = dataOf(
  v.array(
    documented(
      v.object({
        target: documented(v.string(), { examples: ['instagram.reel'] }),
        rules: v.array(
          documented(
            v.object({
              rule: v.string(),
              severity,
              limit: shown,
              unit,
              source: documented(v.string(), { description: 'The page that states the rule.', format: 'uri' }),
              checked_on: documented(v.string(), { description: 'The date when the source was last checked.' }),
            }),
            { title: 'NetworkRule' },
          ),
        ),
      }),
      {
        title: 'NetworkResource',
        description: 'A target, such as Instagram reels, and the rules that its network has for it.',
      },
    ),
  ),
  'NetworkList',
);

export const showReadiness = (all: readonly Readiness[]) =>
  all.map(({ target, verdict, problems }) => ({
    target,
    verdict,
    problems: problems.map(({ mediaContentId, limit, actual, ...rest }) => ({
      ...rest,
      limit: copied(limit),
      actual: actual === null ? null : copied(actual),
      media_content_id: mediaContentId,
    })),
  }));

/** Returns a copy of a list, because the types of answers are mutable and those of rules aren't. */
export const copied = <T extends number | string | boolean>(value: T | readonly string[]): T | string[] =>
  typeof value === 'object' ? [...value] : value;
