import type { NextConfig } from 'next';

// Other folders on the machine have locks of their own.
const config: NextConfig = { turbopack: { root: import.meta.dirname } };

export default config;
