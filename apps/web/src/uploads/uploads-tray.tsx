/** The uploads of this page: `region` "Uploads". */
export const UploadsTray = () => null;
