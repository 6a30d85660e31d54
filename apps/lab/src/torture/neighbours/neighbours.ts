import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Deploy } from '../deployments/deployment.ts';
import { AttackSetup } from './attack-setup.ts';
import type { Attack, Finding } from './attacks/attack.ts';
import { probeWhile, startBare } from './probe/probe.ts';
import type { Row } from './report.ts';

export interface Times {
  /** Milliseconds for which waits without an attack are measured. */
  readonly alone: number;
  /** Milliseconds for which the attack lasts. */
  readonly attack: number;
  /** Milliseconds after which the honest tenant stops waiting for a request. */
  readonly timeout: number;
}

/**
 * Runs one attack on a new service, and measures an honest tenant's waits from another process, before and during the
 * attack.
 *
 * @returns null if the deployment isn't available on this machine
 */
export async function tryAttack(deploy: Deploy, attack: Attack, times: Times): Promise<Row | null> {
  const folder = await mkdtemp(join(tmpdir(), `postshelf-neighbours-${attack.name}-`));
  const deployment = await deploy(folder);
  if (!deployment) return null;
  const bare = await startBare();
  try {
    await using setup = await AttackSetup.open(deployment, folder, attack);
    const { target, honest } = setup;
    using _ = onSignal(async () => {
      await setup[Symbol.asyncDispose]();
      await bare.end('SIGKILL');
    });
    const probed = (work: () => Promise<void>) =>
      probeWhile({ root: target.root, bare: bare.root, timeout: times.timeout, pid: setup.pid, ...honest }, work);
    const assault = await attack.prepare(target);
    const alone = await probed(() => Bun.sleep(times.alone));
    const before = await setup.peak();
    await setup.forgetPeak();
    let findings: readonly Finding[] = [];
    const attacked = await probed(async () => {
      findings = await assault(AbortSignal.timeout(times.attack));
    });
    const memory = { alone: before, attacked: await setup.peak() };
    return { name: attack.name, about: attack.about, alone, attacked, memory, findings };
  } finally {
    await bare.end('SIGKILL');
    await deployment.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** On SIGINT or SIGTERM, calls `tidy`, which stops everything that this process has started, and then exits. */
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
