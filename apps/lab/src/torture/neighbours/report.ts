import type { Finding } from './attacks/attack.ts';
import type { Probed } from './probe/probe.ts';
import type { Waits } from './probe/request-loop.ts';

/** Limits for an honest tenant's waits in milliseconds, and for the service's memory in MiB. */
const BAR = {
  waits: {
    ...{ bare: Infinity, health: 250, request: 60_000, image: 5000, import: 60_000 },
    ...{ cover: 60_000, preview: 60_000, fit: 60_000 },
  },
  memory: 300,
};

/** One attack, with the waits of an honest tenant before and during it. */
export interface Row {
  readonly name: string;
  readonly about: string;
  /** Waits without an attack. */
  readonly alone: Probed;
  readonly attacked: Probed;
  /** The service's peak memory in MiB, before and during the attack. */
  readonly memory: { readonly alone: number; readonly attacked: number };
  readonly findings: readonly Finding[];
}

/**
 * The results of an attack that exceed their limits. A wait is excused in three cases:
 *
 * - The time in which the service didn't wait for a processor is within the limit.
 * - The wait exceeds the limit by no more than the longest wait for the bare server, or without the attack.
 * - The request stores something, and uploads are refused with 507 because the disk is full.
 */
export interface Verdict {
  readonly violated: readonly string[];
  readonly excused: readonly string[];
}

export function judge({ alone, attacked, memory, findings }: Row): Verdict {
  const [violated, excused]: [string[], string[]] = [[], []];
  // Waits for storing are excused if uploads are refused because the disk is down to its reserve.
  const isFull = attacked.image.refusals[507] !== undefined;
  for (const name of NAMES) {
    const { longest, own, isOpen } = attacked[name];
    const bar = BAR.waits[name];
    if (longest <= bar) continue;
    const noise = Math.max(attacked.bare.longest, alone[name].longest);
    const isNoise = isOpen ? alone[name].isOpen : own <= bar || longest - bar <= noise;
    (isNoise || (isFull && STORING.has(name)) ? excused : violated).push(`${LABELS[name]} ${show(attacked[name])}`);
  }
  if (memory.attacked > BAR.memory) violated.push(`${Math.round(memory.attacked)} MB`);
  for (const { what, value, isKept } of findings) if (isKept === false) violated.push(`${what}: ${value}`);
  return { violated, excused };
}

const STORING: ReadonlySet<keyof Probed> = new Set(['image', 'import', 'cover', 'preview', 'fit']);

const LABELS = {
  bare: 'bare server',
  health: '`/health`',
  request: 'request',
  image: 'image',
  import: 'import',
  cover: 'cover',
  preview: 'preview',
  fit: 'fit',
} as const satisfies Record<keyof Probed, string>;

const NAMES = Object.keys(LABELS) as readonly (keyof Probed)[];

/**
 * Formats all rows as tables in Markdown. Each cell shows the longest wait without the attack, and then the longest
 * wait during it.
 */
export function tableOf(rows: readonly Row[]): string {
  const head = ['attack', ...NAMES.map((name) => LABELS[name]), 'memory', 'verdict'];
  return [
    `| ${head.join(' | ')} |`,
    `|${head.map(() => ' --- |').join('')}`,
    ...rows.map(
      (row) => `| ${[row.name, ...NAMES.map((name) => cell(row, name)), memoryOf(row), verdictOf(row)].join(' | ')} |`,
    ),
    '',
    ...rows.flatMap(detailsOf),
    '',
  ].join('\n');
}

const cell = ({ alone, attacked }: Row, name: keyof Probed): string => `${show(alone[name])} → ${show(attacked[name])}`;

const memoryOf = ({ memory }: Row): string => `${Math.round(memory.alone)} → ${Math.round(memory.attacked)} MB`;

function verdictOf(row: Row): string {
  const { violated, excused } = judge(row);
  if (violated.length > 0) return `**${violated.join('; ')}**`;
  return excused.length > 0 ? `kept, as far as the machine lets it (${excused.join('; ')})` : 'kept';
}

/** Formats the details below the table. */
function detailsOf({ name, about, attacked, findings }: Row): readonly string[] {
  const refused = NAMES.flatMap((lane) => {
    const all = Object.entries(attacked[lane].refusals).map(
      ([status, times]) => `${Number(status) || 'none'} × ${times}`,
    );
    return all.length === 0 ? [] : [`${LABELS[lane]} ${all.join(', ')}`];
  });
  const found = findings.map(({ what, value }) => `${what}: ${value}`);
  const done = `done meanwhile (half and 99% of them within; when the longest began): ${NAMES.map((lane) => `${LABELS[lane]} ${shares(attacked[lane])}`).join(', ')}`;
  const answers = refused.length === 0 ? [] : [`answered otherwise: ${refused.join('; ')}`];
  return [`- **${name}**: ${about}.`, ...[...found, ...answers, done].map((line) => `  - ${line}`)];
}

const shares = ({ done, median, p99, longestAt }: Waits): string =>
  `${done} (${time(median)}, ${time(p99)}; ${time(longestAt)})`;

/**
 * Formats the longest wait, with `>` if the tenant gave up waiting. If the service waited for a processor, the longest
 * wait without that time follows in parentheses.
 */
function show({ longest, own, isOpen }: Waits): string {
  const text = isOpen ? `> ${time(longest)}` : time(longest);
  return own < longest ? `${text} (${time(own)})` : text;
}

const time = (ms: number): string => (ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`);
