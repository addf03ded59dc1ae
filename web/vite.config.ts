import { join } from 'node:path';
import { build, defineConfig, type Plugin } from 'vite';

// Files of the build have their content's hash in their name, so the server
// lets browsers keep them for good.
export default defineConfig({
  plugins: [firstAnswerAtOnce(), withPage()],
  build: {
    target: 'es2022',
    outDir: 'dist',
    assetsInlineLimit: 0, // nothing inline: the policy forbids it
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // What the page opens with is one file, and so is what several of the other views and pages have in common.
            { name: 'first', test: /\/src\/main\.tsx$|rolldown\/runtime/, priority: 1 },
            { name: 'shared', minShareCount: 2 },
          ],
        },
      },
    },
  },
  worker: { format: 'es' },
  server: {
    // npx vite beside a running `hone ui -http=localhost:8080`.
    proxy: { '/api': 'http://localhost:8080' },
  },
});

/** Lets the browser ask for what the page asks the server first along with the page's files, not when its script has run. */
function firstAnswerAtOnce(): Plugin {
  return {
    name: 'first-answer',
    apply: 'build',
    transformIndexHtml: () => [
      { tag: 'link', attrs: { rel: 'preload', as: 'fetch', href: '/api/v1/profiles', crossorigin: true }, injectTo: 'head' },
    ],
  };
}

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
      await build({
        configFile: join(import.meta.dirname, 'vite.page.config.ts'),
        build: { outDir: join(outDir, 'page') },
        ...(logLevel ? { logLevel } : {}),
      });
    },
  };
}
