import { workspaceOf } from '@postshelf/browser/media/media-facts.ts';
import type { Upload } from '@postshelf/browser/uploads/upload.ts';
import { UploadRow } from '@postshelf/browser/uploads/upload-row.tsx';
import type { MediaItem } from '@postshelf/client';
import { Link } from '@tanstack/react-router';
import { memo } from 'react';
import { UploadThumbnail } from './upload-thumbnail.tsx';
import { cancelUpload, pauseUpload, retryUpload } from './uploads.ts';

interface TrayRowProps {
  readonly upload: Upload;
  /** An earlier item in the library with the same bytes. */
  readonly original: MediaItem | undefined;
}

/** A file in the tray. The component is memoized, because there may be hundreds of files. */
export const TrayRow = memo(({ upload, original }: TrayRowProps) => {
  const { item, file } = upload;
  return (
    <UploadRow
      {...upload}
      onCancel={cancelUpload}
      onPause={pauseUpload}
      onRetry={retryUpload}
      thumbnail={<UploadThumbnail file={file} item={item} />}
      link={(nameId) => item && <ShowInFolder item={item} nameId={nameId} />}
      note={
        original && (
          <p className="upload-note">
            A duplicate: the library already had this file, as <ItemLink item={original} />.
          </p>
        )
      }
    />
  );
});

function ShowInFolder({ item, nameId }: { readonly item: MediaItem; readonly nameId: string }) {
  const common = { className: 'button button-quiet', 'aria-describedby': nameId };
  const search = { workspace: workspaceOf(item) };
  if (item.folder_id === null) {
    return (
      <Link to="/" search={search} {...common}>
        Show in folder
      </Link>
    );
  }
  return (
    <Link to="/folders/$folder" params={{ folder: item.folder_id }} search={search} {...common}>
      Show in folder
    </Link>
  );
}

const ItemLink = ({ item }: { readonly item: MediaItem }) => (
  <Link to="/media/$item" params={{ item: item.id }} search={{ workspace: workspaceOf(item) }}>
    {item.name}
  </Link>
);
