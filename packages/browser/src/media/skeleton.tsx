/** Placeholder for tiles until the first page of a list is read. */
export const Skeleton = () => (
  <div className="skeleton" role="status" aria-label="Loading media">
    {Array.from({ length: 18 }, (_, at) => (
      <i key={at} />
    ))}
  </div>
);
