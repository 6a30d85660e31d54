import type { NextConfig } from 'next';

// Otherwise Next.js would take an enclosing folder with a lock file for the root of the project.
const config: NextConfig = { turbopack: { root: import.meta.dirname } };

export default config;
