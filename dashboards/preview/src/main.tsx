// The page behind one picture: /?dashboard=NAME&from=…&to=…&scrape=15s&var-NAME=VALUE. It says in window.preview when it is drawn.
import '@fontsource/inter/400.css';
import '@fontsource/inter/500.css';
import '@fontsource/roboto-mono/400.css';
import { createTheme, locationUtil, rangeUtil, ThemeContext } from '@grafana/data';
import { GlobalStyles, PortalContainer } from '@grafana/ui';
import type { ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { regions } from './annotations';
import type { Dashboard } from './dashboard';
import { isEmpty, load } from './data';
import { DashboardView, size } from './DashboardView';
import { isKnown } from './PanelView';
import { Variables } from './variables';

/** What render.mjs waits for and reads. */
export interface Outcome {
  drawn: boolean;
  errors: string[];
  notes: string[];
}

const theme = createTheme({ colors: { mode: 'dark' } });

async function show(): Promise<Outcome> {
  const params = new URLSearchParams(location.search);
  const dashboards: Dashboard[] = await (await fetch('/dashboards')).json();
  const dashboard = dashboards.find(({ name }) => name === params.get('dashboard'))!;
  const raw = { from: params.get('from') ?? dashboard.time?.from ?? 'now-1h', to: params.get('to') ?? dashboard.time?.to ?? 'now' };
  const range = rangeUtil.convertRawToRange(raw, 'utc');
  if (!range.from.isValid() || !range.to.isValid()) {
    throw new Error(`the time range ${raw.from} to ${raw.to} cannot be read: give now-1h, an RFC 3339 time or milliseconds`);
  }
  const width = document.documentElement.clientWidth;
  const variables = new Variables(dashboard, range);
  for (const variable of dashboard.templating?.list ?? []) {
    await variables.add(variable, params.getAll(`var-${variable.name}`));
  }
  const context = { variables, range, scrapeInterval: params.get('scrape') ?? '15s', theme };
  const shown = dashboard.panels.filter((p) => p.type !== 'row');
  const unknown = shown.filter((p) => !isKnown(p.type));
  if (unknown.length > 0) {
    throw new Error(`panel "${unknown[0].title}" has the type ${unknown[0].type}, which the preview cannot draw`);
  }
  const panels = await Promise.all(shown.map((panel) => load(panel, size(panel, width).width, context)));

  const marked = await Promise.all((dashboard.annotations?.list ?? []).map((query) => regions(query, range, variables, theme)));

  const root = createRoot(document.getElementById('root')!);
  const draw = (content?: ReactNode) =>
    root.render(
      <ThemeContext.Provider value={theme}>
        <GlobalStyles />
        {content}
        <PortalContainer />
      </ThemeContext.Provider>
    );
  // Axes and big numbers are laid out by the width of their text: the fonts must be there before. The styles name files that only a
  // Grafana server has; when they are not found, the fonts imported above are taken.
  draw();
  await new Promise(requestAnimationFrame);
  await Promise.allSettled(['400 12px Inter', '500 12px Inter', '400 12px "Roboto Mono"'].map((font) => document.fonts.load(font)));
  draw(<DashboardView dashboard={dashboard} siblings={dashboards} panels={panels} variables={variables} regions={marked.flat()} range={range} width={width} />);
  const name = ({ panel }: { panel: { title?: string; id: number } }) => `panel "${panel.title || panel.id}"`;
  return {
    drawn: true,
    errors: panels.filter((p) => p.error).map((p) => `${name(p)}: ${p.error}`),
    notes: panels.filter((p) => !p.error && p.panel.type !== 'text' && isEmpty(p.frames)).map((p) => `${name(p)} has no data`),
  };
}

// Links and names are resolved against no host.
locationUtil.initialize({
  config: { appSubUrl: '', appUrl: '' } as any,
  getVariablesUrlParams: () => ({}),
  getTimeRangeForUrl: () => ({ from: 'now-1h', to: 'now' }),
});

show()
  .catch((error): Outcome => ({ drawn: false, errors: [error.message], notes: [] }))
  .then((outcome) => Object.assign(window, { preview: outcome }));
