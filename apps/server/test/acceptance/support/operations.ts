/** Every operation that takes a token, and the scope that it asks for. `{media}` and `{folder}` are for the row to set. */
export const operations = [
  ['POST /workspaces/{workspace}/media_contents', 'media:write'],
  ['GET /workspaces/{workspace}/media_contents', 'media:read'],
  ['GET /media_contents/{media}', 'media:read'],
  ['PATCH /media_contents/{media}', 'media:write'],
  ['DELETE /media_contents/{media}', 'media:write'],
  ['GET /workspaces/{workspace}/media_library/folders', 'folders:read'],
  ['POST /workspaces/{workspace}/media_library/folders', 'folders:write'],
  ['GET /media_library/folders/{folder}', 'folders:read'],
  ['PATCH /media_library/folders/{folder}', 'folders:write'],
  ['DELETE /media_library/folders/{folder}', 'folders:write'],
] as const;
