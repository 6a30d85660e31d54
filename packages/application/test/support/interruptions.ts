import type { StagedObject } from '@postshelf/domain';
import type { Resources } from '../../src/index.ts';
import { startWorker } from './imports.ts';
import type { World } from './world.ts';

/** Called after every call of a port, before its caller gets the result: may delay the caller, or never return. */
type AfterCall = (call: string) => Promise<void>;

const INTERRUPTED = [
  'media',
  'uploads',
  'duplicates',
  'imports',
  'storage',
  'covers',
  'inspector',
  'fitQueue',
  'fitter',
] as const;

/** The ports, with `afterCall` run after each asynchronous call of theirs. */
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

/** An `AfterCall` that acts once, after the call with this number, counted from 1. */
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

/**
 * Runs an attempt for each call that a worker makes, counted from 1, until the worker makes no more; returns the calls
 * of the last attempt.
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
 * Lets a first worker claim what is due until it is killed after its call of this number, or has finished; returns the
 * calls that it made.
 */
export async function workUntilKilled(world: World, number: number): Promise<readonly string[]> {
  let isKilled = false;
  const { afterCall, calls } = afterCallNumber(number, () => {
    isKilled = true;
    return new Promise(() => undefined);
  });
  const first = startWorker(interruptible(world, afterCall), { owner: 'first' });
  void first.worker.claimDue();
  await first.heard(1, () => isKilled);
  return calls;
}
