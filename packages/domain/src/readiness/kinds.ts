import { kindOf, MEDIA_TYPES, type MediaKind, type MediaType } from '../media/types.ts';
import { isNumberRule, type Rule, type Target } from './rule.ts';

/**
 * Whether a target publishes a file of a kind without other files. For example, `instagram.reel` doesn't publish an
 * image without a video, although an image may be a video's cover. A GIF counts as an image. The result depends only on
 * the kind, so it is the same for every file of the kind.
 */
export const takesKind = ({ rules }: Target, kind: MediaKind): boolean => rules.every((rule) => !excludes(rule, kind));

function excludes(rule: Rule, kind: MediaKind): boolean {
  if (rule.severity === 'warning') return false;
  if (rule.measure === 'type') return rule.kind === null && !TYPES[kind].some((type) => rule.limit.includes(type));
  if (!isNumberRule(rule) || rule.measure !== 'count' || rule.bound !== 'min') return false;
  return rule.kind !== null && rule.beside === null && kindOfRule(rule.kind) !== kind;
}

const kindOfRule = (kind: NonNullable<Rule['kind']>): MediaKind => (kind === 'video' ? 'video' : 'image');

const ALL = Object.keys(MEDIA_TYPES) as readonly MediaType[];

const TYPES: Readonly<Record<MediaKind, readonly MediaType[]>> = {
  image: ALL.filter((type) => kindOf(type) === 'image'),
  video: ALL.filter((type) => kindOf(type) === 'video'),
};
