import { hasContainerEngine } from '../container-engine.ts';
import type { S3Access } from './s3-access.ts';

const ID = 'postshelf-test';
const SECRET = crypto.randomUUID();

const MINIO = {
  name: 'MinIO',
  image: 'minio/minio:RELEASE.2025-09-07T16-13-09Z',
  port: 9000,
  environment: { MINIO_ROOT_USER: ID, MINIO_ROOT_PASSWORD: SECRET },
  command: ['server', '/data'],
  probe: '/minio/health/ready',
};

/** The image that `.ci/containers/images.sh` builds if no registry can be reached. */
const radosgw = (image: string) => ({
  name: 'Ceph radosgw in a container',
  image,
  port: 8333,
  environment: { KEY_ID: ID, KEY: SECRET },
  command: [],
  probe: '/',
});

/** Starts a store in a container that is removed with the test run; returns null if no container engine answers. */
export async function startS3Container(): Promise<(S3Access & { readonly product: string }) | null> {
  if (!(await hasContainerEngine())) return null;
  const own = process.env.POSTSHELF_TEST_S3_IMAGE;
  const { name, image, port, environment, command, probe } = own ? radosgw(own) : MINIO;
  const { GenericContainer, Wait } = await import('testcontainers');
  const container = await new GenericContainer(image)
    .withEnvironment(environment)
    .withCommand(command)
    .withExposedPorts(port)
    .withWaitStrategy(Wait.forHttp(probe, port))
    .start();
  return {
    product: name,
    endpoint: `http://${container.getHost()}:${container.getMappedPort(port)}`,
    region: 'us-east-1',
    credentials: { accessKeyId: ID, secretAccessKey: SECRET },
    forcePathStyle: true,
  };
}
