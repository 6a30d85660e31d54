import type { NextConfig } from 'next';

// Enclosing folders may have lock files of their own.
const config: NextConfig = { turbopack: { root: import.meta.dirname } };

export default config;
