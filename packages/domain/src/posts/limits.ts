/** Maximum length in code points. */
export const MAX_POST_TEXT_LENGTH = 65_535;
export const MAX_EXTERNAL_ID_LENGTH = 255;

export const MAX_MEDIA_PER_POST = 50;

/** Maximum of a metric, so that sums over twenty thousand posts are exact integers. */
export const MAX_METRIC = 100_000_000_000;

/** Maximum lengths of a profile's name and network in code points. */
export const MAX_PROFILE_NAME_LENGTH = 100;
export const MAX_NETWORK_LENGTH = 50;
