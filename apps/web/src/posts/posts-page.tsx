export const PostsPage = () => (
  <main className="frame-page">
    <h1>Posts</h1>
  </main>
);
