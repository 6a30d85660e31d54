import { describe, expect, test } from 'bun:test';
import { givenSettings } from '../../src/config/config.ts';
import { describeSettings } from '../../src/telemetry/setting-report.ts';

describe('the report of settings that differ from their defaults', () => {
  test('has their values, and no other settings', () => {
    const environment = { PORT: '3000', HOST: '0.0.0.0', LOG_LEVEL: 'debug', S3_BUCKET: 'media', HOME: '/root' };
    const { differing } = describeSettings(givenSettings(environment));
    expect(differing).toEqual({ HOST: '0.0.0.0', LOG_LEVEL: 'debug', S3_BUCKET: 'media' });
  });

  test('hides secrets', () => {
    const secrets = {
      JWT_SECRET: 'hunter2'.repeat(9),
      METRICS_TOKEN: 'hunter2'.repeat(9),
      OIDC_CLIENT_SECRET: 'hunter2',
      S3_ACCESS_KEY_ID: 'hunter2',
      S3_SECRET_ACCESS_KEY: 'hunter2',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=hunter2',
      DATABASE_URL: 'postgres://shelf:hunter2@db.internal/shelf?password=hunter2',
    };
    const { differing } = describeSettings(givenSettings(secrets));
    expect(Object.keys(differing).sort()).toEqual(Object.keys(secrets).sort());
    expect(JSON.stringify(differing)).not.toContain('hunter2');
    expect(differing.DATABASE_URL).toContain('db.internal/shelf');
  });
});

test('bucket settings are reported as having no effect if S3_BUCKET is missing', () => {
  const given = { S3_REGION: 'x', S3_ENDPOINT: 'http://127.0.0.1:9000' };
  expect(describeSettings(givenSettings(given)).idle).toEqual(['S3_ENDPOINT', 'S3_REGION']);
  expect(describeSettings(givenSettings({ ...given, S3_BUCKET: 'media' })).idle).toEqual([]);
});

describe('the report of mistyped settings', () => {
  test.each([
    ['JWT_SECERT', 'JWT_SECRET'],
    ['S3_BUCKE', 'S3_BUCKET'],
    ['S3_SECRET_KEY', 'S3_SECRET_ACCESS_KEY'],
    ['DATABSE_URL', 'DATABASE_URL'],
    ['DATA_DIRECTORY', 'no setting'],
    ['DATADIR', 'DATA_DIR'],
    ['PUBLICURL', 'PUBLIC_URL'],
    ['PROT', 'no setting'],
    ['PORTS', 'PORT'],
    ['port', 'PORT'],
    ['RATE_LIMIT', 'RATE_LIMIT_PER_MINUTE'],
    ['SHUTDOWN_TIMEOUT', 'SHUTDOWN_TIMEOUT_MS'],
    ['OTEL_SERVICENAME', 'OTEL_SERVICE_NAME'],
    ['DB_URL', 'DATABASE_URL'],
    ['POSTSHELF_PORT', 'PORT'],
    ['POSTSHELF_PUBLIC_URL', 'PUBLIC_URL'],
    ['POSTSHELF_TEST_PORT', 'no setting'],
  ] as const)('for %s suggests %s', (name, nearest) => {
    expect(describeSettings(givenSettings({ [name]: 'x' })).mistaken).toEqual(
      nearest === 'no setting' ? [] : [{ name, nearest }],
    );
  });

  test('leaves out the variables of other programs', () => {
    const others = [
      ...['PATH', 'HOME', 'HOSTNAME', 'USER', 'TERM', 'PWD', 'LANG', 'SHLVL', 'LOGNAME', 'MAIL', 'TMPDIR', 'TZ', '_'],
      ...['AWS_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_PROFILE', 'PGHOST', 'PGPORT', 'PGPASSWORD'],
      ...['OTEL_EXPORTER_OTLP_PROTOCOL', 'OTEL_TRACES_SAMPLER', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'],
      ...['OTEL_RESOURCE_ATTRIBUTES', 'OTEL_TRACES_EXPORTER', 'OTEL_EXPORTER_OTLP_TIMEOUT', 'OTEL_SDK_DISABLED'],
      ...['INVOCATION_ID', 'JOURNAL_STREAM', 'STATE_DIRECTORY', 'LOGS_DIRECTORY', 'NOTIFY_SOCKET', 'npm_config_port'],
    ];
    expect(describeSettings(givenSettings(Object.fromEntries(others.map((name) => [name, 'x'])))).mistaken).toEqual([]);
  });
});
