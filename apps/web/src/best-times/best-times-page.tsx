export const BestTimesPage = () => (
  <main className="frame-page">
    <h1>Best times</h1>
  </main>
);
