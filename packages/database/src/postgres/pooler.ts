import { Client, DatabaseError } from 'pg';

/**
 * How often the connections of two clients are compared. Once isn't enough: the pooler may serve other clients in
 * between.
 */
const ROUNDS = 3;

const REFUSED =
  'the pooler in front of it gives each transaction another connection (PgBouncer: pool_mode = transaction), but Postshelf needs sessions: set pool_mode = session for its database, or connect to PostgreSQL itself';

export async function refuseSharedSessions(url: string, timeout: number): Promise<void> {
  const clients: Client[] = [];
  try {
    for (let count = 0; count < 2; count += 1) clients.push(await connect(url, timeout));
    const [first, second] = clients;
    for (let round = 0; first && second && round < ROUNDS; round += 1) await compare(first, second);
  } catch (error) {
    if (error instanceof SharedSessions) throw error;
    if (error instanceof DatabaseError && error.message.includes('pooling mode')) throw new SharedSessions();
    // Any other error, such as no free connection, means that the pooler doesn't lend an idle client's connection to
    // others.
  } finally {
    await Promise.all(clients.map((client) => client.end()));
  }
}

class SharedSessions extends Error {
  constructor() {
    super(REFUSED);
  }
}

async function compare(first: Client, second: Client): Promise<void> {
  const own = await processOf(first);
  await second.query('begin');
  const other = await processOf(second);
  // The first client isn't queried if `other` equals `own`: the second client's transaction then holds the connection,
  // and if it is the pooler's only one, the query would get no answer.
  if (other === own || (await processOf(first)) !== own) throw new SharedSessions();
  await second.query('rollback');
}

async function connect(url: string, timeout: number): Promise<Client> {
  const client = new Client({
    connectionString: url,
    application_name: 'postshelf',
    connectionTimeoutMillis: timeout,
    query_timeout: timeout,
  });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

async function processOf(client: Client): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid;
}
