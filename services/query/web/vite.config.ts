import { defineConfig } from 'vite'

/** Builds the files that browsers load: names with a hash of their content, listed in a manifest. */
export default defineConfig({
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: '../../../dist/web',
    emptyOutDir: true,
    assetsDir: '',
    manifest: true,
    modulePreload: false,
    reportCompressedSize: false,
    rolldownOptions: { input: ['browser.tsx', 'theme.ts', 'docs.ts', 'styles/pages.css'] },
  },
})
