import { compare } from './compare.ts';
import { quantityInWords, sentenceOf } from './problem.ts';
import { isNumberRule, type NumberRule, type Rule, type Source, type Target } from './rule.ts';
import { TARGETS } from './targets.ts';

const HEAD = `# What each network takes

Generated from \`packages/domain/src/readiness/networks\` by \`npm run networks\`: what \`GET /networks\` answers and readiness is
checked by (api.md, "Ready to publish?"). Each rule names its source, the kind of that source, and the day on which the source
was last read. \`npm run --silent networks -- --stale\` lists the rules that haven't been checked for a year. To correct one,
change its limit, source and date there, then run \`npm run networks\`.

Nothing was read on the web itself, all of it in stored copies: repositories of 2025 and 2026, and pages of unknown age, mostly
their beginnings. [Decision 12](decisions/12-networks.md) lists what couldn't be opened.

- **network**: a page, sample, specification or program of the network itself, stored under that address.
- **copy**: what a page of the network says, as others repeat it, since that part of it couldn't be opened; the end of this page has where.
- **code**: a program that posts there. **vendor**: a help page of others.

The kind names the origin of a rule, not its severity: rules known only from others are errors as well, unless they are in doubt.

An **error** is what the network refuses, according to the source. A **warning** is what it corrects by itself or only
recommends, where sources differ or are old, and whatever isn't known of a file. A megabyte is 1,000,000 bytes: up to 1,048,576
there is a warning, above that an error, as sources don't say which they mean; where they do, the limit is exact.

Aspect ratios are width to height. A size whose one side is the nearest pixel to what the ratio requires meets it (1200 × 628 for
1.91:1), and so does, in videos, the nearest even pixel (608 × 1080 for 9:16). The average of a video's frame rate counts as the
standard rate that is within 0.2 % of it, as clocks and rounded times turn 60 into 60.004.
`;

/** Returns the text of docs/networks.md. */
export const networksDocument = (): string => [HEAD, ...TARGETS.map(sectionOf), COPIES].join('\n');

const sectionOf = ({ target, rules }: Target): string =>
  [
    `## \`${target}\``,
    '',
    '| rule | what it requires | severity | source | kind | checked |',
    '| --- | --- | --- | --- | --- | --- |',
    ...rules.map(rowOf),
    '',
  ].join('\n');

function rowOf(rule: Rule): string {
  const name = rule.id.slice(rule.target.length + 1);
  const requirement = isNumberRule(rule)
    ? [sentenceOf(rule), doubtOf(rule)].filter(Boolean).join(' ')
    : sentenceOf(rule);
  return `| \`${name}\` | ${requirement} | ${rule.severity} | ${linkTo(rule.source)} | ${rule.source.kind} | ${rule.checkedOn} |`;
}

const linkTo = ({ address }: Source): string => `[${/^https:\/\/([^/]+)/.exec(address)?.[1] ?? address}](${address})`;

const copies = new Set(TARGETS.flatMap(({ rules }) => rules.map(({ source }) => source)).filter(({ where }) => where));

const COPIES = [
  '## Copies',
  '',
  '| source | read in |',
  '| --- | --- |',
  ...Array.from(copies, ({ address, where }) => `| <${address}> | ${where} |`),
  '',
].join('\n');

function doubtOf(rule: NumberRule): string {
  const { limit, warns, fails, doubt, severity } = rule;
  if (doubt === null || (severity === 'warning' && compare(limit, warns) === 0)) return '';
  const [from, to] = [quantityInWords(rule, warns), quantityInWords(rule, fails)];
  const range = severity === 'warning' ? `Applies from ${from} on` : `Only a warning from ${from} to ${to}`;
  return `${range}: ${doubt.charAt(0).toLowerCase()}${doubt.slice(1)}`;
}

const DAY = 24 * 60 * 60 * 1000;

const MAX_AGE = 365 * DAY;

/** Lists rules that haven't been checked for a year, oldest first. */
export const staleRules = (now: number): readonly Rule[] =>
  TARGETS.flatMap(({ rules }) => rules)
    .filter(({ checkedOn }) => now - Date.parse(checkedOn) > MAX_AGE)
    .sort((a, b) => a.checkedOn.localeCompare(b.checkedOn));
