import { describe, expect, test } from 'bun:test';
import {
  type Candidate,
  checkReadiness,
  isNumberRule,
  type Quantity,
  RULE_KINDS,
  type Rule,
  type RuleKind,
  TARGETS,
} from '../../src/index.ts';
import { holdsFor } from '../../src/readiness/check-item.ts';
import { itemOf, video } from './items.ts';

type NumberRule = Extract<Rule, { bound: 'min' | 'max' }>;

/**
 * Returns items whose measure is the limit plus `step` of its smallest units. For an aspect ratio, the image has a
 * thousand times the limit's width and height, and `step` times as many more columns as aren't rounding. A frame rate
 * differs by `step` times more than 0.2%.
 */
function itemsWith({ measure, kind, beside }: NumberRule, { n, d }: Quantity, step: number): readonly Candidate[] {
  const item = itemOf(kind ?? 'image');
  const value = n + step;
  switch (measure) {
    case 'bytes':
      return [{ ...item, size: value }];
    case 'width':
      return [{ ...item, width: value }];
    case 'height':
      return [{ ...item, height: value }];
    case 'total_area':
      return [{ ...item, width: value, height: 1, details: { image: { frames: 1, hasAlpha: false }, video: null } }];
    case 'area':
      return [{ ...item, width: value, height: 1 }];
    case 'aspect':
      return [{ ...item, width: n * 1000 + step * (Math.ceil(n / d) + 1), height: d * 1000 }];
    case 'duration':
      return [video({}, { durationMs: value })];
    case 'frame_rate':
      return [video({}, { frameRate: (n + step * Math.ceil(n * 0.0021)) / 1000 })];
    case 'bitrate':
      return [video({}, { bitrate: value })];
    case 'audio':
      return [video({}, { audio: { codec: 'aac', sampleRate: value, channels: 2 } })];
    case 'channels':
      return [video({}, { audio: { codec: 'aac', sampleRate: 48_000, channels: value } })];
    case 'posts_per_day':
      return [item];
    case 'frames':
      return [{ ...item, details: { image: { frames: value, hasAlpha: false }, video: null } }];
    case 'count': {
      const others = beside === null ? [] : [itemOf(beside)];
      return [...others, ...Array.from({ length: value }, () => item)];
    }
  }
}

const rules = TARGETS.flatMap(({ rules: all }) => all);
const numbers = rules.filter(isNumberRule);
const isError = ({ severity }: Rule): boolean => severity === 'error';

function severityAt(rule: NumberRule, at: Quantity, step: number): string | null {
  const target = TARGETS.find(({ target: name }) => name === rule.target);
  if (!target) throw new Error(rule.target);
  const postsPerDay = rule.measure === 'posts_per_day' ? at.n + step : null;
  const { problems } = checkReadiness(target, itemsWith(rule, at, step), { postsPerDay });
  return problems.find(({ rule: id }) => id === rule.id)?.severity ?? null;
}

describe('the limit', () => {
  test.each(numbers.map((rule) => [rule.id, rule] as const))(
    '%s applies one step beyond its value, but not at that value',
    (_, rule) => {
      const beyond = rule.bound === 'max' ? 1 : -1;
      const isSure = rule.warns.n * rule.fails.d === rule.fails.n * rule.warns.d;
      expect([-1, 0, 1].map((steps) => severityAt(rule, rule.warns, steps * beyond))).toEqual([
        null,
        null,
        isSure ? rule.severity : 'warning',
      ]);
      expect([0, 1].map((steps) => severityAt(rule, rule.fails, steps * beyond))).toEqual([
        isSure ? null : 'warning',
        rule.severity,
      ]);
    },
  );
});

describe('the rules', () => {
  test('are at least 60 for 16 targets, each with a unique name, a date and a known kind of source', () => {
    expect(TARGETS.length).toBeGreaterThanOrEqual(16);
    expect(rules.length).toBeGreaterThanOrEqual(60);
    expect(new Set(rules.map(({ id }) => id)).size).toBe(rules.length);
    for (const { id, target, kind, measure, bound, source, checkedOn, sentence, remedy } of rules) {
      const end = measure === 'posts_per_day' ? null : bound;
      expect(id).toBe([target, kind, measure, end].filter((part) => part !== null).join('.'));
      expect(source.address).toMatch(/^https:\/\/[\w.-]+\/\S+$/);
      expect(['network', 'copy', 'code', 'vendor']).toContain(source.kind);
      expect(source.where !== undefined).toBe(source.kind === 'copy');
      expect(checkedOn).toMatch(/^20\d\d-[01]\d-[0-3]\d$/);
      expect(sentence).toMatch(/^[A-Z].*\.$/);
      expect(remedy).toMatch(/^[A-Z].*\.$/);
    }
  });

  test('are warnings, with two exceptions, if their only source is code or a vendor', () => {
    const others = rules.filter(({ source }) => source.kind === 'code' || source.kind === 'vendor');
    const [errors, warnings] = [others.filter(isError), others.filter((rule) => !isError(rule))];
    expect(errors.map(({ id }) => id).sort()).toEqual(['facebook.post.image.count.max', 'pinterest.pin.equal_size']);
    expect(new Set(warnings.map(({ target }) => target))).toEqual(
      new Set([
        ...['facebook.post', 'facebook.reel', 'facebook.story', 'tiktok.post', 'x.post', 'google_business.post'],
      ]),
    );
    expect(rules.filter((rule) => rule.target === 'google_business.post' && isError(rule))).toEqual([]);
  });

  test('have no minimum above their maximum', () => {
    for (const { target, kind, measure, limit } of numbers.filter(({ bound }) => bound === 'min')) {
      const max = numbers.find((rule) => rule.id === [target, kind, measure, 'max'].filter(Boolean).join('.'));
      if (max) expect(limit.n * max.limit.d).toBeLessThanOrEqual(max.limit.n * limit.d);
    }
  });

  // A check reads one field of an item per rule, so its cost is the number of evaluated rules and doesn't depend on
  // file sizes.
  test('require fewer than 30,000 evaluations for a hundred items and all targets', () => {
    const looks = (kind: RuleKind): number =>
      TARGETS.flatMap(({ rules: all }) => all.filter((rule) => holdsFor(all, rule, kind))).length;
    for (const kind of RULE_KINDS) expect(looks(kind) * 100).toBeLessThan(30_000);
  });
});
