import { type Browser, type Page, default as puppeteer } from 'puppeteer-core';
import { type Fingerprint, fingerprintOf } from '../fingerprint.ts';
import type { Specimen } from '../specimen.ts';
import { isAvif, kindOf, type Oracle, type View } from './view.ts';

/** Flags for a headless browser. One of them makes canvas colours sRGB, whatever the machine's screen is. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-background-networking',
  '--force-color-profile=srgb',
  '--autoplay-policy=no-user-gesture-required',
];

const TYPES = {
  jpeg: 'image/jpeg',
  png: 'image/png',
  gif: 'image/gif',
  webp: 'image/webp',
  heif: 'image/avif',
} as const;

/** Milliseconds until a video counts as not shown. */
const TIMEOUT = 20_000;

/** The result of a page; pixels are four bytes each, in base64. */
interface Shown {
  readonly width: number;
  readonly height: number;
  readonly seconds: number | null;
  readonly pixels: string;
  readonly across: number;
  readonly down: number;
}

/** Opens Chromium, which shows what users see; returns null if it isn't installed. */
export async function openChromium(): Promise<Oracle | null> {
  const executablePath = ['chromium-headless-shell', 'chromium', 'google-chrome']
    .map((name) => Bun.which(name))
    .find(Boolean);
  if (!executablePath) return null;
  const files = new Map<string, Specimen>();
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      const path = new URL(request.url).pathname;
      if (path === '/')
        return new Response('<!doctype html><title>Formats</title>', { headers: { 'Content-Type': 'text/html' } });
      const specimen = files.get(path);
      if (specimen === undefined) return new Response('Not found', { status: 404 });
      return new Response(Bun.file(specimen.path), {
        headers: { 'Content-Type': contentType(path), 'Cache-Control': 'no-store' },
      });
    },
  });
  const launch = () => puppeteer.launch({ executablePath, args: FLAGS, headless: true });
  let browser = await launch();
  let page = await openPage(browser, server.url.href);
  let number = 0;
  return {
    name: 'Chromium',
    async inspect(specimen): Promise<View | null> {
      const kind = await kindOf(specimen);
      // Chromium shows AVIF, but not HEIC.
      if (kind === 'other' || (kind === 'heif' && !(await isAvif(specimen)))) return null;
      number += 1;
      const path = `/${number}/${kind === 'movie' ? 'video' : TYPES[kind]}`;
      files.set(path, specimen);
      try {
        const shown = await (kind === 'movie' ? showVideo(page, path) : showImage(page, path));
        if (shown === null || !hasDrawn(shown)) return { shows: false };
        return viewOf(shown, kind === 'movie' || kind === 'heif' ? null : TYPES[kind]);
      } catch {
        // A page that a file has crashed can't be used any more.
        await page.close().catch(() => undefined);
        if (!browser.connected) browser = await launch();
        page = await openPage(browser, server.url.href);
        return { shows: false };
      } finally {
        files.delete(path);
      }
    },
    async close() {
      await browser.close();
      await server.stop(true);
    },
  };
}

const contentType = (path: string): string =>
  path.endsWith('/video') ? 'video/mp4' : path.split('/').slice(2).join('/');

async function openPage(browser: Browser, url: string): Promise<Page> {
  const page = await browser.newPage();
  page.setDefaultTimeout(2 * TIMEOUT);
  await page.goto(url);
  return page;
}

function viewOf({ width, height, seconds, pixels, across, down }: Shown, type: string | null): View {
  return {
    shows: true,
    ...(type && { type }),
    width,
    height,
    ...(seconds !== null && { seconds }),
    fingerprint: fingerprintFrom(pixels, across, down),
  };
}

/**
 * Whether the page has drawn anything. If not, Chromium can't decode the image, or hasn't loaded it yet.
 */
const hasDrawn = ({ pixels }: Shown): boolean => Buffer.from(pixels, 'base64').some((value) => value > 0);

const fingerprintFrom = (pixels: string, width: number, height: number): Fingerprint =>
  fingerprintOf(Buffer.from(pixels, 'base64'), width, height, 4);

/** Shows an image in the page. */
const showImage = (page: Page, path: string): Promise<Shown | null> =>
  page.evaluate(async (url) => {
    const image = new Image();
    image.src = url;
    try {
      await image.decode();
    } catch {
      return null;
    }
    const [width, height] = [image.naturalWidth, image.naturalHeight];
    if (width === 0 || height === 0) return null;
    const shrink = Math.min(1, 640 / Math.max(width, height));
    const canvas = document.createElement('canvas');
    canvas.width = Math.max(1, Math.round(width * shrink));
    canvas.height = Math.max(1, Math.round(height * shrink));
    const context = canvas.getContext('2d', { willReadFrequently: true });
    if (!context) return null;
    context.imageSmoothingQuality = 'high';
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
    const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
    let text = '';
    for (let at = 0; at < data.length; at += 8192) text += String.fromCharCode(...data.subarray(at, at + 8192));
    return { width, height, seconds: null, pixels: btoa(text), across: canvas.width, down: canvas.height };
  }, path);

/** Shows a video in the page: the frame after one second, or the first frame of a shorter video. */
const showVideo = (page: Page, path: string): Promise<Shown | null> =>
  page.evaluate(
    async (url, timeout) => {
      const video = document.createElement('video');
      video.muted = true;
      // With the preload mode `metadata`, Chromium reads only what it needs at the moment. If it read to the end of a
      // video whose headers don't state the length, it would report the start of the last frame as the duration,
      // although it plays that frame as well.
      video.preload = 'metadata';
      const event = (name: string): Promise<boolean> =>
        new Promise((resolve) => {
          video.addEventListener(name, () => resolve(true), { once: true });
          video.addEventListener('error', () => resolve(false), { once: true });
          setTimeout(() => resolve(false), timeout);
        });
      const loaded = event('loadeddata');
      const known = event('loadedmetadata').then(() => video.duration);
      video.src = url;
      try {
        const duration = await known;
        if (!(await loaded) || video.videoWidth === 0) return null;
        const seeked = event('seeked');
        // Without a seek Chromium wouldn't draw anything yet.
        video.currentTime = duration > 1.05 ? 1.001 : 0.001;
        if (!(await seeked)) return null;
        const [width, height] = [video.videoWidth, video.videoHeight];
        const shrink = Math.min(1, 640 / Math.max(width, height));
        const canvas = document.createElement('canvas');
        canvas.width = Math.max(1, Math.round(width * shrink));
        canvas.height = Math.max(1, Math.round(height * shrink));
        const context = canvas.getContext('2d', { willReadFrequently: true });
        if (!context) return null;
        let data = new Uint8ClampedArray();
        // The frame might not be available until a little after the event.
        for (let tries = 0; tries < 40 && !data.some((value) => value > 0); tries += 1) {
          if (tries > 0) await new Promise((resolve) => setTimeout(resolve, 50));
          context.drawImage(video, 0, 0, canvas.width, canvas.height);
          ({ data } = context.getImageData(0, 0, canvas.width, canvas.height));
        }
        let text = '';
        for (let at = 0; at < data.length; at += 8192) text += String.fromCharCode(...data.subarray(at, at + 8192));
        return {
          width,
          height,
          seconds: Number.isFinite(duration) ? duration : null,
          pixels: btoa(text),
          across: canvas.width,
          down: canvas.height,
        };
      } finally {
        video.removeAttribute('src');
        video.load();
      }
    },
    path,
    TIMEOUT,
  );
