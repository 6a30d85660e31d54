import { at, textAt } from '../support/json.ts';
import { type LoadContext, newKey } from './load-context.ts';

const SCOPES = ['media', 'folders', 'analytics', 'webhooks'].flatMap((of) => [`${of}:read`, `${of}:write`]);

/** Creates a workspace and a token for it, as an operator. */
export async function openGuest(context: LoadContext): Promise<void> {
  const { operator, requester, ledger } = context;
  const guest = ledger.addGuest();
  const { name } = guest;
  const key = newKey(context);
  const made = await requester.ask({
    kind: 'create workspace',
    about: { guest: name },
    writes: [guest.exists.begin(true)],
    send: () => operator.call('POST', '/workspaces', { name }, key),
    done: [201],
    take: ({ json }) => {
      guest.id = textAt(json, 'data', 'id');
    },
  });
  if (!made || context.isOver) return;
  const body = { name, workspaces: [guest.id], scopes: SCOPES };
  const issued = await requester.ask({
    kind: 'create token',
    about: { guest: name },
    writes: [],
    send: () => operator.call('POST', '/tokens', body),
    done: [201],
    mayRefuse: ({ status }) => status === 422 && guest.exists.allows(false),
  });
  if (issued) guest.token = textAt(issued.json, 'data', 'token');
}

/** Removes a workspace as an operator, whatever clients are doing in it. */
export async function removeGuest({ operator, requester, ledger, random }: LoadContext): Promise<void> {
  const guest = random.pickIfAny(
    [...ledger.guests.values()].filter(({ id, exists }) => id !== null && exists.is(true)),
  );
  if (!guest) return;
  await requester.ask({
    kind: 'remove workspace',
    about: { guest: guest.name },
    writes: [guest.exists.begin(false)],
    send: () => operator.call('DELETE', `/workspaces/${guest.id}`),
    done: [202],
  });
}

/** Makes the service check all objects now instead of once a week, as an operator. */
export async function checkObjects({ operator, requester }: LoadContext): Promise<void> {
  const found = await operator.call('GET', '/jobs?kind=check');
  const id = at(found?.json, 'data', 0, 'id');
  if (id === undefined) return;
  await requester.ask({
    kind: 'check objects',
    about: { id },
    writes: [],
    send: () => operator.call('POST', `/jobs/${id}/retry`),
    done: [202],
    // The check is already running.
    mayRefuse: ({ status }) => status === 422,
  });
}
