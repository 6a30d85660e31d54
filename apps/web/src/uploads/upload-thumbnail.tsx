import type { Upload } from '@postshelf/browser/uploads/upload.ts';
import { useEffect, useRef, useState } from 'react';

/** Width and height in CSS pixels. */
const SIDE = 36;

/** Maximum file size in bytes. To decode a larger file, the browser would need hundreds of megabytes of memory. */
const MAX_DECODED_BYTES = 40 * 1024 ** 2;

/**
 * A thumbnail of an upload. For an image, it is made from the file itself once the row is visible; for a video, it is
 * the item's cover once there is one.
 */
export function UploadThumbnail({ file, item }: Pick<Upload, 'file' | 'item'>) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [isDrawn, setIsDrawn] = useState(false);
  const isVideo = file?.type.startsWith('video/') ?? item?.time !== null;
  useEffect(() => {
    const element = canvas.current;
    if (!file || !element || isVideo || file.size > MAX_DECODED_BYTES) return;
    const observer = new IntersectionObserver(([entry]) => {
      if (!entry?.isIntersecting) return;
      observer.disconnect();
      drawNext(file, element, () => setIsDrawn(true));
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [file, isVideo]);
  const cover = isVideo ? item?.thumbnail?.link : undefined;
  const icon = isVideo ? 'video' : 'image';
  return (
    <span className="upload-thumbnail" data-kind={isDrawn || cover ? undefined : icon}>
      {cover ? (
        <img src={cover} alt="" loading="lazy" decoding="async" draggable={false} />
      ) : (
        <canvas ref={canvas} width={SIDE * 2} height={SIDE * 2} />
      )}
    </span>
  );
}

let last: Promise<void> = Promise.resolve();

/** Draws thumbnails one after the other, because each file is decoded completely. */
function drawNext(file: Blob, canvas: HTMLCanvasElement, onDrawn: () => void): void {
  last = last.then(async () => {
    // The row may have been removed in the meantime.
    if (!canvas.isConnected) return;
    try {
      const bitmap = await createImageBitmap(file, { resizeWidth: canvas.width * 2 });
      const side = Math.min(bitmap.width, bitmap.height);
      const [x, y] = [(bitmap.width - side) / 2, (bitmap.height - side) / 2];
      canvas.getContext('2d')?.drawImage(bitmap, x, y, side, side, 0, 0, canvas.width, canvas.height);
      bitmap.close();
      onDrawn();
    } catch {
      // Browsers can't show some files, such as HEIC photos. The file's icon then stays.
    }
  });
}
