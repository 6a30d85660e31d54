export { parseNetworks } from './fetch/networks.ts';
export { createRemoteFiles, type RemoteFilesOptions } from './fetch/remote-files.ts';
export { createMediaInspector } from './inspect/media-inspector.ts';
export { type CoverMakerOptions, createCoverMaker } from './poster/cover-maker.ts';
export { type Ffmpeg, findFfmpeg } from './poster/find-ffmpeg.ts';
