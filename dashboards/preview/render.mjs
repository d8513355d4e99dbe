#!/usr/bin/env node
// Draws Grafana dashboards from a Prometheus and writes one PNG per dashboard. `node render.mjs --help` tells the rest.
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { serve } from './server.mjs';

const usage = `usage: node render.mjs --prometheus URL [flags]

  --prometheus URL      the Prometheus to ask, such as http://127.0.0.1:9090
  --dashboards DIR      where the dashboards' JSON files are (default: the folder above this one)
  --out DIR             where the pictures go (default: .)
  --only NAME           this dashboard (its uid, or its file without .json); repeatable
  --var NAME=VALUE      what a template variable is set to; repeatable, several of one name choose several values
  --from, --to TIME     instead of the dashboard's own range: now-6h, an RFC 3339 time, milliseconds
  --scrape-interval D   how often Prometheus scrapes (default 15s); the least step of a query
  --width PX, --scale N the window's width (default 1400) and the pixels per CSS pixel (default 1.5)
  --chromium PATH       the browser (default: chromium of the PATH's usual places)`;

const here = import.meta.dirname;
// How long a page may take to ask, to draw and to be photographed, in milliseconds each: machines are busy at times.
const patience = 120_000;

async function main() {
  const flags = readFlags();
  const browserPath = findChromium(flags.chromium);
  if (!existsSync(path.join(here, 'dist/index.html'))) {
    throw new Error(`the page is not built: run npm ci && npm run build in ${here}`);
  }
  const all = await dashboards(flags.dashboards);
  const wanted = flags.only.length === 0 ? all : flags.only.map((name) => find(all, name));
  await reachable(flags.prometheus);
  await mkdir(flags.out, { recursive: true });

  const server = await serve({ prometheus: flags.prometheus, dashboards: all, page: path.join(here, 'dist') });
  const browser = await chromium.launch({
    executablePath: browserPath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  });
  try {
    let failures = 0;
    for (const dashboard of wanted) {
      failures += await draw(browser, server.address, dashboard.name, flags);
    }
    return failures === 0 ? 0 : 1;
  } finally {
    await browser.close();
    server.close();
  }
}

/** Draws one dashboard and tells what went wrong; gives the number of errors. */
async function draw(browser, address, name, flags) {
  const [width, scale] = [Number(flags.width), Number(flags.scale)];
  const page = await browser.newPage({ viewport: { width, height: 900 }, deviceScaleFactor: scale, timezoneId: 'UTC' });
  const errors = [];
  page.on('pageerror', (error) => errors.push(error.message));
  try {
    await page.goto(`${address}/?${parameters(name, flags)}`);
    const outcome = await page.waitForFunction('window.preview', undefined, { timeout: patience }).then((handle) => handle.jsonValue());
    errors.push(...outcome.errors);
    outcome.notes.forEach((note) => console.log(`${name}: ${note}`));
    if (outcome.drawn) {
      const out = path.join(flags.out, `${name}.png`);
      await photograph(page, width, out);
      console.log(`${name}: ${out}`);
    }
  } catch (error) {
    errors.push(error.message.split('\n')[0]);
  } finally {
    await page.close();
  }
  errors.forEach((error) => console.error(`${name}: ${error}`));
  return errors.length;
}

function parameters(name, flags) {
  const params = new URLSearchParams({ dashboard: name, scrape: flags['scrape-interval'] });
  for (const edge of ['from', 'to'].filter((edge) => flags[edge])) {
    params.set(edge, flags[edge]);
  }
  flags.var.forEach(([variable, value]) => params.append(`var-${variable}`, value));
  return params;
}

async function photograph(page, width, out) {
  const content = page.locator('#root > div').first();
  const box = await content.boundingBox({ timeout: patience });
  // Tables draw the rows that are in view only.
  await page.setViewportSize({ width, height: Math.ceil(box.height) });
  await page.waitForLoadState('networkidle');
  await content.screenshot({ path: out, animations: 'disabled', timeout: patience });
}

function readFlags() {
  const text = (value) => ({ type: 'string', default: value });
  const list = { type: 'string', multiple: true, default: [] };
  const { values } = parseArgs({
    options: {
      prometheus: { type: 'string' },
      dashboards: text(path.dirname(here)),
      out: text('.'),
      only: list,
      var: list,
      from: { type: 'string' },
      to: { type: 'string' },
      'scrape-interval': text('15s'),
      width: text('1400'),
      scale: text('1.5'),
      chromium: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) {
    console.log(usage);
    process.exit(0);
  }
  if (!values.prometheus || !URL.canParse(values.prometheus)) {
    throw new Error('give --prometheus a URL, such as http://127.0.0.1:9090');
  }
  for (const flag of ['width', 'scale']) {
    if (!(Number(values[flag]) > 0)) {
      throw new Error(`--${flag} ${values[flag]} is no positive number`);
    }
  }
  values.var = values.var.map((pair) => {
    const [, name, value] = pair.match(/^(\w+)=(.*)$/s) ?? [];
    if (name === undefined) {
      throw new Error(`--var ${pair} is not NAME=VALUE`);
    }
    return [name, value];
  });
  return values;
}

function findChromium(asked) {
  const found = [asked, process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((p) => p && existsSync(p));
  if (!found || (asked && found !== asked)) {
    throw new Error(`no chromium at ${asked ?? '/usr/bin/chromium'}: install it (Debian: apt-get install chromium) or give --chromium PATH`);
  }
  return found;
}

async function dashboards(dir) {
  const files = (await readdir(dir).catch(() => [])).filter((f) => f.endsWith('.json')).sort();
  if (files.length === 0) {
    throw new Error(`no dashboard (*.json) in ${dir}`);
  }
  return Promise.all(
    files.map(async (file) => {
      const json = await readFile(path.join(dir, file), 'utf8').then(JSON.parse).catch((error) => ({ error: error.message }));
      if (!Array.isArray(json.panels) || json.panels.length === 0) {
        throw new Error(`${path.join(dir, file)} is no dashboard: ${json.error ?? 'it has no panels'}`);
      }
      return { ...json, name: path.basename(file, '.json') };
    })
  );
}

function find(all, name) {
  const found = all.find((d) => d.name === name || d.uid === name);
  if (!found) {
    throw new Error(`--only ${name}: there is no such dashboard, but ${all.map((d) => d.name).join(', ')}`);
  }
  return found;
}

async function reachable(prometheus) {
  const answer = await fetch(`${prometheus.replace(/\/$/, '')}/-/ready`).catch((error) => ({ ok: false, status: error.cause?.code ?? error.cause?.message ?? error.message }));
  if (!answer.ok) {
    throw new Error(`prometheus at ${prometheus} is not reachable (${answer.status}): start it, or give its URL with --prometheus`);
  }
}

main().then(
  (code) => process.exit(code),
  (error) => {
    console.error(`preview: ${error.message.split('\n')[0]}`);
    process.exit(2);
  }
);
