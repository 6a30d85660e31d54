import { accessOfCommand } from '@postshelf/domain';
import { Caller } from '../../admit.ts';
import { beginExchange } from '../../exchange.ts';
import type { AnyOperation, RawInput } from '../../operations/operation.ts';
import { performFields } from '../../operations/perform.ts';
import { createService, type ServiceParts } from '../../service.ts';

/** Runs operations in this process, for a command. */
export interface OperationsHere {
  /**
   * Runs an operation for a user of the machine's shell, who may do everything. The entry in the audit log names no
   * token and no person.
   *
   * @param raw the ids of the path and the other fields
   * @returns the answer, with the `version` of a resource that has one; null if the operation has no answer
   * @throws Refusal
   */
  run(operation: AnyOperation, raw: RawInput): Promise<unknown>;
  /** Writes pending entries to the audit log. Called after the last operation. */
  close(): Promise<void>;
}

export function createOperationsHere(parts: ServiceParts): OperationsHere {
  const service = createService(parts);
  const who = { access: accessOfCommand(parts.ports.ids.next()), token: null, people: [], session: null };
  return {
    async run(operation, raw) {
      const exchange = beginExchange(service, new Request(service.publicUrl), null);
      const caller = new Caller(
        who,
        operation.scope,
        async () => who,
        async () => undefined,
        (cause) => service.observer.fault(cause, exchange.facts),
      );
      return performFields(operation, exchange, caller, raw);
    },
    close: () => service.auditLog.close(),
  };
}
