import { join } from 'node:path';
import { build, defineConfig, type Plugin } from 'vite';

// Files of the build have their content's hash in their name, so the server
// lets browsers keep them for good.
export default defineConfig({
  plugins: [withPage()],
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

/** Builds the flame graph of `hone flame -o x.html` along, into page/ of the same folder: see vite.page.config.ts. */
function withPage(): Plugin {
  let outDir = '';
  let logLevel: 'info' | 'warn' | 'error' | 'silent' | undefined;
  return {
    name: 'page',
    apply: 'build',
    configResolved(config) {
      outDir = config.build.outDir;
      logLevel = config.logLevel;
    },
    async closeBundle() {
      await build({ configFile: join(import.meta.dirname, 'vite.page.config.ts'), build: { outDir: join(outDir, 'page') }, ...(logLevel ? { logLevel } : {}) });
    },
  };
}
