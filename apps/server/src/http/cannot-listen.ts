import { ConfigError } from '../config/config.ts';

/**
 * A server that can't be started, as the line that stops the start.
 *
 * @param at where it should listen, and the setting that says the port
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
