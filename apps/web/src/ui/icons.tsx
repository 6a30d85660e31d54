import type { ReactNode } from 'react';

/**
 * A line icon in the text's colour, on a 20 × 20 grid. It is hidden from screen readers, because there is always text
 * next to it.
 */
const Icon = ({ children }: { readonly children: ReactNode }) => (
  <svg
    className="icon"
    viewBox="0 0 20 20"
    width="18"
    height="18"
    fill="none"
    stroke="currentColor"
    strokeWidth="1.5"
    strokeLinecap="round"
    strokeLinejoin="round"
    aria-hidden="true"
  >
    {children}
  </svg>
);

export const GridIcon = () => (
  <Icon>
    <rect x="3" y="3" width="6" height="6" rx="1.5" />
    <rect x="11" y="3" width="6" height="6" rx="1.5" />
    <rect x="3" y="11" width="6" height="6" rx="1.5" />
    <rect x="11" y="11" width="6" height="6" rx="1.5" />
  </Icon>
);

export const ListIcon = () => (
  <Icon>
    <path d="M7.5 5.5h9M7.5 10h9M7.5 14.5h9M3.8 5.5v.1M3.8 10v.1M3.8 14.5v.1" />
  </Icon>
);

export const FolderIcon = () => (
  <Icon>
    <path d="M2.5 5.5a1 1 0 0 1 1-1H8l1.5 2h7a1 1 0 0 1 1 1v7a1 1 0 0 1-1 1h-13a1 1 0 0 1-1-1z" />
  </Icon>
);

export const PostsIcon = () => (
  <Icon>
    <rect x="3" y="3.5" width="14" height="5" rx="1.5" />
    <path d="M3 12.5h14M3 16.5h9" />
  </Icon>
);

export const CalendarIcon = () => (
  <Icon>
    <rect x="3" y="4.5" width="14" height="12.5" rx="2" />
    <path d="M3 8.5h14M7 2.5v4M13 2.5v4" />
  </Icon>
);

export const ClockIcon = () => (
  <Icon>
    <circle cx="10" cy="10" r="7" />
    <path d="M10 6v4l2.5 2" />
  </Icon>
);

export const PeopleIcon = () => (
  <Icon>
    <circle cx="10" cy="7" r="3.5" />
    <path d="M3.5 17a6.5 6.5 0 0 1 13 0" />
  </Icon>
);

export const TrashIcon = () => (
  <Icon>
    <path d="M3.5 5.5h13M8 5.5v-2h4v2M5.5 5.5l.8 11h7.4l.8-11M8.5 9v4.5M11.5 9v4.5" />
  </Icon>
);

export const PlayIcon = () => (
  <Icon>
    <path d="M7.5 6v8l6-4z" fill="currentColor" />
  </Icon>
);

export const MenuIcon = () => (
  <Icon>
    <path d="M3.5 6h13M3.5 10h13M3.5 14h13" />
  </Icon>
);

export const CloseIcon = () => (
  <Icon>
    <path d="M5 5l10 10M15 5L5 15" />
  </Icon>
);

export const PreviousIcon = () => (
  <Icon>
    <path d="M12.5 4.5L7 10l5.5 5.5" />
  </Icon>
);

export const NextIcon = () => (
  <Icon>
    <path d="M7.5 4.5L13 10l-5.5 5.5" />
  </Icon>
);

export const FrameBackIcon = () => (
  <Icon>
    <path d="M12.5 5l-5 5 5 5M5 5v10" />
  </Icon>
);

export const FrameForwardIcon = () => (
  <Icon>
    <path d="M7.5 5l5 5-5 5M15 5v10" />
  </Icon>
);

export const ZoomInIcon = () => (
  <Icon>
    <circle cx="9" cy="9" r="5.5" />
    <path d="M13 13l4 4M9 6.7v4.6M6.7 9h4.6" />
  </Icon>
);

export const ZoomOutIcon = () => (
  <Icon>
    <circle cx="9" cy="9" r="5.5" />
    <path d="M13 13l4 4M6.7 9h4.6" />
  </Icon>
);

export const DetailsIcon = () => (
  <Icon>
    <circle cx="10" cy="10" r="7" />
    <path d="M10 9v4.5M10 6.4v.1" />
  </Icon>
);

export const MoveIcon = () => (
  <Icon>
    <path d="M2.5 5.5a1 1 0 0 1 1-1H8l1.5 2h7a1 1 0 0 1 1 1v7a1 1 0 0 1-1 1h-13a1 1 0 0 1-1-1zM8 11h5M11 9l2 2-2 2" />
  </Icon>
);

export const TagIcon = () => (
  <Icon>
    <path d="M3 3.5h6.5l7.5 7.5-6 6L3 9.5zM6.6 7v.1" />
  </Icon>
);

export const AltTextIcon = () => (
  <Icon>
    <path d="M3 4.5h14M3 8.5h14M3 12.5h9M3 16.5h6" />
  </Icon>
);

export const DownloadIcon = () => (
  <Icon>
    <path d="M10 3.5v9M6.5 9.5L10 13l3.5-3.5M4 16.5h12" />
  </Icon>
);

export const LinkIcon = () => (
  <Icon>
    <path d="M8.5 11.5a3 3 0 0 0 4.2 0l3-3a3 3 0 0 0-4.2-4.2l-1 1M11.5 8.5a3 3 0 0 0-4.2 0l-3 3a3 3 0 0 0 4.2 4.2l1-1" />
  </Icon>
);

export const PostIcon = () => (
  <Icon>
    <path d="M9 3.5H4.5a1 1 0 0 0-1 1v11a1 1 0 0 0 1 1h11a1 1 0 0 0 1-1V11M15 3v5M12.5 5.5h5" />
  </Icon>
);

export const FilterIcon = () => (
  <Icon>
    <path d="M3.5 5.5h13M6 10h8M8.5 14.5h3" />
  </Icon>
);

export const RestoreIcon = () => (
  <Icon>
    <path d="M4 10a6 6 0 1 0 2-4.5L4 7.5M4 3.5v4h4" />
  </Icon>
);
