import type { StagedObject } from '@postshelf/domain';
import type { Ports } from '../../src/index.ts';
import { startWorker } from './imports.ts';
import type { World } from './world.ts';

/** Hears of every call that was done, before the caller does: it may hold the caller up, or never let it go on. */
type AfterCall = (call: string) => Promise<void>;

const INTERRUPTED = ['media', 'duplicates', 'imports', 'storage', 'covers', 'inspector', 'fitQueue', 'fitter'] as const;

/** The ports, each asynchronous call of which is followed by `afterCall`. */
export function interruptible<All extends Ports>(ports: All, afterCall: AfterCall): All {
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

/** An `AfterCall` that does something once, behind the call of that number, counted from 1. */
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

/** More calls of ports than an import makes. */
const MANY = 40;

/** Makes an attempt for each call of a worker, counted from 1, until one makes no more; answers the calls of the last. */
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
 * Lets a first worker claim what is due until it is killed behind its call of this number, or has come to its end; answers
 * the calls that it made.
 */
export async function workUntilKilled(world: World, number: number): Promise<readonly string[]> {
  const killed = Promise.withResolvers<void>();
  const { afterCall, calls } = afterCallNumber(number, () => {
    killed.resolve();
    return new Promise(() => undefined);
  });
  const first = startWorker(interruptible(world, afterCall), { owner: 'first' });
  void first.worker.claimDue();
  await Promise.race([killed.promise, first.heard(1)]);
  return calls;
}
