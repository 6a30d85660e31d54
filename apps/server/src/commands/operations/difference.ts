import type { AnyOperation, RawInput } from '@postshelf/api';
import type { Resources } from '@postshelf/application';
import type { Option } from 'commander';
import type { Given } from './options.ts';
import type { Column, Resource } from './output.ts';

/** What a command does differently from its operation. */
export interface Difference {
  /** Replaces the summary or the description, where they are true of requests only. */
  readonly described?: Partial<Pick<AnyOperation, 'summary' | 'description'>>;
  readonly aliases?: readonly string[];
  /** Required fields that the command needn't be given, each with a remark for the help. */
  readonly optional?: Readonly<Record<string, string>>;
  readonly options?: readonly Option[];
  readonly columns?: readonly Column[];
  /** Returns the fields for the operation. */
  complete?(raw: RawInput, given: Given): RawInput;
  /** Does the work without the operation. @returns false if the operation is to be run after all */
  instead?(raw: RawInput, given: Given): Promise<boolean>;
  /** Returns additional fields of a resource. */
  also?(ports: Resources, resource: Resource): Promise<Resource>;
  /** Returns what `--json` prints. @param id the command's argument */
  value?(answer: unknown, id: string): unknown;
  /** Returns what is printed without `--json`. */
  lines?(answer: unknown, id: string): readonly string[];
}
