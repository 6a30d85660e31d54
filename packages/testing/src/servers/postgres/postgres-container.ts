import { hasContainerEngine } from '../container-engine.ts';
import type { RealPostgres } from './real-postgres.ts';

/** The same image as in docs/deploy/compose.yaml. */
const IMAGE = 'postgres:17-bookworm';
const PORT = 5432;
const PASSWORD = crypto.randomUUID();

/** Starts PostgreSQL in a container that is removed with the test run; returns null if no container engine answers. */
export async function startPostgresContainer(): Promise<RealPostgres | null> {
  if (!(await hasContainerEngine())) return null;
  const { GenericContainer, Wait } = await import('testcontainers');
  const container = await new GenericContainer(IMAGE)
    .withEnvironment({ POSTGRES_USER: 'postshelf', POSTGRES_PASSWORD: PASSWORD })
    .withCommand(['postgres', '-c', 'fsync=off', '-c', 'max_connections=200'])
    .withExposedPorts(PORT)
    // The image starts the server twice, the first time to set it up.
    .withWaitStrategy(Wait.forLogMessage(/ready to accept connections/, 2))
    .start();
  const host = `${container.getHost()}:${container.getMappedPort(PORT)}`;
  return { product: IMAGE, url: `postgres://postshelf:${PASSWORD}@${host}/postgres`, server: null };
}
