import type { StagedObject } from '@postshelf/domain';
import type { Resources } from '../../src/index.ts';
import { startImports } from './imports.ts';
import type { TestRunner } from './jobs.ts';

/** Runs after every call of a port, before the caller gets the result. May delay the caller, or never return. */
type AfterCall = (call: string) => Promise<void>;

const INTERRUPTED = [
  'workspaces',
  'media',
  'uploads',
  'duplicates',
  'processing',
  'jobs',
  'storage',
  'covers',
  'inspector',
  'fitter',
] as const;

/** Returns the ports, with `afterCall` running after each of their asynchronous calls. */
export function interruptible<All extends Resources>(ports: All, afterCall: AfterCall): All {
  const interrupted = Object.fromEntries(INTERRUPTED.map((name) => [name, followed(name, ports[name], afterCall)]));
  return { ...ports, ...interrupted };
}

function followed<Port extends object>(name: string, port: Port, afterCall: AfterCall): Port {
  return new Proxy(port, {
    get(target, key) {
      const member: unknown = Reflect.get(target, key);
      if (typeof member !== 'function') return member;
      return async (...given: readonly unknown[]) => {
        const result: unknown = await member.apply(target, given);
        const call = `${name}.${String(key)}`;
        await afterCall(call);
        return call === 'storage.stage' ? followed('object', result as StagedObject, afterCall) : result;
      };
    },
  });
}

/** Returns an `AfterCall` that acts once, after the call with this number, counted from 1. */
export function afterCallNumber(number: number, act: () => Promise<void>): { afterCall: AfterCall; calls: string[] } {
  const calls: string[] = [];
  return {
    calls,
    async afterCall(call) {
      calls.push(call);
      if (calls.length === number) await act();
    },
  };
}

/** An upper limit for the number of calls that any import makes to the ports. */
const MANY = 40;

/**
 * Runs `attempt` with 1, 2, 3 and so on, until the worker makes fewer calls than this number. Returns the calls of the
 * last attempt.
 */
export async function behindEachCall(
  attempt: (number: number) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  for (let number = 1; number <= MANY; number += 1) {
    const calls = await attempt(number);
    if (calls.length < number) return calls;
  }
  throw new Error(`An import makes more than ${MANY} calls.`);
}

/**
 * Starts a process that does one due job, and waits until the job has ended or the process is killed after its call
 * with this number. Returns the calls that the process made. The call after which it is killed never returns.
 */
export async function workUntilKilled<All extends Resources>(
  ports: All,
  number: number,
  start: (ports: All) => TestRunner = startImports,
): Promise<readonly string[]> {
  const calls: string[] = [];
  const first = start(
    interruptible(ports, async (call) => {
      calls.push(call);
      if (calls.length >= number) await new Promise(() => undefined);
    }),
  );
  void first.runner.runDue();
  await first.heard(1, () => calls.length >= number);
  return calls;
}
