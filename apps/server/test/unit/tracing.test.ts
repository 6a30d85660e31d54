import { expect, test } from 'bun:test';
import { join } from 'node:path';
import type { TracingConfig } from '../../src/config/config.ts';

const TRACING = join(import.meta.dir, '../../src/telemetry/tracing/start.ts');

/** The paths of all modules that a process has loaded once it has started tracing with this configuration. */
async function modulesLoaded(config: TracingConfig | null): Promise<readonly string[]> {
  const script = `
    const { startTracing } = await import(${JSON.stringify(TRACING)});
    await startTracing(${JSON.stringify(config)}, { warn() {} });
    process.stdout.write(Object.keys(require.cache).join('\\n'));
    process.exit();`;
  const child = Bun.spawn([process.execPath, '--eval', script], { stdout: 'pipe', stderr: 'pipe' });
  const [printed, complaints] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  expect(complaints).toBe('');
  return printed.split('\n');
}

test('the OpenTelemetry SDK is loaded only if traces are configured', async () => {
  const isSdk = (path: string): boolean => path.includes('@opentelemetry');
  const config = { endpoint: 'http://127.0.0.1:4318', headers: {}, serviceName: 'shelf', ratio: 1 };
  expect((await modulesLoaded(config)).filter(isSdk).length).toBeGreaterThan(50);
  expect((await modulesLoaded(null)).filter(isSdk)).toEqual([]);
});
