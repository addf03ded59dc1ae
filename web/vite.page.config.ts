import { defineConfig } from 'vite';

// The page that is a file of its own: one classic script and one style, which
// package report puts into it. Pages at file:// can't load modules, and its
// policy knows both by their hash.
export default defineConfig({
  publicDir: false,
  build: {
    target: 'es2022',
    outDir: 'dist/page',
    emptyOutDir: true,
    reportCompressedSize: false,
    lib: { entry: 'src/page.tsx', formats: ['iife'], name: 'hone', fileName: () => 'flame.js', cssFileName: 'flame' },
    rolldownOptions: {
      // A module of which nothing is used has nothing to do here, but for styles.
      treeshake: { moduleSideEffects: (id: string) => /\.css$|\/src\/(page\.tsx|state\/theme\.ts)$/.test(id) },
    },
  },
});
