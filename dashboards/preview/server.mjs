// A web server on loopback for the page, its icons, the dashboards and, so that the page needs no second origin, Prometheus' API.
import { createReadStream, existsSync, statSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.woff2': 'font/woff2' };
const icons = path.resolve(path.dirname(fileURLToPath(import.meta.resolve('@grafana/ui'))), '../public');

/** Serves until close is called; gives the address it listens on. */
export async function serve({ prometheus, dashboards, page }) {
  const server = http.createServer((request, response) => {
    const { pathname } = new URL(request.url, 'http://localhost');
    if (pathname.startsWith('/api/')) {
      forward(request, response, prometheus);
    } else if (pathname === '/dashboards') {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(dashboards));
    } else if (pathname.startsWith('/public/build/')) {
      send(response, icons, pathname.slice('/public/build/'.length));
    } else {
      send(response, page, pathname.slice(1) || 'index.html');
    }
  });
  await new Promise((listening, failed) => server.once('error', failed).listen(0, '127.0.0.1', listening));
  return {
    address: `http://127.0.0.1:${server.address().port}`,
    close: () => server.close().closeAllConnections(),
  };
}

function send(response, folder, name) {
  const file = path.resolve(folder, name);
  const inside = file.startsWith(path.resolve(folder) + path.sep);
  if (!inside || !existsSync(file) || !statSync(file).isFile()) {
    response.writeHead(404).end(`no file ${name}`);
    return;
  }
  response.writeHead(200, { 'content-type': types[path.extname(file)] ?? 'application/octet-stream' });
  createReadStream(file).pipe(response);
}

async function forward(request, response, prometheus) {
  try {
    const body = request.method === 'POST' ? await new Response(request).text() : undefined;
    const headers = body === undefined ? {} : { 'content-type': request.headers['content-type'] };
    const answer = await fetch(prometheus.replace(/\/$/, '') + request.url, { method: request.method, headers, body });
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' }).end(await answer.text());
  } catch (error) {
    response.writeHead(502).end(`it is not reachable: ${error.cause?.code ?? error.message}`);
  }
}
