import { readFileSync, statSync } from 'node:fs';
import { notModified, type RequestFacts, tagOf } from '@postshelf/api';
import { MAX_ROBOTS_BYTES, robotsText } from '@postshelf/domain';
import { type Config, ConfigError } from '../config/config.ts';

/**
 * Crawlers may cache the file for an hour, so that a change takes effect sooner than after the usual maximum of a day
 * (RFC 9309 section 2.4).
 */
const CACHE_CONTROL = 'public, max-age=3600';

/**
 * Serves `GET` and `HEAD /robots.txt`: the service's own text, or the content of the operator's file, which is read
 * once.
 *
 * @throws ConfigError if the file can't be read, or is longer than the part that crawlers must read
 */
export function createRobotsRoute({
  publicUrl,
  robotsFile,
}: Pick<Config, 'publicUrl' | 'robotsFile'>): (facts: Pick<RequestFacts, 'request'>) => Response {
  const body =
    robotsFile === null
      ? new TextEncoder().encode(robotsText(new URL(publicUrl).pathname.replace(/\/$/, '')))
      : readRobots(robotsFile);
  const headers = {
    'Content-Type': 'text/plain; charset=utf-8',
    'Cache-Control': CACHE_CONTROL,
    ETag: tagOf(body),
    'X-Content-Type-Options': 'nosniff',
  };
  return ({ request }) => notModified(request, headers) ?? new Response(body, { headers });
}

function readRobots(path: string): Uint8Array<ArrayBuffer> {
  try {
    const { size } = statSync(path);
    if (size > MAX_ROBOTS_BYTES)
      throw new ConfigError(
        `ROBOTS_TXT: ${path} has ${size} bytes, but crawlers read only ${MAX_ROBOTS_BYTES} of them`,
      );
    return new Uint8Array(readFileSync(path));
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError(`ROBOTS_TXT: cannot be read: ${reason}`, { cause: error });
  }
}
