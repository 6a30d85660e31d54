import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Deploy } from '../deployments/deployment.ts';
import type { Attack, Finding } from './attacks/attack.ts';
import { probeWhile, startBare } from './probe/probe.ts';
import type { Row } from './report.ts';
import { Stage } from './stage.ts';

export interface Times {
  /** Milliseconds that are probed with nobody attacking. */
  readonly alone: number;
  /** Milliseconds of the attack. */
  readonly attack: number;
  /** Milliseconds that the honest tenant waits for one thing before it is given up. */
  readonly timeout: number;
}

/**
 * Tries one attack on a new service, and probes it from a process of its own, before and meanwhile.
 *
 * @returns null where the deployment can't be had here
 */
export async function tryAttack(deploy: Deploy, attack: Attack, times: Times): Promise<Row | null> {
  const folder = await mkdtemp(join(tmpdir(), `postshelf-neighbours-${attack.name}-`));
  const deployment = await deploy(folder);
  if (!deployment) return null;
  const bare = await startBare();
  try {
    await using stage = await Stage.open(deployment, folder, attack);
    const { target, honest } = stage;
    using _ = onSignal(async () => {
      await stage[Symbol.asyncDispose]();
      await bare.end('SIGKILL');
    });
    const probed = (work: () => Promise<void>) =>
      probeWhile({ root: target.root, bare: bare.root, timeout: times.timeout, pid: stage.pid, ...honest }, work);
    const assault = await attack.prepare(target);
    const alone = await probed(() => Bun.sleep(times.alone));
    const before = await stage.peak();
    await stage.forgetPeak();
    let findings: readonly Finding[] = [];
    const attacked = await probed(async () => {
      findings = await assault(AbortSignal.timeout(times.attack));
    });
    const memory = { alone: before, attacked: await stage.peak() };
    return { name: attack.name, about: attack.about, alone, attacked, memory, findings };
  } finally {
    await bare.end('SIGKILL');
    await deployment.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Whoever ends this process from outside ends what it started. */
function onSignal(tidy: () => Promise<void>): Disposable {
  const end = (): void => void tidy().finally(() => process.exit(1));
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.once(signal, end);
  return {
    [Symbol.dispose]() {
      for (const signal of signals) process.off(signal, end);
    },
  };
}
