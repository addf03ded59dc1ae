import { join } from 'node:path';
import { build, defineConfig, type HtmlTagDescriptor, type Plugin } from 'vite';

// Files of the build have their content's hash in their name, so the server
// lets browsers keep them for good.
export default defineConfig({
  plugins: [firstViewAtOnce(), withPage()],
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

/** The module of the view that is shown first. */
const FIRST_VIEW = 'src/view/flame/FlameView.tsx';

/**
 * Lets the browser ask for the first view's files along with those of the page:
 * otherwise it learns of them only when the page's script has run.
 */
function firstViewAtOnce(): Plugin {
  return {
    name: 'first-view',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle = {} }) {
        const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
        const view = chunks.find((chunk) => chunk.facadeModuleId?.endsWith(FIRST_VIEW));
        if (!view) throw new Error(`${FIRST_VIEW} is no chunk: what is shown first?`);
        const needed = new Set<string>();
        const need = (name: string) => {
          const chunk = chunks.find((c) => c.fileName === name);
          if (!chunk || needed.has(name)) return;
          needed.add(name);
          chunk.imports.forEach(need);
        };
        need(view.fileName);
        const styles = [...needed].flatMap((name) => [...(chunks.find((c) => c.fileName === name)?.viteMetadata?.importedCss ?? [])]);
        const fresh = (name: string) => !html.includes(name);
        return [
          ...[...needed].filter(fresh).map((name) => link({ rel: 'modulepreload', href: `/${name}` })),
          ...[...new Set(styles)].filter(fresh).map((name) => link({ rel: 'stylesheet', href: `/${name}` })),
          link({ rel: 'preload', as: 'fetch', href: '/api/v1/profiles' }),
        ];
      },
    },
  };
}

function link(attrs: Record<string, string>): HtmlTagDescriptor {
  return { tag: 'link', attrs: { ...attrs, crossorigin: true }, injectTo: 'head' };
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
