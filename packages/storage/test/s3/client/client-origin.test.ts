import { describe, expect, test } from 'bun:test';
import { connect, type S3Options } from '../../../src/s3/client/connection.ts';
import { S3Links } from '../../../src/s3/objects/temporary-links.ts';
import { KEY } from '../../support/objects.ts';

const options = { region: 'eu-central-1', bucket: 'pictures', forcePathStyle: false };

describe('the origin of signed addresses', () => {
  test.each<readonly [string, Partial<S3Options>, string]>([
    ['AWS', {}, 'https://pictures.s3.eu-central-1.amazonaws.com'],
    ['AWS with the bucket in the path', { forcePathStyle: true }, 'https://s3.eu-central-1.amazonaws.com'],
    // The certificates of AWS don't cover a host name that contains a bucket name with dots.
    ['a bucket name with a dot', { bucket: 'pictures.example' }, 'https://s3.eu-central-1.amazonaws.com'],
    ['an endpoint', { endpoint: 'https://store.example' }, 'https://pictures.store.example'],
    [
      'an endpoint with the bucket in the path',
      { endpoint: 'https://store.example:9000/s3', forcePathStyle: true },
      'https://store.example:9000',
    ],
    ['an IP address', { endpoint: 'http://10.0.0.7:9000' }, 'http://10.0.0.7:9000'],
    [
      'an endpoint for clients',
      { endpoint: 'http://inside:9000', clientEndpoint: 'https://store.example' },
      'https://pictures.store.example',
    ],
  ])('for %s is correct', async (_, given, origin) => {
    const credentials = { accessKeyId: 'key', secretAccessKey: 'secret' };
    const s3 = connect({ ...options, credentials, ...given });
    const links = new S3Links(s3);
    expect(s3.clientOrigin).toBe(origin);
    // The addresses that the SDK signs have the same origin.
    expect(new URL(await links.linkTo(KEY, { method: 'GET', expiresIn: 60 })).origin).toBe(origin);
    s3.close();
  });
});
