import { describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseNetworks, parseNetworkWithPort } from '@postshelf/media';
import { ConfigError, readConfig, readValidConfig } from '../../src/config/config.ts';
import { readSource } from '../../src/config/source.ts';

const sqliteIn = (file: string) => ({ kind: 'sqlite', file }) as const;
const POSTGRES = {
  kind: 'postgres',
  url: 'postgres://shelf:p%40ss@db.internal:5433/shelf',
  poolSize: 10,
  statementTimeout: 10_000,
} as const;

/** Row: a setting, a value, and the part of the configuration that it changes. */
const GOOD: readonly (readonly [string, string, object])[] = [
  ['HOST', '0.0.0.0', { host: '0.0.0.0', publicUrl: 'http://localhost:3000' }],
  ['HOST', '::', { host: '::', publicUrl: 'http://localhost:3000' }],
  ['HOST', '::1', { host: '::1', publicUrl: 'http://[::1]:3000' }],
  ['HOST', '[::]', { host: '::', publicUrl: 'http://localhost:3000' }],
  ['HOST', 'shelf.internal', { host: 'shelf.internal', publicUrl: 'http://shelf.internal:3000' }],
  ['PORT', '1', { port: 1, publicUrl: 'http://127.0.0.1:1' }],
  ['PORT', '65535', { port: 65_535, publicUrl: 'http://127.0.0.1:65535' }],
  ['PUBLIC_URL', 'https://media.example', { publicUrl: 'https://media.example', ownOrigin: 'https://media.example' }],
  ['PUBLIC_URL', 'https://media.example/', { publicUrl: 'https://media.example', ownOrigin: 'https://media.example' }],
  [
    'PUBLIC_URL',
    'http://example.com:8080/shelf//',
    { publicUrl: 'http://example.com:8080/shelf', ownOrigin: 'http://example.com:8080' },
  ],
  [
    'DATA_DIR',
    '/var/lib/postshelf',
    { dataDir: '/var/lib/postshelf', database: sqliteIn('/var/lib/postshelf/postshelf.db') },
  ],
  [
    'DATA_DIR',
    'elsewhere',
    { dataDir: resolve('elsewhere'), database: sqliteIn(resolve('elsewhere', 'postshelf.db')) },
  ],
  ['DATABASE_URL', 'sqlite:', { database: sqliteIn(resolve('data', 'postshelf.db')) }],
  ['DATABASE_URL', 'sqlite:/srv/shelf.db', { database: sqliteIn('/srv/shelf.db') }],
  ['DATABASE_URL', 'sqlite:///srv/shelf.db', { database: sqliteIn('/srv/shelf.db') }],
  ['DATABASE_URL', 'sqlite:shelf.db', { database: sqliteIn(resolve('shelf.db')) }],
  ['DATABASE_URL', 'postgres://shelf:p%40ss@db.internal:5433/shelf', { database: POSTGRES }],
  ['DATABASE_POOL_SIZE', '50', {}],
  ['DATABASE_STATEMENT_TIMEOUT_MS', '500', {}],
  ['JWT_SECRET', 's'.repeat(32), { jwtSecret: 's'.repeat(32) }],
  ['FFMPEG_PATH', '/opt/ffmpeg', { ffmpegPath: '/opt/ffmpeg' }],
  ['IMPORT_ALLOWED_NETWORKS', '10.0.0.0/8', { importAllowedNetworks: ['10.0.0.0/8'] }],
  [
    'IMPORT_ALLOWED_NETWORKS',
    '127.0.0.1/32, fd00::/8\n::1/128,',
    { importAllowedNetworks: ['127.0.0.1/32', 'fd00::/8', '::1/128'] },
  ],
  ['IMPORT_ALLOWED_NETWORKS', '0.0.0.0/0 ::/0', { importAllowedNetworks: ['0.0.0.0/0', '::/0'] }],
  [
    'IMPORT_ALLOWED_NETWORKS',
    '::ffff:10.0.0.0/104,::ffff:a00:0/96,::ffff:0:a00:0/64',
    { importAllowedNetworks: ['::ffff:10.0.0.0/104', '::ffff:a00:0/96', '::ffff:0:a00:0/64'] },
  ],
  ['IMPORT_RETRY_DELAYS', '0', { importRetryDelays: [0] }],
  ['IMPORT_RETRY_DELAYS', '100, 200 300', { importRetryDelays: [100, 200, 300] }],
  ['IMPORT_CONCURRENCY', '1', { importConcurrency: 1 }],
  ['IMPORT_CONCURRENCY_PER_WORKSPACE', '100', { importConcurrencyPerWorkspace: 100 }],
  ['IMPORT_IDLE_TIMEOUT_MS', '100', { importIdleTimeout: 100 }],
  ['IMPORT_MIN_BYTES_PER_SECOND', '0', { importMinimumRate: 0 }],
  [
    'WEBHOOK_ALLOWED_NETWORKS',
    '10.0.0.0/8 127.0.0.1/32:8080, [::1]/128:9000,::1/128:65535 [fd00::]/8',
    {
      webhookAllowedNetworks: ['10.0.0.0/8', '127.0.0.1/32:8080', '[::1]/128:9000', '::1/128:65535', '[fd00::]/8'],
    },
  ],
  ['WEBHOOK_RETRY_DELAYS', '0', { webhookRetryDelays: [0] }],
  ['WEBHOOK_RETRY_DELAYS', '100, 604800000', { webhookRetryDelays: [100, 604_800_000] }],
  ['LOG_LEVEL', 'silent', { logLevel: 'silent' }],
  ['LOG_FORMAT', 'json', { logFormat: 'json' }],
  ['LOG_FORMAT', 'pretty', { logFormat: 'pretty' }],
  ['LOG_FORMAT', 'journald', { logFormat: 'journald' }],
  ['UPLOAD_IDLE_TIMEOUT_MS', '100', { uploadIdleTimeout: 100 }],
  ['UPLOAD_MIN_BYTES_PER_SECOND', '0', { uploadMinimumRate: 0 }],
  ['TRUST_PROXY', 'true', { trustProxy: true }],
  ['RATE_LIMIT_PER_MINUTE', '600', { rateLimit: 600 }],
  ['UPLOAD_CONCURRENCY', '1', { uploadConcurrency: 1, uploadConcurrencyPerWorkspace: 1 }],
  ['UPLOAD_CONCURRENCY', '11', { uploadConcurrency: 11, uploadConcurrencyPerWorkspace: 6 }],
  ['UPLOAD_CONCURRENCY_PER_WORKSPACE', '20', { uploadConcurrency: 20, uploadConcurrencyPerWorkspace: 20 }],
  ['MIN_FREE_DISK_MB', '0', { minFreeDisk: 0 }],
  ['MIN_FREE_DISK_MB', '2', { minFreeDisk: 2 * 1024 * 1024 }],
  ['TRASH_DAYS', '0', { trashAge: 0 }],
  ['UNDO_DAYS', '0', { undoTime: 0 }],
  ['TRASH_DAYS', '3650', { trashAge: 3650 * 24 * 60 * 60 * 1000 }],
  ['GC_MAX_ORPHANS_PERCENT', '0', { maxOrphansPercent: 0 }],
  ['GC_MAX_ORPHANS_PERCENT', '100', { maxOrphansPercent: 100 }],
  ['STRIP_LOCATION', 'true', { stripsLocation: true }],
  ['CONVERT_IMAGES', 'false', { convertsImages: false }],
  ['LIBHEIF_PATH', import.meta.path, { libheifPath: import.meta.path }],
  ['PREVIEWS_AHEAD', 'false', { previewsAhead: false }],
  ['SHUTDOWN_DELAY_MS', '5000', { shutdownDelay: 5000 }],
  ['SHUTDOWN_TIMEOUT_MS', '0', { shutdownTimeout: 0 }],
  ['METRICS_TOKEN', 'm'.repeat(16), { metricsToken: 'm'.repeat(16) }],
  ['WORKER_PORT', '9464', { workerPort: 9464 }],
  [
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'http://127.0.0.1:4318/',
    { tracing: { endpoint: 'http://127.0.0.1:4318', headers: {}, serviceName: 'postshelf', ratio: 1 } },
  ],
  // Nothing is traced without an endpoint, whatever the other settings for traces are.
  ['OTEL_EXPORTER_OTLP_HEADERS', 'x-key=a%20b, x-tenant=1', {}],
  ['OTEL_SERVICE_NAME', 'shelf', {}],
  ['OTEL_TRACES_SAMPLER_ARG', '0.25', {}],
  // These have no effect without the other settings of the provider.
  ['OIDC_NAME', 'Beach Club', {}],
  ['OIDC_TRUST_EMAIL', 'true', {}],
  ['POSTSHELF_OF_TOMORROW', 'anything', {}],
];

/** Invalid values of each setting. */
const REFUSED: Readonly<Record<string, readonly string[]>> = {
  HOST: [
    'my host',
    'http://localhost',
    'localhost:3000',
    '127.0.0.1:3000',
    '*',
    '?',
    '0',
    '127.1',
    'me@localhost',
    '[localhost]',
  ],
  PORT: ['0', '65536', '3000x', '-1', '9'.repeat(400)],
  PUBLIC_URL: [
    'media.example',
    'ftp://media.example',
    'http:media.example',
    'https://media.example?a=b',
    'https://media.example?',
    'https://me@media.example',
    'https://:secret@media.example',
    ' https://media.example',
    'https://media.example\n',
  ],
  DATA_DIR: ['"/var/lib/postshelf"', "'/data'", '~/postshelf', '$HOME/postshelf', '/data\r', ' ', ' /data'],
  DATABASE_URL: [
    'sqlite:~/shelf.db',
    'sqlite:"/srv/shelf.db"',
    'mysql://localhost/shelf',
    'postgres',
    'postgres://shelf:p#ss@localhost/shelf',
    'postgres://shelf:/pass@localhost/shelf',
    'postgres://shelf:12/pass=@localhost/shelf',
    'postgres://shelf:12#pass@localhost/shelf',
    'postgres://shelf:12?pass@localhost/shelf',
    'postgres://shelf:100%@localhost/shelf',
    '/srv/shelf.db',
  ],
  DATABASE_POOL_SIZE: ['0'],
  DATABASE_STATEMENT_TIMEOUT_MS: ['99'],
  S3_BUCKET: ['a/b'],
  S3_ENDPOINT: ['store:9000'],
  S3_REGION: ['eu west', 'eu-central-1 '],
  S3_CLIENT_ENDPOINT: ['media.example.com'],
  S3_PUBLIC_URL: ['https://cdn.example.com/?x=1'],
  S3_FORCE_PATH_STYLE: ['yes'],
  S3_REDIRECT: ['1', 'Browsers'],
  S3_COPIES_MB: ['-1', '1.5'],
  CORS_ORIGINS: ['app.example.com', 'https://app.example.com/', 'https://*.example.com'],
  JWT_SECRET: ['s'.repeat(31)],
  IMPORT_ALLOWED_NETWORKS: [
    '10.0.0.0',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '::1/129',
    'localhost/32',
    '127.0.0.1/32,all',
    '::ffff:10.0.0.0/64',
    '::ffff:0:0/80',
    '0:0:0:0:0:ffff:a00:0/95',
  ],
  WEBHOOK_ALLOWED_NETWORKS: [
    '10.0.0.0',
    '127.0.0.1:8080',
    '127.0.0.1:8080/32',
    '127.0.0.1/33:8080',
    '127.0.0.1/32:0',
    '127.0.0.1/32:65536',
    '127.0.0.1/32:http',
    '[127.0.0.1]/32:8080',
    '[::1]:9000/128',
    'localhost/32:80',
  ],
  WEBHOOK_RETRY_DELAYS: ['5s', '1.5', '-1', '9999999999'],
  IMPORT_RETRY_DELAYS: ['5s', '1.5', '-1', '123456789'],
  IMPORT_CONCURRENCY: ['0', '101'],
  IMPORT_CONCURRENCY_PER_WORKSPACE: ['0'],
  IMPORT_IDLE_TIMEOUT_MS: ['99'],
  IMPORT_MIN_BYTES_PER_SECOND: ['-1'],
  LOG_LEVEL: ['verbose'],
  LOG_FORMAT: ['xml'],
  UPLOAD_IDLE_TIMEOUT_MS: ['99', '240001'],
  UPLOAD_MIN_BYTES_PER_SECOND: ['-1'],
  TRUST_PROXY: ['1'],
  RATE_LIMIT_PER_MINUTE: ['-1', '10/s'],
  UPLOAD_CONCURRENCY: ['0'],
  UPLOAD_CONCURRENCY_PER_WORKSPACE: ['0'],
  MIN_FREE_DISK_MB: ['1GB'],
  SHUTDOWN_DELAY_MS: ['300001'],
  SHUTDOWN_TIMEOUT_MS: ['30s'],
  METRICS_TOKEN: ['m'.repeat(15), `with a blank ${'m'.repeat(16)}`],
  WORKER_PORT: ['0', '65536'],
  OTEL_EXPORTER_OTLP_ENDPOINT: ['127.0.0.1:4318', 'https://me:secret@traces.example'],
  OTEL_EXPORTER_OTLP_HEADERS: ['x-key', 'x key=1', 'x-key=%'],
  TRASH_DAYS: ['3651', '-1'],
  UNDO_DAYS: ['3651', '-1'],
  GC_MAX_ORPHANS_PERCENT: ['101', '10%'],
  STRIP_LOCATION: ['1', 'yes'],
  CONVERT_IMAGES: ['0', 'no'],
  LIBHEIF_PATH: ['/nowhere/libheif.mjs'],
  PREVIEWS_AHEAD: ['0', 'no'],
  OTEL_TRACES_SAMPLER_ARG: ['1.5', 'half'],
  OIDC_ISSUER: ['sso.example', 'http://sso.example', 'https://me@sso.example', 'https://sso.example?a=b'],
  OIDC_NAME: ['Beach\nClub', 'x'.repeat(51)],
  OIDC_TRUST_EMAIL: ['1', 'yes'],
};
const BAD = Object.entries(REFUSED).flatMap(([name, values]) => values.map((value) => [name, value] as const));

describe('the configuration', () => {
  test('uses its defaults if no setting is given', () => {
    expect(readConfig({})).toEqual({
      host: '127.0.0.1',
      port: 3000,
      publicUrl: 'http://127.0.0.1:3000',
      ownOrigin: null,
      dataDir: resolve('data'),
      database: sqliteIn(join(resolve('data'), 'postshelf.db')),
      s3: null,
      web: true,
      robotsFile: null,
      corsOrigins: [],
      jwtSecret: null,
      ffmpegPath: null,
      logLevel: 'info',
      logFormat: process.stdout.isTTY ? 'pretty' : 'json',
      importAllowedNetworks: [],
      webhookAllowedNetworks: [],
      webhookRetryDelays: [
        5000, 300_000, 1_800_000, 7_200_000, 18_000_000, 36_000_000, 50_400_000, 72_000_000, 86_400_000,
      ],
      importRetryDelays: [5000, 30_000],
      importConcurrency: 10,
      importConcurrencyPerWorkspace: 5,
      importIdleTimeout: 30_000,
      importMinimumRate: 4096,
      uploadIdleTimeout: 30_000,
      uploadMinimumRate: 4096,
      trustProxy: false,
      rateLimit: 0,
      uploadConcurrency: 20,
      uploadConcurrencyPerWorkspace: 10,
      minFreeDisk: 1024 * 1024 * 1024,
      trashAge: 7 * 24 * 60 * 60 * 1000,
      undoTime: 30 * 24 * 60 * 60 * 1000,
      maxOrphansPercent: 10,
      checkObjectsPerSecond: 10,
      stripsLocation: false,
      convertsImages: true,
      libheifPath: null,
      previewsAhead: true,
      shutdownDelay: 0,
      shutdownTimeout: 30_000,
      metricsToken: null,
      workerPort: null,
      tracing: null,
      oidc: null,
    });
  });

  test('rejects a setting that is set but empty', () => {
    const names = new Set([...GOOD, ...BAD].map(([name]) => name).filter((name) => !name.startsWith('POSTSHELF')));
    for (const name of names) {
      for (const value of ['', ' ']) {
        expect(() => readConfig({ [name]: value })).toThrow(
          new ConfigError(`${name}: is empty; give it a value or leave it out`),
        );
      }
    }
    expect(readConfig({ SOMEBODY_ELSES: '', PORT: undefined })).toEqual(readConfig({}));
    // Otherwise the SDK would silently look for other credentials.
    const source = { SOURCE_S3_ACCESS_KEY_ID: '', SOURCE_S3_SECRET_ACCESS_KEY: '' };
    expect(() => readSource(source)).toThrow('SOURCE_S3_ACCESS_KEY_ID: is empty; give it a value or leave it out');
  });

  test('reads secrets from files', () => {
    const folder = mkdtempSync(join(tmpdir(), 'postshelf-secrets-'));
    const file = (name: string, value: string) => {
      writeFileSync(join(folder, name), value);
      return join(folder, name);
    };
    const secret = 's'.repeat(32);
    const given = {
      DATABASE_URL_FILE: file('url', 'postgres://shelf:p%40ss@database/shelf\n'),
      JWT_SECRET_FILE: file('jwt', `${secret}\n`),
    };
    expect(readConfig(given)).toMatchObject({
      database: { url: 'postgres://shelf:p%40ss@database/shelf' },
      jwtSecret: secret,
    });
    const refused = (environment: Record<string, string>) => () => readConfig(environment);
    expect(refused({ ...given, JWT_SECRET: secret })).toThrow('JWT_SECRET_FILE: is set together with JWT_SECRET');
    expect(refused({ JWT_SECRET_FILE: file('none', '\n') })).toThrow(`JWT_SECRET_FILE: ${folder}/none is empty`);
    expect(refused({ JWT_SECRET_FILE: file('short', 'short') })).toThrow('JWT_SECRET: must have');
    expect(readValidConfig({ JWT_SECRET_FILE: join(folder, 'short') }).errors).toHaveLength(1);
    expect(refused({ METRICS_TOKEN_FILE: `${folder}/nowhere` })).toThrow("METRICS_TOKEN_FILE: can't be read: ENOENT");
    rmSync(folder, { recursive: true });
  });

  test('comes from the environment by default', () => {
    expect(readConfig()).toEqual(readConfig(process.env));
  });

  test('combines the URL, pool size and statement timeout of PostgreSQL', () => {
    const environment = {
      DATABASE_URL: 'postgresql:///shelf?host=/run/postgresql',
      DATABASE_POOL_SIZE: '1',
      DATABASE_STATEMENT_TIMEOUT_MS: '500',
    };
    const database = { kind: 'postgres', url: environment.DATABASE_URL, poolSize: 1, statementTimeout: 500 };
    expect(readConfig(environment)).toEqual({ ...readConfig({}), database } as never);
  });

  test('accepts a user of PostgreSQL with an @ as a parameter', () => {
    const url = 'postgres://database/shelf?user=shelf@staff';
    expect(readConfig({ DATABASE_URL: url }).database).toMatchObject({ url });
  });

  test.each(['a,b', 'shelf:p%2Css@a:5432,b:5432', '10.0.0.1:5432,10.0.0.2:5432'])(
    'refuses several hosts of PostgreSQL (%s), and says what to name instead',
    (hosts) => {
      expect(() => readConfig({ DATABASE_URL: `postgres://${hosts}/shelf` })).toThrow(
        /^DATABASE_URL: must have one host, which leads to the primary/,
      );
    },
  );

  test.each(GOOD)('accepts %s=%j', (name, value, made) => {
    expect(readConfig({ [name]: value })).toEqual({ ...readConfig({}), ...made });
  });
});

test("OpenTelemetry's standard variables configure traces", () => {
  const { tracing } = readConfig({
    OTEL_EXPORTER_OTLP_ENDPOINT: 'https://traces.example/otlp',
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20abc,x-tenant=1',
    OTEL_SERVICE_NAME: 'shelf',
    OTEL_TRACES_SAMPLER_ARG: '0.1',
  });
  expect(tracing).toEqual({
    endpoint: 'https://traces.example/otlp',
    headers: { authorization: 'Bearer abc', 'x-tenant': '1' },
    serviceName: 'shelf',
    ratio: 0.1,
  });
});

describe('the settings of an OpenID provider', () => {
  const given = { OIDC_ISSUER: 'https://sso.example/realm', OIDC_CLIENT_ID: 'shelf', OIDC_CLIENT_SECRET: 'hunter2' };

  test('name the provider after its host unless OIDC_NAME is set', () => {
    const provider = { issuer: given.OIDC_ISSUER, clientId: 'shelf', clientSecret: 'hunter2', trustsEmail: false };
    const oidc = { ...provider, name: 'sso.example' };
    expect(readConfig(given).oidc).toEqual(oidc);
    expect(readConfig({ ...given, OIDC_NAME: 'Beach Club' }).oidc).toEqual({ ...oidc, name: 'Beach Club' });
  });

  test('trust addresses that aren’t verified only if OIDC_TRUST_EMAIL is true', () => {
    expect(readConfig({ ...given, OIDC_TRUST_EMAIL: 'false' }).oidc).toMatchObject({ trustsEmail: false });
    expect(readConfig({ ...given, OIDC_TRUST_EMAIL: 'true' }).oidc).toMatchObject({ trustsEmail: true });
  });

  test.each(Object.keys(given))('are rejected without %s', (name) => {
    const [beside] = Object.keys(given).filter((each) => each !== name);
    const others = Object.fromEntries(Object.entries(given).filter(([each]) => each !== name));
    expect(() => readConfig(others)).toThrow(new ConfigError(`${name}: is missing; it is required with ${beside}`));
    expect(readValidConfig(others).config.oidc).toBe(null);
  });

  test.each([
    ['https://media.example', 'accepted'],
    ['http://localhost:3000', 'accepted'],
    ['http://127.0.0.1/shelf', 'accepted'],
    ['http://[::1]:3000', 'accepted'],
    ['http://media.example', 'rejected'],
    ['http://localhost.example', 'rejected'],
    ['http://127.0.0.1.example', 'rejected'],
  ])('with PUBLIC_URL=%s are %s', (PUBLIC_URL, outcome) => {
    const { config, errors } = readValidConfig({ ...given, PUBLIC_URL });
    expect(errors.map((error) => error.split(':', 1)[0])).toEqual(outcome === 'accepted' ? [] : ['PUBLIC_URL']);
    expect(config.oidc).not.toBe(null);
  });

  test.each(['192.168.1.5', '0.0.0.0', '::'])(
    'with HOST=%s require a PUBLIC_URL that browsers treat as secure',
    (HOST) => {
      expect(readValidConfig({ ...given, HOST }).errors).toEqual([
        'PUBLIC_URL: must be set to an https address, or to one on localhost, for people to sign in with OIDC_ISSUER',
      ]);
      expect(readConfig({ ...given, HOST, PUBLIC_URL: 'http://localhost:3000' }).oidc).not.toBe(null);
    },
  );

  test.each(['localhost', '127.0.0.2', '::1'])('with HOST=%s require no PUBLIC_URL', (HOST) => {
    expect(readConfig({ ...given, HOST }).oidc).not.toBe(null);
  });
});

describe('an invalid setting', () => {
  const thrownBy = (environment: Readonly<Record<string, string>>): unknown => {
    try {
      return readConfig(environment);
    } catch (error) {
      return error;
    }
  };

  const shown = BAD.map(([name, value]) => [`${name}=${JSON.stringify(value).slice(0, 50)}`, name, value] as const);
  test.each(shown)('is reported in one line that names it: %s', (_, name, value) => {
    const error = thrownBy({ [name]: value });
    expect(error).toBeInstanceOf(ConfigError);
    expect((error as ConfigError).message).toMatch(new RegExp(`^${name}: (?:must|is) [^\\n]+$`));
  });

  test('is reported by its name, without its value, which may be a secret', () => {
    const error = thrownBy({ JWT_SECRET: 'hunter2', LOG_LEVEL: 'info' });
    expect((error as ConfigError).message).toBe('JWT_SECRET: must have at least 32 characters');
  });
});

/**
 * Each of these settings is parsed again later, so the configuration must not accept a text that this parser refuses.
 */
test.each([
  ['IMPORT_ALLOWED_NETWORKS', parseNetworks],
  [
    'WEBHOOK_ALLOWED_NETWORKS',
    (text: string) =>
      text
        .split(/[\s,]+/)
        .filter(Boolean)
        .map(parseNetworkWithPort),
  ],
] as const)('%s accepts exactly the networks that its parser accepts', (name, parse) => {
  const texts = [...GOOD, ...BAD].filter(([setting]) => setting === name).map(([, value]) => value);
  expect(texts.length).toBeGreaterThan(10);
  const isRead = (read: () => unknown): boolean => {
    try {
      read();
      return true;
    } catch {
      return false;
    }
  };
  for (const text of texts) {
    const isAllowed = isRead(() => readConfig({ [name]: text }));
    expect([text, isAllowed]).toEqual([text, isRead(() => parse(text))]);
  }
});
