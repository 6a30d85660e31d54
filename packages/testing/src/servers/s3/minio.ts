import { hasContainerEngine } from '../container-engine.ts';
import type { S3Access } from './s3-access.ts';

const IMAGE = 'minio/minio:RELEASE.2025-09-07T16-13-09Z';
const PORT = 9000;
const USER = 'postshelf-test';
const PASSWORD = crypto.randomUUID();

/** MinIO in a container, gone with the test run; null when no container engine answers. */
export async function startMinio(): Promise<S3Access | null> {
  if (!(await hasContainerEngine())) return null;
  const { GenericContainer, Wait } = await import('testcontainers');
  const container = await new GenericContainer(IMAGE)
    .withEnvironment({ MINIO_ROOT_USER: USER, MINIO_ROOT_PASSWORD: PASSWORD })
    .withCommand(['server', '/data'])
    .withExposedPorts(PORT)
    .withWaitStrategy(Wait.forHttp('/minio/health/ready', PORT))
    .start();
  return {
    endpoint: `http://${container.getHost()}:${container.getMappedPort(PORT)}`,
    region: 'us-east-1',
    credentials: { accessKeyId: USER, secretAccessKey: PASSWORD },
    forcePathStyle: true,
  };
}
