import type { AnyOperation, RawInput } from '@postshelf/api';
import type { Resources } from '@postshelf/application';
import type { Option } from 'commander';
import type { Given } from './options.ts';
import type { Column, Resource } from './output.ts';

/** The differences between a command and its operation. */
export interface Difference {
  /** Replacements for the operation's summary or description, if that is right only for API requests. */
  readonly described?: Partial<Pick<AnyOperation, 'summary' | 'description'>>;
  readonly aliases?: readonly string[];
  /** Fields that are required by the operation but optional for the command, each with a remark for the help. */
  readonly optional?: Readonly<Record<string, string>>;
  readonly options?: readonly Option[];
  readonly columns?: readonly Column[];
  /** Changes the input for the operation, for example by adding fields. */
  complete?(raw: RawInput, given: Given): RawInput;
  /** May run something else instead of the operation, or refuse to run it. @returns false to run the operation */
  instead?(raw: RawInput, given: Given): Promise<boolean>;
  /** Returns additional fields of a resource. */
  also?(ports: Resources, resource: Resource): Promise<Resource>;
  /** Returns what `--json` prints. @param id the command's argument */
  value?(answer: unknown, id: string): unknown;
  /** Returns what is printed without `--json`. */
  lines?(answer: unknown, id: string): readonly string[];
}
