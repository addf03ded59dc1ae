import { defineConfig } from 'vite';

// Files of the build have their content's hash in their name, so the server
// lets browsers keep them for good.
export default defineConfig({
  build: {
    target: 'es2022',
    outDir: 'dist',
    assetsInlineLimit: 0, // nothing inline: the policy forbids it
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  worker: { format: 'es' },
  server: {
    // npx vite beside a running `hone ui -http=localhost:8080`.
    proxy: { '/api': 'http://localhost:8080' },
  },
});
