export interface ImportOptions {
  readonly workspace?: string;
  readonly folders?: boolean;
  readonly exclude: readonly string[];
  readonly report?: string;
  readonly concurrency: number;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}
