import { saidQuantity, sentenceOf } from './problem.ts';
import { isNumberRule, type NumberRule, type Rule, type Target } from './rule.ts';
import { TARGETS } from './targets.ts';

const HEAD = `# What each network takes

Generated from \`packages/domain/src/readiness/networks\` by \`npm run networks\`: what \`GET /networks\` answers and readiness is
checked by (api.md, "Ready to publish?"). Each rule names who says so, and the day on which somebody last looked there; pages of
networks were read as stored copies. \`npm run --silent networks -- --stale\` lists the rules that nobody has looked up for half a year.
To correct one, change its limit or source and its date there, then run \`npm run networks\`.

An **error** is what the network refuses. A **warning** is what it mends by itself or merely recommends, where sources differ or are
old, and whatever isn't known of a file. A megabyte is 1,000,000 bytes: up to 1,048,576 there is a warning, above that an error,
as sources don't say which they mean; where they do, the limit is exact. Aspect ratios are width to height.
`;

/** docs/networks.md */
export const networksDocument = (): string => [HEAD, ...TARGETS.map(sectionOf)].join('\n');

const sectionOf = ({ target, rules }: Target): string =>
  [
    `## \`${target}\``,
    '',
    '| rule | what it asks for | severity | source | checked |',
    '| --- | --- | --- | --- | --- |',
    ...rules.map(rowOf),
    '',
  ].join('\n');

function rowOf(rule: Rule): string {
  const name = rule.id.slice(rule.target.length + 1);
  const asked = isNumberRule(rule) ? [sentenceOf(rule), doubtOf(rule)].filter(Boolean).join(' ') : sentenceOf(rule);
  const host = /^https:\/\/([^/]+)/.exec(rule.source)?.[1] ?? rule.source;
  return `| \`${name}\` | ${asked} | ${rule.severity} | [${host}](${rule.source}) | ${rule.checkedOn} |`;
}

/** From where to where there is only a warning. */
function doubtOf(rule: NumberRule): string {
  const { warns, fails, doubt } = rule;
  if (doubt === null) return '';
  const [from, to] = [saidQuantity(rule, warns), saidQuantity(rule, fails)];
  return `Only a warning from ${from} to ${to}: ${doubt.charAt(0).toLowerCase()}${doubt.slice(1)}`;
}

const DAY = 24 * 60 * 60 * 1000;

/** How long a rule is taken for what its source says. */
const LOOK_AGAIN_AFTER = 183 * DAY;

/** The rules that nobody has looked up for half a year, as of an instant in milliseconds, longest ago first. */
export const staleRules = (now: number): readonly Rule[] =>
  TARGETS.flatMap(({ rules }) => rules)
    .filter(({ checkedOn }) => now - Date.parse(checkedOn) > LOOK_AGAIN_AFTER)
    .sort((a, b) => a.checkedOn.localeCompare(b.checkedOn));
