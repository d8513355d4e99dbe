// Draws a small dashboard from a stub of Prometheus: that there is a picture, and that what goes wrong is told in one line.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';

const run = promisify(execFile);
const metric = { namespace: 'shop', cronjob: 'sync-stock' };
const types = ['stat', 'timeseries', 'table', 'bargauge', 'state-timeline', 'text'];

let dir, stub, prometheus;

before(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'preview-'));
  stub = http.createServer(answer).listen(0, '127.0.0.1');
  await new Promise((listening) => stub.once('listening', listening));
  prometheus = `http://127.0.0.1:${stub.address().port}`;
});

after(async () => {
  stub.close();
  await rm(dir, { recursive: true });
});

async function answer(request, response) {
  const { pathname } = new URL(request.url, 'http://localhost');
  const form = new URLSearchParams(await new Response(request).text());
  const now = Date.now() / 1000;
  const answers = {
    '/-/ready': {},
    '/api/v1/label/cronjob/values': ['sync-stock'],
    '/api/v1/query': { resultType: 'vector', result: [{ metric, value: [now, '1'] }] },
    '/api/v1/query_range': { resultType: 'matrix', result: [{ metric, values: [[now - 60, '1'], [now, '2']] }] },
  };
  // A variable that was not filled in before the query was sent is an error, too.
  const query = form.get('query');
  if (query && query !== 'up{cronjob="sync-stock"}') {
    response.writeHead(400).end(JSON.stringify({ status: 'error', errorType: 'bad_data', error: `${query} is no query` }));
    return;
  }
  response.writeHead(200).end(JSON.stringify({ status: 'success', data: answers[pathname] }));
}

function dashboard(uid, expr) {
  const panels = types.map((type, i) => {
    const target = { refId: 'A', expr, instant: ['table', 'bargauge'].includes(type), format: type === 'table' ? 'table' : 'time_series' };
    return { id: i + 1, type, title: `a ${type}`, gridPos: { x: (i % 3) * 8, y: Math.floor(i / 3) * 8, w: 8, h: 8 }, targets: type === 'text' ? [] : [target] };
  });
  const variable = { name: 'cronjob', type: 'query', query: 'label_values(up, cronjob)' };
  return { uid, title: uid, panels, templating: { list: [variable] } };
}

async function render(...flags) {
  return run(process.execPath, [path.join(import.meta.dirname, 'render.mjs'), '--dashboards', dir, '--out', dir, ...flags]).catch((error) => error);
}

test('draws a dashboard', async () => {
  await writeFile(path.join(dir, 'good.json'), JSON.stringify(dashboard('good', 'up{cronjob="$cronjob"}')));
  const { stdout, stderr, code = 0 } = await render('--prometheus', prometheus, '--only', 'good');
  assert.equal(stderr, '');
  assert.equal(stdout, `good: ${path.join(dir, 'good.png')}\n`);
  assert.equal(code, 0);
  const png = await readFile(path.join(dir, 'good.png'));
  assert.equal(png.toString('latin1', 1, 4), 'PNG');
});

test('names the panel whose query fails', async () => {
  await writeFile(path.join(dir, 'bad.json'), JSON.stringify(dashboard('bad', 'broken')));
  const { stderr, code } = await render('--prometheus', prometheus, '--only', 'bad');
  assert.match(stderr, /^bad: panel "a stat": query A failed: bad_data: broken is no query$/m);
  assert.equal(code, 1);
});

test('says what is missing', async () => {
  const cases = [
    [[], /^preview: give --prometheus a URL/],
    [['--prometheus', 'http://127.0.0.1:9'], /^preview: prometheus at http:\/\/127.0.0.1:9 is not reachable/],
    [['--prometheus', prometheus, '--chromium', '/nowhere'], /^preview: no chromium at \/nowhere: install it/],
    [['--prometheus', prometheus, '--only', 'nothing'], /^preview: --only nothing: there is no such dashboard/],
    [['--prometheus', prometheus, '--dashboards', '/nowhere'], /^preview: no dashboard \(\*\.json\) in \/nowhere/],
  ];
  for (const [flags, want] of cases) {
    const { stderr, code } = await render(...flags);
    assert.match(stderr, want);
    assert.equal(stderr.trim().split('\n').length, 1);
    assert.equal(code, 2);
  }
});
