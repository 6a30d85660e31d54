import type { StagedObject } from '@postshelf/domain';
import type { Ports } from '../../src/index.ts';

/** Hears of every call that was done, before the caller does: it may hold the caller up, or never let it go on. */
type AfterCall = (call: string) => Promise<void>;

const INTERRUPTED = ['media', 'imports', 'storage', 'covers', 'inspector'] as const;

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
