import { isIP } from 'node:net';
import { ConfigError } from '../config/config.ts';

/**
 * The error for a server that can't listen.
 *
 * @param at the address, and the setting of the port
 */
export function cannotListen(
  at: { readonly host: string; readonly port: number; readonly setting: 'PORT' | 'WORKER_PORT' },
  cause: unknown,
): ConfigError {
  const { host, port, setting } = at;
  const code = cause instanceof Error && 'code' in cause ? cause.code : null;
  const isInUse = code === 'EADDRINUSE';
  if (isInUse && (isIP(host) > 0 || host === 'localhost'))
    return new ConfigError(`${setting}: ${port} is in use on ${host}`);
  // Bun says of a name without an address that the port is in use, too.
  const otherwise = cause instanceof Error ? cause.message : cause;
  const reason = isInUse ? `it has no address on this machine, or ${setting} ${port} is in use` : otherwise;
  return new ConfigError(`HOST: cannot listen on ${host} (${reason})`);
}
