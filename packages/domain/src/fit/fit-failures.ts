export const FIT_FAILURES = {
  interrupted: 'The conversion was interrupted too often.',
  gone: 'The original no longer exists.',
  no_target: 'The target no longer exists.',
  no_tool: 'This server has no ffmpeg, which the conversion needs.',
  too_large: 'The result could not be made small enough.',
  too_long: 'The conversion took too long.',
  unreadable: 'The original could not be converted.',
} as const;
