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
  if (code === 'EADDRINUSE') return new ConfigError(`${setting}: ${port} is in use on ${host}`);
  return new ConfigError(`HOST: cannot listen on ${host} (${cause instanceof Error ? cause.message : cause})`);
}
