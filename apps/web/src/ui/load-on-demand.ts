interface OnDemand<Code> {
  /** undefined until the code is loaded. */
  readonly loaded: Code | undefined;
  /** Loads the code once. After a failure, the next call tries again, unlike React's `lazy`. */
  load(): Promise<Code>;
}

/** Returns code that is loaded when it is first needed. @param load imports the code */
export function loadOnDemand<Code>(load: () => Promise<Code>): OnDemand<Code> {
  let loaded: Code | undefined;
  let loading: Promise<Code> | undefined;
  return {
    get loaded() {
      return loaded;
    },
    load() {
      loading ??= load().then(
        (code) => {
          loaded = code;
          return code;
        },
        (error: unknown) => {
          loading = undefined;
          throw error;
        },
      );
      return loading;
    },
  };
}
