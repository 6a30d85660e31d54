export { findConfinement, weaknessesOf } from './child/confinement.ts';
export { type CoverMakerOptions, createCoverMaker } from './covers/cover-maker.ts';
export { type Ffmpeg, findFfmpeg } from './covers/ffmpeg.ts';
export { createMediaFitter, type MediaFitterOptions } from './fit/media-fitter.ts';
export { parseNetworks } from './imports/ip-networks.ts';
export { createRemoteFiles, type RemoteFilesOptions } from './imports/remote-files.ts';
export { createMediaInspector } from './inspect/media-inspector.ts';
export { createLocationFinder } from './location/location-finder.ts';
export { createPreviewMaker, type PreviewMakerOptions } from './previews/preview-maker.ts';
