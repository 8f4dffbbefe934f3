import { defineConfig } from 'vite'

/** Builds the files that browsers load: names with a hash of their content, listed in a manifest. */
export default defineConfig({
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: '../../../dist/web',
    // Files of earlier builds stay for pages that were loaded before, see infra/build.mjs.
    emptyOutDir: false,
    assetsDir: '',
    manifest: true,
    modulePreload: false,
    reportCompressedSize: false,
    rolldownOptions: { input: ['browser.tsx', 'theme.ts', 'docs.ts', 'styles/pages.css'] },
  },
})
