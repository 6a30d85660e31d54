import { hasPrograms } from '@postshelf/testing/programs';
import { type Program, program } from '../../support/program.ts';

const isRoot = process.getuid?.() === 0;
const WITHOUT = ['setpriv', '--bounding-set', '-dac_override,-dac_read_search,-fowner', '--inh-caps', '-all', '--'];

/** Whether {@link programWithoutPrivileges} can be started here. @param skipped what remains untested otherwise */
export const mayDropPrivileges = (skipped: string): boolean => !isRoot || hasPrograms(['setpriv'], skipped);

/**
 * The program for tests in which it lacks a file permission. root isn't subject to file permissions, so as root the
 * program is started without the capabilities that cause this (capabilities(7)).
 */
export const programWithoutPrivileges: Program = isRoot
  ? { ...program, command: [...WITHOUT, ...program.command] }
  : program;
