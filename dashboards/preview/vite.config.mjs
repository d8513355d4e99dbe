import { defineConfig } from 'vite';

export default defineConfig({
  // Grafana's libraries read these as Node programs do.
  define: { 'process.env.NODE_ENV': '"production"', global: 'globalThis' },
  build: { chunkSizeWarningLimit: 20_000, sourcemap: false },
});
